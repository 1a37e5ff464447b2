// Killing or stopping any process of a task leaves no process behind and loses no report.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <cstdio>

#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace rollcall::taskstarter::test {
namespace {

class TaskStarterLost : public Stage {
 protected:
  static void expect_gone(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids)
      wait_until("process " + std::to_string(pid) + " to be gone", [&] { return !alive(pid); });
  }
};

TEST_F(TaskStarterLost, AKilledOuterLevelLeavesNothing) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  auto pids = pids_in(starter.line("the task's set-up"));
  starter.signal(SIGKILL);
  const auto lost = pam.next("the loss of the starter");
  EXPECT_EQ(lost.starter_lost().pid(), starter.pid());
  EXPECT_EQ(pam.ended().value(), SIGKILL);
  pids.push_back(told.inner_pid());
  expect_gone(pids);
}

TEST_F(TaskStarterLost, AKilledInnerLevelLeavesNothing) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  kill(told.inner_pid(), SIGKILL);
  EXPECT_FALSE(pam.next_or_end("the end of the connection"))
      << "no TaskStarter is left that could report the end";
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
  expect_gone(pids);
}

TEST_F(TaskStarterLost, BothLevelsKilledWhileTheOuterOneIsStopped) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  pam.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  starter.signal(SIGSTOP);
  starter.signal(SIGKILL);
  pam.ended();
  expect_gone(pids);
}

TEST_F(TaskStarterLost, AKilledTaskTakesItsDescendantsAlong) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  pam.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  kill(pids[0], SIGKILL);
  const auto ended = pam.ended();
  EXPECT_EQ(ended.value(), SIGKILL);
  EXPECT_EQ(ended.leftovers(), 2U);
  expect_gone(pids);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

TEST_F(TaskStarterLost, EndsWhatATaskLeavesBehind) {
  for (const std::string mode : {"short", "long", "stubborn"}) {
    Program starter(plan({probe(), "leave", mode}));
    auto pam = pam_.accept();
    pam.registration();
    const auto left = pids_in(starter.line("the task's end"));
    const auto ended = pam.ended();
    EXPECT_EQ(ended.value(), 3);
    EXPECT_EQ(ended.leftovers(), mode == "short" ? 0U : 1U) << mode;
    expect_gone(left);
    EXPECT_EQ(starter.wait(), ExitStatus::exited(3));
  }
}

TEST_F(TaskStarterLost, AStoppedOuterLevelStillTellsTheEnd) {
  Program starter(plan({probe(), "stubborn"}));
  auto pam = pam_.accept();
  pam.registration();
  starter.line("the task's set-up");
  starter.signal(SIGSTOP);
  wait_until("the stop of the outer level", [&] { return state_of(starter.pid()) == 'T'; });
  pam.end_task(0);
  EXPECT_EQ(pam.ended().value(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

TEST_F(TaskStarterLost, AStoppedInnerLevelLosesNothing) {
  Program starter(plan({probe(), "signals"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  starter.line("the task's set-up");
  kill(told.inner_pid(), SIGSTOP);
  wait_until("the stop of the inner level", [&] { return state_of(told.inner_pid()) == 'T'; });
  starter.signal(SIGUSR1);
  pam.deliver(1, SIGUSR2);
  kill(told.inner_pid(), SIGCONT);
  std::vector<std::string> got{starter.line("a signal"), starter.line("a signal")};
  // Continuing the inner level is a signal that somebody sent to the job.
  if (got[0] == "got 18") got = {got[1], starter.line("a signal")};
  if (got[1] == "got 18") got[1] = starter.line("a signal");
  EXPECT_THAT(got, ::testing::UnorderedElementsAre("got 10", "got 12"));
  pam.end_task(0);
  EXPECT_EQ(pam.ended().value(), SIGKILL);
}

TEST_F(TaskStarterLost, AStoppedTaskHasNotEnded) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  pam.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  kill(pids[0], SIGSTOP);
  wait_until("the task's stop", [&] { return state_of(pids[0]) == 'T'; });
  EXPECT_TRUE(starter.running());
  kill(pids[0], SIGKILL);
  EXPECT_EQ(pam.next("the end").task_ended().value(), SIGKILL) << "expected no earlier report";
}

// A launcher in between that starts the starter and stays until it is killed.
Program::Plan under_a_shell(Program::Plan plan, const std::string& script) {
  std::vector<std::string> words{"/bin/sh", "-c", script, "sh"};
  words.insert(words.end(), plan.words.begin(), plan.words.end());
  plan.words = words;
  return plan;
}

TEST_F(TaskStarterLost, AKilledParentIsTold) {
  Program launcher(under_a_shell(plan({probe(), "nest"}), "trap '' INT; \"$@\"; exit"));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  EXPECT_EQ(told.parent_pid(), launcher.pid());
  EXPECT_EQ(told.parent_name(), "sh");
  launcher.signal(SIGKILL);
  const auto message = pam.next("the loss of the parent");
  ASSERT_TRUE(message.has_parent_lost());
  EXPECT_EQ(message.parent_lost().pid(), launcher.pid());
  EXPECT_EQ(message.parent_lost().name(), "sh");
  EXPECT_EQ(message.parent_lost().cause(), wire::ParentLost::SIGNALED);
  EXPECT_EQ(message.parent_lost().value(), SIGKILL);
  EXPECT_TRUE(alive(told.task_pid())) << "pam decides what the loss means";
  pam.end_task(0);
  pam.ended();
}

TEST_F(TaskStarterLost, AParentThatIsReapedAtOnceIsTold) {
  Program launcher(under_a_shell(plan({probe(), "nest"}), "\"$@\"; exit"));
  auto pam = pam_.accept();
  pam.registration();
  launcher.signal(SIGTERM);
  EXPECT_EQ(launcher.wait(), ExitStatus::signaled(SIGTERM));
  const auto message = pam.next("the loss of the parent");
  EXPECT_EQ(message.parent_lost().cause(), wire::ParentLost::SIGNALED);
  EXPECT_EQ(message.parent_lost().value(), SIGTERM);
  EXPECT_FALSE(message.parent_lost().background());
}

// Since Linux 6.15 a pidfd says how its process has ended after that has been waited for.
bool kernel_tells_of_the_dead() {
  utsname name{};
  int major = 0, minor = 0;
  uname(&name);
  return std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 15));
}

// A helper of a launcher that starts a task and ends: what it did is known, however soon it did it.
TEST_F(TaskStarterLost, AParentThatLeavesWhileWeBeginIsToldWithItsCode) {
  if (!kernel_tells_of_the_dead()) GTEST_SKIP() << "this kernel forgets how a process has ended";
  for (int run = 0; run < 40; ++run) {
    auto plan = this->plan({probe(), "exit", "0"});
    plan.words.insert(plan.words.begin(), {probe(), "start"});
    Program helper(plan);
    auto pam = pam_.accept();
    pam.registration();
    while (const auto message = pam.next_or_end("the task's end")) {
      if (message->has_parent_lost()) {
        ASSERT_EQ(message->parent_lost().cause(), wire::ParentLost::EXITED) << "in run " << run;
        EXPECT_EQ(message->parent_lost().value(), 0);
      }
      if (message->has_task_ended()) break;
    }
    EXPECT_EQ(helper.wait(), ExitStatus::exited(0));
  }
}

TEST_F(TaskStarterLost, AParentThatLeavesItInTheBackgroundIsToldWithItsCode) {
  const std::string go = key_.directory + "/go";
  mkfifo(go.c_str(), 0600);
  auto plan = under_a_shell(this->plan({probe(), "nest"}), "\"$@\" & read word < \"$GO\"; exit 5");
  plan.variables["GO"] = go;
  Program launcher(plan);
  auto pam = pam_.accept();
  pam.registration();
  const io::Descriptor writer(open(go.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(write(writer.get(), "go\n", 3), 3);
  const auto message = pam.next("the loss of the parent");
  EXPECT_TRUE(message.parent_lost().background());
  EXPECT_EQ(message.parent_lost().cause(), wire::ParentLost::EXITED);
  EXPECT_EQ(message.parent_lost().value(), 5);
  unlink(go.c_str());
}

}  // namespace
}  // namespace rollcall::taskstarter::test
