// A user database that hangs holds up nobody but those who are asked about (res/daemon/identities.hpp).
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "res/daemon/identities.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;

// A database that answers when it is let.
struct Database {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = true;
  std::atomic<int> asked{0};

  Result<Identity> look_up(const Account& account) {
    ++asked;
    const uid_t uid = std::holds_alternative<uid_t>(account) ? std::get<uid_t>(account) : 7;
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return open; });
    if (uid == 404) return internal_error("no such user");
    return Identity{uid, 100, {100}, "user" + std::to_string(uid), "/home", "/bin/sh", "users"};
  }
  void set(bool answers) {
    const std::lock_guard lock(mutex);
    open = answers;
    changed.notify_all();
  }
};

class ResIdentities : public ::testing::Test {
 protected:
  void make(Duration patience) {
    identities_.emplace(loop_, io::SideThread::Limits{16, patience},
                        [database = database_](const Account& account) { return database->look_up(account); });
  }
  ~ResIdentities() override { database_->set(true); }
  void ask(const Account& account) {
    identities_->find(account, [this](const Result<Identity>& found) {
      told_.push_back(found ? found->name : "error: " + found.error().text);
    });
  }
  void wait_for(std::size_t number) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (told_.size() < number) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "waited for answer " << number;
      loop_.restart();
      loop_.run_for(10ms);
    }
  }

  std::shared_ptr<Database> database_ = std::make_shared<Database>();
  boost::asio::io_context loop_{1};
  std::optional<Identities> identities_;
  std::vector<std::string> told_;
};

TEST_F(ResIdentities, LooksUpAUserOnce) {
  make(30s);
  ask(uid_t{5});
  ask(uid_t{5});
  EXPECT_TRUE(told_.empty()) << "not in the loop";
  wait_for(2);
  EXPECT_EQ(told_, (std::vector<std::string>{"user5", "user5"}));
  ask(uid_t{5});
  EXPECT_EQ(told_.size(), 3U) << "at once";
  EXPECT_EQ(database_->asked, 1);
}

TEST_F(ResIdentities, LooksUpAMissingUserAgain) {
  make(30s);
  ask(uid_t{404});
  wait_for(1);
  EXPECT_EQ(told_.back(), "error: no such user");
  ask(uid_t{404});
  wait_for(2);
  EXPECT_EQ(database_->asked, 2);
}

TEST_F(ResIdentities, NamesAndNumbersAreKeptApart) {
  make(30s);
  ask(uid_t{7});
  ask(std::string("user7"));
  wait_for(2);
  EXPECT_EQ(database_->asked, 2);
}

TEST_F(ResIdentities, AnUnknownNameIsNamedInTheError) {
  const auto found = look_up_identity(std::string("no\x1bsuch"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text, "this host has no user \"no\\x1bsuch\"");
}

TEST_F(ResIdentities, TheLoopGoesOnWhileTheDatabaseHangs) {
  make(200ms);
  ask(uid_t{5});
  wait_for(1);
  database_->set(false);
  ask(uid_t{9});
  ask(uid_t{5});
  EXPECT_EQ(told_.back(), "user5") << "a known user is answered at once";
  bool turned = false;
  boost::asio::post(loop_, [&] { turned = true; });
  loop_.restart();
  loop_.poll();
  EXPECT_TRUE(turned);
  wait_for(3);
  EXPECT_NE(told_.back().find("number 9"), std::string::npos) << told_.back();
  EXPECT_NE(told_.back().find("does not answer"), std::string::npos) << told_.back();
}

TEST_F(ResIdentities, TheRealDatabaseKnowsWhoRunsThis) {
  const auto found = look_up_identity(geteuid());
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->uid, geteuid());
  EXPECT_FALSE(found->groups.empty());
  const auto named = look_up_identity(found->name);
  ASSERT_TRUE(named) << named.error().text;
  EXPECT_EQ(named->uid, geteuid());
}

}  // namespace
}  // namespace rollcall::res
