// The cgroup that each job of RES has where one can be made: nothing escapes it, and what it counts is not missed. And RES
// where none can be made.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "common/io/cgroup_files.hpp"
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

// Where the kernel's names of cgroups begin.
std::string own_mount() {
  const std::string own = io::own_cgroup(), name = cgroup_of(getpid());
  return name == "/" ? own : own.substr(0, own.size() - name.size());
}

struct Facts {
  char state = ' ';
  long ticks = 0;  // of CPU time
};
Facts process_facts(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  Facts facts;
  std::string skipped;
  fields >> facts.state;
  for (int number = 4; number < 14; ++number) fields >> skipped;
  long user = 0, system = 0;
  fields >> user >> system;
  facts.ticks = user + system;
  return facts;
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

// The user of a job may signal its processes. Those of a preempted job would run on slots that another job has.
TEST_F(ResCgroup, AStoppedJobThatItsUserContinuesIsFrozen) {
  NEEDS_CGROUPS();
  start(job("echo $$ > burns; while :; do :; done"));
  const pid_t burns = std::stoi(wait_for_file("burns"));
  wait_for_running();
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::SUSPEND);
  signal(order);
  wait_until("the stop", [&] { return process_facts(burns).state == 'T'; });
  const auto is_inside = [&] { return cgroup_of(burns).ends_with("/suspended"); };
  wait_until("it to be found running and frozen", [&] { return kill(burns, SIGCONT) == 0 && is_inside(); });
  const auto frozen = [&] {
    std::ifstream events(own_mount() + cgroup_of(burns) + "/cgroup.events");
    return std::string(std::istreambuf_iterator<char>(events), {}).find("frozen 1") != std::string::npos;
  };
  wait_until("all of it to be frozen", frozen);
  const auto ticks = process_facts(burns).ticks;
  for (int i = 0; i < 10'000; ++i) kill(burns, SIGCONT);
  EXPECT_EQ(process_facts(burns).ticks, ticks) << "it gains no time, however often it is continued";
  EXPECT_THAT(text("log"), HasSubstr("processes of job 1 run although it is suspended"));
  order.set_action(wire::ToRes::SignalJob::RESUME);
  signal(order);
  wait_until("it to go on", [&] { return process_facts(burns).ticks > ticks + 1; });
  order.set_action(wire::ToRes::SignalJob::SUSPEND);
  signal(order);
  wait_until("the next stop", [&] { return process_facts(burns).state == 'T'; });
  wait_until("the freeze", [&] { return kill(burns, SIGCONT) == 0 && frozen(); });
  kill_job();
  wait_for_over();
  wait_until_gone(burns);
}

TEST_F(ResCgroup, AStoppedJobThatItsUserContinuesIsStoppedAgainWithoutOne) {
  configure("ROLLCALL_JOB_CGROUPS=N");
  start_res();
  start(job("echo $$ > burns; while :; do :; done"));
  const pid_t burns = std::stoi(wait_for_file("burns"));
  wait_for_running();
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::SUSPEND);
  signal(order);
  for (int time = 0; time < 3; ++time) {
    wait_until("the stop", [&] { return process_facts(burns).state == 'T'; });
    kill(burns, SIGCONT);
    wait_until("it to go on", [&] { return process_facts(burns).state != 'T'; });
  }
  const std::string log = text("log");
  const auto at = log.find("run although it is suspended");
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find("run although it is suspended", at + 1), std::string::npos) << "it is said once";
  kill_job();
  wait_for_over();
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
