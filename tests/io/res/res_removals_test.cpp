// Directories of jobs that are over: they go when no job starts, or when they are many; what lies in a user's part of them is
// removed as that user.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "res/daemon/removals.hpp"

namespace rollcall::res {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class RemovalsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(top_.data()), nullptr); }
  void TearDown() override { fs::remove_all(top_); }

  Removals removals(Removals::Pace pace) {
    return {loop_, io::Descriptor(open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), pace, mask_,
            [this](const std::vector<LeftDirectory>& left) {
              left_.insert(left_.end(), left.begin(), left.end());
            }};
  }
  std::string filled(const std::string& name) {
    fs::create_directories(top_ + "/" + name + "/u/deep");
    std::ofstream(top_ + "/" + name + "/u/deep/file") << "x";
    return name;
  }
  bool there(const std::string& name) const { return fs::exists(top_ + "/" + name); }
  // Turns the loop until it is gone; false after ten seconds.
  bool goes(const std::string& name) {
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (there(name) && std::chrono::steady_clock::now() < until) loop_.run_one_for(10ms), loop_.restart();
    return !there(name);
  }

  // The part of a user in it.
  std::string users(const std::string& name, uid_t user) {
    filled(name);
    for (const char* path : {"/u", "/u/deep", "/u/deep/file"}) own(name + path, user);
    return name;
  }
  void own(const std::string& path, uid_t user) {
    ASSERT_EQ(lchown((top_ + "/" + path).c_str(), user, user), 0) << path;
  }
  void turn_until(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!done() && std::chrono::steady_clock::now() < until) loop_.run_one_for(10ms), loop_.restart();
    EXPECT_TRUE(done());
  }

  sigset_t mask_{};
  std::vector<LeftDirectory> left_;
  std::string top_ = "/tmp/res_removals_test.XXXXXX";
  boost::asio::io_context loop_;
};

TEST_F(RemovalsTest, GoWhenItIsQuiet) {
  auto removals = this->removals({.quiet = 1ms, .most = 10});
  removals.add(filled("a"));
  removals.add(filled("b"));
  EXPECT_TRUE(goes("a"));
  EXPECT_TRUE(goes("b"));
  removals.add(filled("c"));
  EXPECT_TRUE(goes("c")) << "a second time as well";
}

TEST_F(RemovalsTest, StayWhileJobsStart) {
  auto removals = this->removals({.quiet = 1ms, .most = 10});
  removals.add(filled("a"));
  for (int i = 0; i < 3; ++i) {
    removals.job_starts();
    ASSERT_EQ(loop_.run_one_for(10s), 1u) << "it looks";
    EXPECT_TRUE(there("a"));
  }
  EXPECT_TRUE(goes("a"));
}

TEST_F(RemovalsTest, AreNotHoardedOnABusyHost) {
  auto removals = this->removals({.quiet = 1h, .most = 3});
  for (const char* name : {"a", "b", "c"}) {
    removals.job_starts();
    removals.add(filled(name));
  }
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(goes(name)) << name;
}

// ---- as root, with parts of two users

constexpr uid_t kAlice = 4242, kBob = 4243;

class RemovalsOfUsers : public RemovalsTest {
 protected:
  void SetUp() override {
    RemovalsTest::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to have directories of two users";
    chmod(top_.c_str(), 0711);
  }
  Removals removals(Removals::Pace pace = {.quiet = 1ms}) {
    return {loop_, io::Descriptor(open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), pace, mask_,
            [this](const std::vector<LeftDirectory>& left) {
              left_.insert(left_.end(), left.begin(), left.end());
            }};
  }
};

TEST_F(RemovalsOfUsers, FilesOfTheUserAreRemoved) {
  auto removals = this->removals();
  removals.set_program(ROLLCALL_SHEPHERD, {});
  removals.add(users("a", kAlice));
  removals.add(users("b", kBob));
  chmod((top_ + "/b/u/deep").c_str(), 0);
  chmod((top_ + "/b/u").c_str(), 0);
  EXPECT_TRUE(goes("a"));
  EXPECT_TRUE(goes("b")) << "a directory without permissions is its owner's to remove";
  EXPECT_TRUE(left_.empty());
}

TEST_F(RemovalsOfUsers, FilesOfAnotherUserStayAndAreNamed) {
  auto removals = this->removals();
  removals.set_program(ROLLCALL_SHEPHERD, {});
  users("a", kAlice);
  fs::create_directories(top_ + "/a/u/moved/bobs");
  std::ofstream(top_ + "/a/u/moved/bobs/thesis") << "x";
  own("a/u/moved", kAlice);
  for (const char* path : {"a/u/moved/bobs", "a/u/moved/bobs/thesis"}) own(path, kBob);
  removals.add("a");
  removals.add(users("b", kBob));
  EXPECT_TRUE(goes("b")) << "one user's holds up no other's";
  turn_until([&] { return !left_.empty(); });
  ASSERT_EQ(left_.size(), 1u);
  EXPECT_EQ(left_[0].name, "gone.left.a");
  EXPECT_EQ(left_[0].user, kAlice);
  EXPECT_EQ(left_[0].found, "1 entries stay there, among them \"moved/bobs/thesis: Permission denied\"");
  EXPECT_TRUE(there("gone.left.a/u/moved/bobs/thesis"));
  EXPECT_FALSE(there("gone.left.a/u/deep")) << "Alice's files are removed";
}

TEST_F(RemovalsOfUsers, LinksAreRemovedAndNotFollowed) {
  auto removals = this->removals();
  removals.set_program(ROLLCALL_SHEPHERD, {});
  fs::create_directories(top_ + "/kept");
  std::ofstream(top_ + "/kept/file") << "x";
  own("kept", kAlice);
  users("a", kAlice);
  fs::create_directory_symlink(top_ + "/kept", top_ + "/a/u/link");
  fs::create_directory_symlink("/", top_ + "/a/u/deep/root");
  removals.add("a");
  EXPECT_TRUE(goes("a"));
  EXPECT_TRUE(there("kept/file"));
}

TEST_F(RemovalsOfUsers, AProcessThatIsEndedTooSoonLeavesTheRestAfterItsTurns) {
  auto removals = this->removals({.quiet = 1ms, .turns = 2});
  removals.set_program("/bin/false", {});
  removals.add(users("a", kAlice));
  turn_until([&] { return !left_.empty(); });
  EXPECT_TRUE(there("gone.left.a/u/deep/file"));
}

// With a slice of no time at all each process is ended before it is done. The same tree goes where there is time.
TEST_F(RemovalsOfUsers, DirectoryThatTakesTooLongIsLeftAndNamed) {
  users("a", kAlice);
  std::string deep = "a/u/deep";
  for (int i = 0; i < 300; ++i) {
    deep += "/d";
    fs::create_directory(top_ + "/" + deep);
    own(deep, kAlice);
  }
  {
    auto hasty = this->removals({.quiet = 1ms, .slice = 0ms, .turns = 3});
    hasty.set_program(ROLLCALL_SHEPHERD, {});
    hasty.add("a");
    turn_until([&] { return !left_.empty(); });
  }
  ASSERT_EQ(left_.size(), 1u);
  EXPECT_EQ(left_[0].name, "gone.left.a");
  EXPECT_EQ(left_[0].user, kAlice);
  EXPECT_TRUE(there("gone.left.a/u"));
  auto removals = this->removals();
  removals.set_program(ROLLCALL_SHEPHERD, {});
  removals.add("gone.left.a");
  EXPECT_TRUE(goes("gone.left.a"));
}

}  // namespace
}  // namespace rollcall::res
