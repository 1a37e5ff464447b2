// Child: how processes end, and that each end is handed over once.
#include "common/io/child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rollcall::io {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;

SpawnPlan shell(const std::string& script) {
  SpawnPlan plan;
  plan.argv = {"sh", "-c", script};
  return plan;
}

// Waits until the process can be reaped, and leaves it.
void await_zombie(pid_t pid) {
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
}

bool no_child_is_left() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

int open_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 256; ++fd) count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

class ChildTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe2(gate_, O_CLOEXEC), 0); }
  void TearDown() override {
    open_gate();
    EXPECT_TRUE(no_child_is_left());
  }

  Child start(const SpawnPlan& plan) {
    auto started = Child::start(loop_, plan, [this](int status) { ends_.push_back(status); });
    EXPECT_TRUE(std::holds_alternative<Child>(started));
    auto* child = std::get_if<Child>(&started);
    return child == nullptr ? Child() : std::move(*child);
  }
  // The script follows when the gate is opened.
  SpawnPlan behind_gate(const std::string& script) const {
    SpawnPlan plan = shell("read line; " + script);
    plan.descriptors = {{gate_[0], 0}};
    return plan;
  }
  void open_gate() {
    for (int& end : gate_)
      if (end >= 0) close(std::exchange(end, -1));
  }
  // A child that ends after it is waited for, and before the loop has turned.
  Child start_and_end(const std::string& script) {
    Child child = start(behind_gate(script));
    open_gate();
    await_zombie(child.pid());
    return child;
  }
  // Turns the loop until `count` ends were handed over.
  void await_ends(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (ends_.size() < count && std::chrono::steady_clock::now() < until)
      loop_.restart(), loop_.run_one_for(100ms);
    ASSERT_EQ(ends_.size(), count) << "waited for the end of a process";
  }
  // Turns the loop until it has no work.
  void run_out() {
    loop_.restart();
    loop_.run_for(kPatience);
    ASSERT_TRUE(loop_.stopped());
  }

  boost::asio::io_context loop_{1};
  std::vector<int> ends_;
  int gate_[2] = {-1, -1};
};

TEST_F(ChildTest, TellsTheExitCode) {
  const Child child = start(shell("exit 7"));
  await_ends(1);
  EXPECT_TRUE(WIFEXITED(ends_[0]));
  EXPECT_EQ(WEXITSTATUS(ends_[0]), 7);
}

TEST_F(ChildTest, TellsExitNineFromSignalNine) {
  const Child exits = start(shell("exit 9"));
  await_ends(1);
  const Child killed = start(shell("kill -9 $$"));
  await_ends(2);
  EXPECT_TRUE(WIFEXITED(ends_[0]));
  EXPECT_TRUE(WIFSIGNALED(ends_[1]));
  EXPECT_EQ(WTERMSIG(ends_[1]), SIGKILL);
}

TEST_F(ChildTest, FailedExecTellsStageAndErrnoAndLeavesNoZombie) {
  const int before = open_descriptors();
  SpawnPlan plan;
  plan.argv = {"/nonexistent/program"};
  const auto started = Child::start(loop_, plan, [this](int status) { ends_.push_back(status); });
  const auto* error = std::get_if<SpawnError>(&started);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->stage, SpawnStage::execute);
  EXPECT_EQ(error->error, ENOENT);
  EXPECT_TRUE(no_child_is_left());
  EXPECT_EQ(open_descriptors(), before);
  run_out();
  EXPECT_TRUE(ends_.empty());
}

TEST_F(ChildTest, ProcessThatEndsBeforeTheLoopRunsIsToldOnce) {
  const Child child = start_and_end("exit 3");
  EXPECT_TRUE(ends_.empty());
  run_out();
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(WEXITSTATUS(ends_[0]), 3);
}

TEST_F(ChildTest, EndIsToldOnceWhoeverReaps) {
  const Child child = start_and_end("exit 4");
  reap_others(loop_);
  EXPECT_TRUE(ends_.empty()) << "the pidfd is to tell it";
  reap_all(loop_);
  ASSERT_EQ(ends_.size(), 1U);
  reap_all(loop_);
  reap_others(loop_);
  run_out();
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(WEXITSTATUS(ends_[0]), 4);
}

// Some of them have ended before they are waited for.
TEST_F(ChildTest, ShortLivedChildrenAreEachToldOnce) {
  SpawnPlan plan;
  plan.argv = {"/bin/false"};
  std::vector<Child> children;
  for (int i = 0; i < 50; ++i) children.push_back(start(plan));
  await_ends(50);
  run_out();
  EXPECT_EQ(ends_, std::vector<int>(50, 1 << 8));
}

TEST_F(ChildTest, PidIsGoneWithTheEnd) {
  Child child = start(behind_gate("exit 0"));
  EXPECT_GT(child.pid(), 0);
  EXPECT_TRUE(child);
  child.signal(SIGTERM);
  await_ends(1);
  EXPECT_EQ(WTERMSIG(ends_[0]), SIGTERM);
  EXPECT_FALSE(child);
  EXPECT_EQ(child.pid(), -1);
  child.signal(SIGKILL);
  child.reset();
}

TEST_F(ChildTest, DroppedChildRunsOnAndIsReapedUntold) {
  {
    const Child child = start(behind_gate("exit 5"));
    EXPECT_EQ(kill(child.pid(), 0), 0);
  }
  loop_.run_for(1ms);
  EXPECT_FALSE(no_child_is_left()) << "dropping its Child does not end a process";
  open_gate();
  run_out();
  EXPECT_TRUE(ends_.empty());
}

TEST_F(ChildTest, CallbackMayDropItsOwnChildAndStartTheNext) {
  std::optional<Child> first;
  Child second;
  auto started = Child::start(loop_, shell("exit 0"), [&](int status) {
    ends_.push_back(status);
    first.reset();
    second = start(shell("exit 1"));
  });
  first = std::get<Child>(std::move(started));
  await_ends(2);
  EXPECT_EQ(WEXITSTATUS(ends_[1]), 1);
}

TEST_F(ChildTest, ForkedChildIsToldAsAStartedOne) {
  const pid_t pid = fork();
  if (pid == 0) _exit(7);
  const Child child = Child::adopt(loop_, pid, [this](int status) { ends_.push_back(status); });
  EXPECT_EQ(child.pid(), pid);
  await_ends(1);
  EXPECT_EQ(WEXITSTATUS(ends_[0]), 7);
  EXPECT_FALSE(child);
}

TEST_F(ChildTest, ChildOutlivesItsLoop) {
  auto loop = std::make_unique<boost::asio::io_context>(1);
  auto started = Child::start(*loop, behind_gate("exit 0"), [this](int status) { ends_.push_back(status); });
  Child child = std::get<Child>(std::move(started));
  const pid_t pid = child.pid();
  loop.reset();
  child.signal(SIGKILL);
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  child.reset();
  EXPECT_TRUE(ends_.empty());
}

TEST_F(ChildTest, AnotherPartThatWaitsLeavesTheStatusUnknown) {
  const Child child = start(behind_gate("exit 0"));
  loop_.poll();
  child.signal(SIGKILL);
  ASSERT_EQ(waitpid(child.pid(), nullptr, 0), child.pid());
  await_ends(1);
  EXPECT_EQ(ends_[0], kChildStatusUnknown);
}

TEST_F(ChildTest, OrphansOfASubreaperAreReapedAndOwnChildrenToldOnce) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  boost::asio::signal_set signals(loop_, SIGCHLD);
  const std::function<void()> await = [&] {
    signals.async_wait([&](const auto& error, int) {
      if (error) return;
      reap_others(loop_);
      await();
    });
  };
  await();
  SpawnPlan plan = shell("(read line <&3) & (exit 1) & exit 6");
  plan.descriptors = {{gate_[0], 3}};
  const Child child = start(plan);
  await_ends(1);
  EXPECT_EQ(WEXITSTATUS(ends_[0]), 6);
  open_gate();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!no_child_is_left() && std::chrono::steady_clock::now() < until)
    loop_.restart(), loop_.run_one_for(100ms);
  EXPECT_TRUE(no_child_is_left());
  EXPECT_EQ(ends_.size(), 1U);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(ChildTest, WithoutAFreeDescriptorTheEndComesWithSigchld) {
  loop_.poll();
  const Child sooner = start(shell("exit 0"));  // the loop has what it needs
  await_ends(1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  SpawnPlan plan = shell("exit 8");
  plan.open_files = before;
  const Child child = start(plan);
  setrlimit(RLIMIT_NOFILE, &before);
  await_zombie(child.pid());
  run_out();
  EXPECT_EQ(ends_.size(), 1U) << "there should have been no descriptor for a pidfd";
  reap_others(loop_);
  ASSERT_EQ(ends_.size(), 2U);
  EXPECT_EQ(WEXITSTATUS(ends_[1]), 8);
}

}  // namespace
}  // namespace rollcall::io
