// run_program: how a helper ended, what it said, and that it leaves no process behind.
#include "common/io/run_program.hpp"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <chrono>
#include <string>
#include <variant>

#include "common/io/child.hpp"

namespace rollcall::io {
namespace {

using namespace std::chrono_literals;

constexpr CollectLimits kAmple{20s, 1 << 20};

SpawnPlan shell(const std::string& script) {
  SpawnPlan plan;
  plan.argv = {"/bin/sh", "-c", script};
  sigemptyset(&plan.mask);
  return plan;
}

class RunProgram : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_LT(waitpid(-1, nullptr, WNOHANG), 0) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
  }

  static int status_of(const SpawnPlan& plan) { return std::get<int>(run_program(plan)); }
};

TEST_F(RunProgram, TellsExitCodeAndSignalApart) {
  const int nine = status_of(shell("exit 9"));
  EXPECT_TRUE(WIFEXITED(nine));
  EXPECT_EQ(WEXITSTATUS(nine), 9);
  const int killed = status_of(shell("kill -9 $$"));
  EXPECT_TRUE(WIFSIGNALED(killed));
  EXPECT_EQ(WTERMSIG(killed), SIGKILL);
}

TEST_F(RunProgram, TellsStageAndErrnoOfAFailedExec) {
  SpawnPlan plan = shell("");
  plan.argv = {"/no/such/program"};
  const auto ran = run_program(plan);
  ASSERT_TRUE(std::holds_alternative<SpawnError>(ran));
  EXPECT_EQ(std::get<SpawnError>(ran).stage, SpawnStage::execute);
  EXPECT_EQ(std::get<SpawnError>(ran).error, ENOENT);
}

TEST_F(RunProgram, WaitsOnAfterASignal) {
  struct sigaction interrupts {
  }, before{};
  interrupts.sa_handler = [](int) {};  // without SA_RESTART: waitpid ends with EINTR
  ASSERT_EQ(sigaction(SIGALRM, &interrupts, &before), 0);
  const itimerval often{{0, 5000}, {0, 5000}}, never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  const int status = status_of(shell("sleep 0.1; exit 4"));
  const auto collected = run_and_collect(shell("sleep 0.1; echo said; exit 5"), kAmple);
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(std::get<Collected>(collected).output, "said\n");
  EXPECT_EQ(WEXITSTATUS(std::get<Collected>(collected).wait_status), 5);
}

TEST_F(RunProgram, CollectsMoreThanAPipeHolds) {
  const auto ran = run_and_collect(shell("head -c 300000 /dev/zero; exit 3"), kAmple);
  EXPECT_EQ(std::get<Collected>(ran).output.size(), 300'000U);
  EXPECT_EQ(WEXITSTATUS(std::get<Collected>(ran).wait_status), 3);
}

TEST_F(RunProgram, KillsAProgramThatIsSilentForTooLong) {
  const auto ran = run_and_collect(shell("echo begun; exec sleep 1000"), {100ms, 1 << 20});
  EXPECT_EQ(std::get<Collected>(ran).output, "begun\n");
  EXPECT_EQ(WTERMSIG(std::get<Collected>(ran).wait_status), SIGKILL);
}

TEST_F(RunProgram, KillsAProgramThatWritesTooMuch) {
  const auto ran = run_and_collect(shell("exec cat /dev/zero"), {20s, 10'000});
  EXPECT_LT(std::get<Collected>(ran).output.size(), 30'000U);
  EXPECT_EQ(WTERMSIG(std::get<Collected>(ran).wait_status), SIGKILL);
}

TEST_F(RunProgram, StatusOfAStrangersProcessIsUnknown) { EXPECT_EQ(wait_for_end(1), kChildStatusUnknown); }

}  // namespace
}  // namespace rollcall::io
