// A task under TaskStarter is as it would be without: what it is given, what it gets, how it ends.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace rollcall::taskstarter::test {
namespace {

using ::testing::HasSubstr;

class TaskStarterLife : public Stage {};

TEST_F(TaskStarterLife, TellsPamWhoTheTaskIs) {
  auto plan = this->plan({probe(), "exit", "3"});
  plan.variables["PMI_RANK"] = "7";
  Program starter(plan);
  auto pam = pam_.accept();
  const auto told = pam.registration();
  char host[256];
  gethostname(host, sizeof host);
  EXPECT_EQ(told.host(), host);
  EXPECT_EQ(told.starter_pid(), starter.pid());
  EXPECT_NE(told.inner_pid(), starter.pid());
  EXPECT_GT(told.task_pid(), 0);
  EXPECT_EQ(told.rank(), 7U);
  EXPECT_EQ(told.command(), probe() + " exit 3");
  EXPECT_EQ(told.parent_pid(), getpid());
  EXPECT_FALSE(told.parent_name().empty());
  EXPECT_FALSE(told.resumed());
  EXPECT_NEAR(static_cast<double>(told.start_time_us()) / 1e6, static_cast<double>(time(nullptr)), 60);
  const auto ended = pam.ended();
  EXPECT_FALSE(ended.by_signal());
  EXPECT_EQ(ended.value(), 3);
  EXPECT_GE(ended.end_time_us(), told.start_time_us());
  EXPECT_GT(ended.usage().peak_memory_bytes(), 100'000U);
  EXPECT_EQ(ended.leftovers(), 0U);
  EXPECT_TRUE(pam.closed_by_starter());
  EXPECT_EQ(starter.wait(), ExitStatus::exited(3));
  EXPECT_EQ(starter.errors(), "");
}

// Of the 0.6 s a third is the task's, a third its child's, a third that of a process that has fallen to TaskStarter.
TEST_F(TaskStarterLife, TellsWhatTheTaskAndAllThatItStartedHaveUsed) {
  Program starter(plan({probe(), "burn"}));
  auto pam = pam_.accept();
  const auto ended = pam.ended();
  EXPECT_EQ(ended.value(), 0);
  EXPECT_EQ(ended.leftovers(), 0U);
  const auto& used = ended.usage();
  EXPECT_GE(used.user_us() + used.system_us(), 590'000U) << "not one of the three may be missing";
  EXPECT_GE(used.peak_memory_bytes(), 32U << 20) << "the child's";
  EXPECT_GE(used.voluntary_switches(), 1U) << "it has waited";
}

TEST_F(TaskStarterLife, HasNoRankWhereTheLauncherGivesNone) {
  Program starter(plan({probe(), "exit", "0"}));
  EXPECT_FALSE(pam_.accept().registration().has_rank());
}

TEST_F(TaskStarterLife, ExitsAsTheTask) {
  for (const int code : {0, 1, 2, 42, 125, 126, 127, 128, 137, 255}) {
    Program starter(plan({probe(), "exit", std::to_string(code)}));
    auto pam = pam_.accept();
    EXPECT_EQ(pam.ended().value(), code);
    EXPECT_EQ(starter.wait(), ExitStatus::exited(code));
  }
}

TEST_F(TaskStarterLife, DiesOfTheTasksSignalWithoutASecondCore) {
  for (const int signo : {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGKILL, SIGSEGV, SIGPIPE,
                          SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGBUS, SIGSYS, SIGXCPU, SIGRTMIN, SIGRTMAX}) {
    auto plan = this->plan({probe(), "die", std::to_string(signo)});
    plan.prepare = [] {
      const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_CORE, &unlimited);
      if (chdir("/dev/null/nowhere") != 0 && chdir("/proc") != 0) _exit(97);  // no core can be written here
    };
    Program starter(plan);
    auto pam = pam_.accept();
    const auto ended = pam.ended();
    EXPECT_TRUE(ended.by_signal());
    EXPECT_EQ(ended.value(), signo);
    EXPECT_EQ(starter.wait(), ExitStatus::signaled(signo, false)) << signo;
  }
}

TEST_F(TaskStarterLife, TakesItsOptionsFromTheEnvironment) {
  Program starter(
      {{task_starter(), probe(), "exit", "4"},
       {{"ROLLCALL_KEY_FILE", key_.path}, {"LSF_TS_OPTIONS", "-p " + pam_.where() + " -c /nonexistent"}},
       {},
       false});
  EXPECT_EQ(pam_.accept().ended().value(), 4);
  EXPECT_EQ(starter.wait(), ExitStatus::exited(4));
}

TEST_F(TaskStarterLife, FindsTheKeyThatLsfConfNames) {
  std::ofstream(key_.directory + "/lsf.conf") << "# a site\nROLLCALL_KEY_FILE=" << key_.path << "\n";
  auto plan = this->plan({probe(), "exit", "5"});
  plan.variables = {{"ROLLCALL_KEY_FILE", ""}, {"HOME", "/nonexistent"}};
  Program starter(plan);
  EXPECT_EQ(pam_.accept().ended().value(), 5);
  unlink((key_.directory + "/lsf.conf").c_str());
}

void open_as(int wanted, const char* path) {
  const int fd = open(path, O_RDWR);
  if (fd == wanted) return;
  dup2(fd, wanted);
  close(fd);
}

// An unusual environment, as a launcher may hand it over.
void odd_start() {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signo : {SIGUSR1, SIGTSTP, SIGRTMIN + 3}) sigaddset(&mask, signo);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  for (const int signo : {SIGCHLD, SIGTTIN, SIGPIPE}) signal(signo, SIG_IGN);
  const rlimit files{777, 999};
  setrlimit(RLIMIT_NOFILE, &files);
  const rlimit stack{1 << 20, RLIM_INFINITY};
  setrlimit(RLIMIT_STACK, &stack);
  umask(0137);
  setpriority(PRIO_PROCESS, 0, 3);
  if (chdir("/usr/share") != 0) _exit(97);
  open_as(6, "/dev/null");  // PMI_FD
  open_as(200, "/dev/zero");
  setenv("ODD", "a=b\nc", 1);
}

TEST_F(TaskStarterLife, GivesTheTaskEverythingUntouched) {
  for (const auto& closed : std::vector<std::vector<int>>{{}, {0}, {0, 3, 4, 5}}) {
    const auto prepare = [closed] {
      odd_start();
      for (const int fd : closed) close(fd);
    };
    const std::vector<std::string> command{probe(), "context", "", "a b", "-p", "x\ny"};
    Program bare({command, {{"ROLLCALL_KEY_FILE", key_.path}}, prepare, false});
    const std::string expected = bare.rest();
    EXPECT_THAT(expected, HasSubstr("Max open files            777"));
    auto plan = this->plan(command);
    plan.prepare = prepare;
    Program starter(plan);
    auto pam = pam_.accept();
    pam.registration();
    EXPECT_EQ(starter.rest(), expected);
    EXPECT_EQ(pam.ended().value(), 0);
    EXPECT_EQ(starter.wait(), ExitStatus::exited(0)) << "SIGCHLD was ignored at the start";
  }
}

TEST_F(TaskStarterLife, WorksWithoutStandardStreams) {
  auto plan = this->plan({probe(), "exit", "6"});
  plan.prepare = [] {
    for (const int fd : {0, 1, 2}) close(fd);
  };
  Program starter(plan);
  EXPECT_EQ(pam_.accept().ended().value(), 6);
  EXPECT_EQ(starter.wait(), ExitStatus::exited(6));
}

TEST_F(TaskStarterLife, PassesEverySignalOnOnce) {
  Program starter(plan({probe(), "signals"}));
  auto pam = pam_.accept();
  pam.registration();
  starter.line("the task's set-up");
  for (const int signo :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGALRM, SIGURG, SIGRTMIN + 1}) {
    starter.signal(signo);
    EXPECT_EQ(starter.line("signal " + std::to_string(signo)), "got " + std::to_string(signo));
  }
  starter.signal(SIGKILL);
  EXPECT_EQ(starter.rest(), "") << "expected each signal once";
}

TEST_F(TaskStarterLife, DeliversPamsSignalsOnce) {
  Program starter(plan({probe(), "signals"}));
  auto pam = pam_.accept();
  pam.registration();
  starter.line("the task's set-up");
  std::uint32_t sequence = 0;
  for (const int signo : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH}) {
    pam.deliver(++sequence, signo);
    pam.deliver(sequence, signo);
    EXPECT_EQ(starter.line("signal " + std::to_string(signo)), "got " + std::to_string(signo));
  }
  starter.signal(SIGUSR1);  // the launcher's copy
  starter.signal(SIGRTMIN + 1);
  EXPECT_EQ(starter.line("a signal of the launcher"), "got " + std::to_string(SIGRTMIN + 1));
  pam.end_task(0);
  EXPECT_EQ(starter.rest(), "") << "expected each signal once";
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

TEST_F(TaskStarterLife, StopsAndContinuesTheTaskAndItself) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  pam.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  pam.deliver(1, SIGTSTP);
  for (const pid_t pid : pids) wait_until("the stop of every process", [&] { return state_of(pid) == 'T'; });
  starter.signal(SIGSTOP);  // as Open MPI does
  wait_until("the stop of the outer level", [&] { return state_of(starter.pid()) == 'T'; });
  pam.deliver(2, SIGCONT);
  for (const pid_t pid : pids) wait_until("every process to go on", [&] { return state_of(pid) != 'T'; });
  wait_until("the outer level to go on", [&] { return state_of(starter.pid()) != 'T'; });
}

TEST_F(TaskStarterLife, EndsATaskThatIgnoresTerm) {
  Program starter(plan({probe(), "stubborn"}));
  auto pam = pam_.accept();
  pam.registration();
  starter.line("the task's set-up");
  pam.end_task(50);
  EXPECT_EQ(pam.ended().value(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

TEST_F(TaskStarterLife, EndsAStoppedTask) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  pam.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  pam.deliver(1, SIGTSTP);
  wait_until("the task's stop", [&] { return state_of(pids[0]) == 'T'; });
  pam.end_task(10'000);
  EXPECT_EQ(pam.ended().value(), SIGTERM);
  for (const pid_t pid : pids) EXPECT_FALSE(alive(pid));
}

TEST_F(TaskStarterLife, TellsPamWhyATaskCannotStart) {
  const std::string plain = key_.directory + "/plain";
  std::ofstream(plain) << "#!/bin/sh\n";
  struct Case {
    std::string command;
    int error, code;
  };
  for (const auto& c :
       {Case{"/nonexistent/app", ENOENT, 127}, Case{"nonexistent-app", ENOENT, 127}, Case{plain, EACCES, 126},
        Case{"/tmp", EACCES, 126}, Case{"/etc/passwd/x", ENOTDIR, 126}}) {
    Program starter(plan({c.command}));
    auto pam = pam_.accept();
    const auto told = pam.registration();
    EXPECT_EQ(told.failed().stage(), "execute");
    EXPECT_EQ(told.failed().error(), c.error) << c.command;
    EXPECT_EQ(told.failed().path(), c.command);
    EXPECT_TRUE(pam.closed_by_starter());
    EXPECT_EQ(starter.wait(), ExitStatus::exited(c.code));
    EXPECT_EQ(starter.errors(), "") << "pam says it for all tasks together";
  }
  unlink(plain.c_str());
}

TEST_F(TaskStarterLife, RunsAScriptWithoutAFirstLineAsAShellWould) {
  const std::string script = key_.directory + "/script";
  std::ofstream(script) << "exit 9\n";
  chmod(script.c_str(), 0700);
  Program starter(plan({script}));
  EXPECT_EQ(pam_.accept().ended().value(), 9);
  unlink(script.c_str());
}

TEST_F(TaskStarterLife, SaysWhatIsWrongWithItsCommandLine) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{task_starter()},
                                             {task_starter(), "true"},
                                             {task_starter(), "-p", "n1", "true"},
                                             {task_starter(), "-x"}}) {
    Program starter({words, {}, {}, false});
    EXPECT_EQ(starter.wait(), ExitStatus::exited(125));
    const std::string said = starter.errors();
    EXPECT_TRUE(said.starts_with("TaskStarter: ")) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << "one line: " << said;
  }
}

TEST_F(TaskStarterLife, TellsItsUsageAndVersion) {
  Program help({{task_starter(), "-h"}, {}, {}, false});
  EXPECT_EQ(help.wait(), ExitStatus::exited(0));
  EXPECT_THAT(help.errors(), HasSubstr("usage: TaskStarter"));
  Program version({{task_starter(), "-V"}, {}, {}, false});
  EXPECT_EQ(version.wait(), ExitStatus::exited(0));
  EXPECT_THAT(version.errors(), HasSubstr("Rollcall"));
}

}  // namespace
}  // namespace rollcall::taskstarter::test
