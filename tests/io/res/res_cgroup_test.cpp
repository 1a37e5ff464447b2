// The cgroup that each job of RES has where one can be made: nothing escapes it, and what it counts is not missed. And RES
// where none can be made.
#include <signal.h>

#include <fstream>

#include "common/io/process_tree.hpp"
#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;

std::string cgroup_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "";
}

#define NEEDS_CGROUPS()                                                       \
  start_res();                                                                \
  if (const std::string why = why_no_cgroups();                               \
      why.find("no version 2") != why.npos || why.find("cannot") != why.npos) \
  GTEST_SKIP() << "no cgroup can be made here: " << why

class ResCgroup : public ResStage {
 protected:
  // A job whose only process is in no session of the job's, has another parent, and has cleared its environment.
  void start_fugitive() {
    start(job("env -i setsid sh -c '(exec sleep 1000) & echo $! > fled; wait' & echo > ready; wait"));
    fled_ = std::stoi(wait_for_file("fled"));
    wait_for_file("ready");
    wait_for_running();
  }
  pid_t fled_ = -1;
};

TEST_F(ResCgroup, AJobIsInOneWithItsShepherdAndNotItsGuard) {
  NEEDS_CGROUPS();
  start_fugitive();
  const std::string slot = cgroup_of(fled_);
  EXPECT_THAT(slot, testing::ContainsRegex("/rollcall-res-[0-9a-f]{8}/slot-0$"));
  EXPECT_EQ(cgroup_of(shepherd_of()), slot);
  EXPECT_NE(cgroup_of(guard_of()), slot);
  start(job("grep ^0:: /proc/self/cgroup", 2));
  wait_for_over(2);
  EXPECT_THAT(text("out.2"), HasSubstr("/slot-1\n"));
  kill_job();
  wait_for_over(1);
  wait_until_gone(fled_);
}

TEST_F(ResCgroup, EndsWhatGuardAndShepherdLeaveTogether) {
  NEEDS_CGROUPS();
  start_fugitive();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  for (const int signo : {SIGSTOP, SIGKILL})
    for (const pid_t pid : {guard, shepherd}) kill(pid, signo);
  wait_until_gone(fled_);
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
}

TEST_F(ResCgroup, NextResEndsWhatGuardShepherdAndResLeave) {
  NEEDS_CGROUPS();
  start_fugitive();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  kill_res(SIGKILL);
  for (const int signo : {SIGSTOP, SIGKILL})
    for (const pid_t pid : {guard, shepherd}) kill(pid, signo);
  EXPECT_TRUE(lives(fled_)) << "no process is left that could end it";
  heard_.clear();
  start_res();
  wait_until_gone(fled_);
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
}

TEST_F(ResCgroup, AJobThatResFindsAgainKeepsItsOwn) {
  NEEDS_CGROUPS();
  start_fugitive();
  const std::string slot = cgroup_of(fled_);
  kill_res(SIGKILL);
  start_res();
  EXPECT_TRUE(lives(fled_));
  EXPECT_EQ(cgroup_of(fled_), slot);
  kill_job();
  wait_for_over();
  wait_until_gone(fled_);
}

// A process that ignores SIGCHLD loses its children's CPU time; the kernel's count for the cgroup has it.
TEST_F(ResCgroup, CountsCpuTimeOfUnreapedChildren) {
  NEEDS_CGROUPS();
  write("burn.py",
        "import os, signal, time\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(10):\n"
        "  if os.fork() == 0:\n"
        "    while time.process_time() < 0.1: pass\n"
        "    os._exit(0)\n"
        "  try: os.wait()\n"
        "  except ChildProcessError: pass\n");
  start(job("python3 " + path("burn.py")));
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 0);
  EXPECT_GT(over.usage().user_s() + over.usage().system_s(), 0.95);
}

TEST_F(ResCgroup, ResLeavesNoDirectoryBehind) {
  NEEDS_CGROUPS();
  start(job("grep ^0:: /proc/self/cgroup"));
  wait_for_over();
  acknowledge();
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
  const std::string log = text("log"), word = "jobs have cgroups in ";
  const auto at = log.find(word) + word.size();
  const std::string folder = log.substr(at, log.find(',', at) - at);
  ASSERT_EQ(access(folder.c_str(), F_OK), 0) << folder;
  kill_res(SIGTERM);
  EXPECT_NE(access(folder.c_str(), F_OK), 0);
}

TEST_F(ResCgroup, NoneWhereTheyAreTurnedOff) {
  configure("ROLLCALL_JOB_CGROUPS=N");
  start_res();
  EXPECT_THAT(text("log"), HasSubstr("jobs have no cgroup (ROLLCALL_JOB_CGROUPS is N)"));
  start(job("grep ^0:: /proc/self/cgroup || true"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), testing::Not(HasSubstr("slot-")));
}

}  // namespace
}  // namespace rollcall::res::test
