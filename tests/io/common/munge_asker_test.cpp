// MungeAsker asks munged outside of the loop: when munged hangs, only its own questions time out; the loop goes on.
#include "common/io/munge_asker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;

// A gate: look-ups wait while it is shut.
class Door {
 public:
  void shut() { set(false); }
  void open() { set(true); }
  void pass() {
    std::unique_lock lock(mutex_);
    ++came_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  // Until `count` have come to it: then the thread waits there, or has gone through.
  bool visited(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(20), [&] { return came_ >= count; });
  }

 private:
  void set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int came_ = 0;
};

class Asker : public testing::Test {
 protected:
  // In place of munged: credentials are names, and every look-up passes the gate. The thread may outlive the test.
  MungeAsker::LookUp look_up() const {
    return [door = door](const MungeAsker::Question& question) -> Result<KnownUser> {
      door->pass();
      if (question.credential == "forged") return internal_error("MUNGE: the credential is refused");
      return KnownUser{500, 600, question.credential};
    };
  }
  MungeAsker::Told heard() {
    return [this](const MungeAsker::Answer& who) { answers.push_back(who ? who->name : who.error().text); };
  }
  template <class Condition>
  void wait_until(Condition condition, const char* what) {
    const auto deadline = steady_clock::now() + seconds(20);
    while (!condition() && steady_clock::now() < deadline) {
      loop.restart();
      loop.run_one_for(milliseconds(20));
    }
    ASSERT_TRUE(condition()) << "waited in vain for: " << what;
  }
  void TearDown() override { door->open(); }

  std::shared_ptr<Door> door = std::make_shared<Door>();
  boost::asio::io_context loop{1};
  std::vector<std::string> answers;
};

TEST_F(Asker, EveryQuestionHasItsAnswerInTheirOrderAndInTheLoop) {
  MungeAsker asker(loop, {}, look_up());
  for (const char* name : {"ann", "forged", "bob"}) asker.ask({name, "", ""}, heard());
  ASSERT_TRUE(door->visited(3));
  EXPECT_TRUE(answers.empty()) << "before the loop had its turn";
  wait_until([&] { return answers.size() == 3; }, "three answers");
  EXPECT_THAT(answers, ElementsAre("ann", "MUNGE: the credential is refused", "bob"));
}

TEST_F(Asker, OneThatHangsIsRefusedInTimeAndTheLoopGoesOn) {
  door->shut();
  MungeAsker asker(loop, {.patience = milliseconds(300)}, look_up());
  const auto from = steady_clock::now();
  asker.ask({"ann", "", ""}, heard());
  ASSERT_TRUE(door->visited(1));
  boost::asio::steady_timer timer(loop, milliseconds(1));
  bool ticked = false;
  timer.async_wait([&](const boost::system::error_code&) { ticked = answers.empty(); });
  wait_until([&] { return !answers.empty(); }, "the refusal");
  EXPECT_TRUE(ticked) << "the loop ran while munged hung";
  EXPECT_THAT(answers, ElementsAre("MUNGE: munged did not answer within 0.3 s"));
  EXPECT_GE(steady_clock::now() - from, milliseconds(300));
  // Questions that wait behind it are refused too; when munged is back the next one is answered, each question once.
  asker.ask({"bob", "", ""}, heard());
  wait_until([&] { return answers.size() == 2; }, "the second refusal");
  door->open();
  asker.ask({"eve", "", ""}, heard());
  wait_until([&] { return answers.size() == 3; }, "the answer of a munged that is back");
  EXPECT_EQ(answers.back(), "eve");
  loop.restart();
  loop.poll();
  EXPECT_EQ(answers.size(), 3u);
}

TEST_F(Asker, ACrowdIsRefusedAtOnce) {
  door->shut();
  MungeAsker asker(loop, {.waiting = 2, .patience = seconds(60)}, look_up());
  for (const char* name : {"ann", "bob", "eve"}) asker.ask({name, "", ""}, heard());
  wait_until([&] { return !answers.empty(); }, "the third one's refusal");
  EXPECT_THAT(
      answers,
      ElementsAre("overloaded: 2 clients wait already for munged to say who they are; try again later"));
  door->open();
  wait_until([&] { return answers.size() == 3; }, "the others");
  EXPECT_EQ(answers.back(), "bob");
}

TEST_F(Asker, SaysBusyForOverloadAndSilenceAndNotForAForgedCredential) {
  std::vector<bool> busy;
  const auto told = [&](const MungeAsker::Answer& who) { busy.push_back(!who && who.error().busy); };
  MungeAsker asker(loop, {.waiting = 2, .patience = milliseconds(300)}, look_up());
  asker.ask({"forged", "", ""}, told);
  wait_until([&] { return busy.size() == 1; }, "the first answer");
  door->shut();
  for (int i = 0; i < 3; ++i) asker.ask({"ann", "", ""}, told);
  wait_until([&] { return busy.size() == 4; }, "the others");
  EXPECT_THAT(busy, ElementsAre(false, true, true, true));
}

// 1,000 clients of one user come at once while munged takes its time: all are answered, and another user is hardly delayed.
TEST_F(Asker, CrowdOfOneUserIsAnsweredWholeAndDelaysOthersLittle) {
  constexpr int kCrowd = 1000;
  door->shut();
  MungeAsker asker(loop, {.patience = seconds(60), .line = seconds(60)}, look_up());
  for (int i = 0; i < kCrowd; ++i) asker.ask({"ann", "", "", "uid 1000"}, heard());
  asker.ask({"bob", "", "", "uid 1001"}, heard());
  door->open();
  wait_until([&] { return answers.size() == kCrowd + 1; }, "all answers");
  EXPECT_EQ(std::count(answers.begin(), answers.end(), "ann"), kCrowd);
  EXPECT_LT(std::find(answers.begin(), answers.end(), "bob") - answers.begin(), 20);
}

TEST_F(Asker, OneAskerHasAShareOfTheLineAndLongWaitersAreToldToComeAgain) {
  door->shut();
  MungeAsker asker(loop, {.each = 2, .patience = seconds(60), .line = milliseconds(400)}, look_up());
  for (int i = 0; i < 8; ++i) asker.ask({"first", "", "", "uid 5"}, heard());  // munged has these
  ASSERT_TRUE(door->visited(1));
  for (int i = 0; i < 3; ++i) asker.ask({"ann", "", "", "uid 1000"}, heard());
  asker.ask({"bob", "", "", "uid 1001"}, heard());
  wait_until([&] { return answers.size() == 4; }, "four that could not be asked");
  EXPECT_THAT(answers.front(), HasSubstr("2 requests of uid 1000 wait already"));
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_THAT(answers[i], HasSubstr("has not come to this request in time"));
}

TEST_F(Asker, EndsWhileMungedHangsWithoutFurtherAnswers) {
  door->shut();
  auto asker = std::make_unique<MungeAsker>(loop, MungeAsker::Limits{}, look_up());
  asker->ask({"ann", "", ""}, heard());
  ASSERT_TRUE(door->visited(1));
  asker->ask({"bob", "", ""}, heard());
  asker.reset();  // and does not wait for the thread
  door->open();
  loop.poll();
  EXPECT_TRUE(answers.empty());
}

TEST_F(Asker, CallbackMayEndItOrAskAgain) {
  auto asker = std::make_unique<MungeAsker>(loop, MungeAsker::Limits{}, look_up());
  asker->ask({"ann", "", ""}, [&](const MungeAsker::Answer&) {
    asker->ask({"bob", "", ""}, [&](const MungeAsker::Answer& who) {
      answers.push_back(who->name);
      asker.reset();
    });
  });
  wait_until([&] { return !answers.empty(); }, "the second answer");
  EXPECT_THAT(answers, ElementsAre("bob"));
}

// libmunge itself, at a socket where nobody answers.
TEST_F(Asker, ARealLibraryAtASocketThatHangs) {
  char directory[] = "/tmp/rollcall-asker.XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
  const Descriptor hung(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(hung.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(hung.get(), 16), 0);
  {
    MungeAsker asker(loop, {.patience = milliseconds(300)});
    asker.ask({"MUNGE:AAAA:", "hash", address.sun_path}, heard());
    wait_until([&] { return !answers.empty(); }, "the refusal");
    EXPECT_THAT(answers.front(), HasSubstr("did not answer within 0.3 s"));
  }
  std::filesystem::remove_all(directory);
}

TEST(UserName, IsOfThisHost) {
  EXPECT_EQ(user_name(0), "root");
  EXPECT_EQ(user_name(54321), "") << "a user that no machine has";
}

}  // namespace
}  // namespace rollcall::io
