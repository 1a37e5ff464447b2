// At a terminal the task behaves as it would without TaskStarter.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace rollcall::taskstarter::test {
namespace {

class TaskStarterTerminal : public Stage {
 protected:
  Program::Plan at_terminal(const std::vector<std::string>& command) const {
    auto plan = this->plan(command);
    plan.with_terminal = true;
    return plan;
  }
  // Skips the echo of what was typed.
  static std::string line_with(Program& program, const std::string& wanted) {
    while (true) {
      std::string line = program.line("a line with '" + wanted + "'");
      if (line.find(wanted) != line.npos) return line;
    }
  }
};

TEST_F(TaskStarterTerminal, TheTaskReadsWhatIsTyped) {
  Program starter(at_terminal({probe(), "cat"}));
  auto pam = pam_.accept();
  pam.registration();
  line_with(starter, "ready");
  starter.type("hello\n");
  line_with(starter, "hello");  // the echo
  line_with(starter, "hello");  // the task
  starter.type("\x04");
  EXPECT_EQ(pam.ended().value(), 0);
}

TEST_F(TaskStarterTerminal, CtrlCReachesTheTaskOnceWhoeverElseSendsIt) {
  Program starter(at_terminal({probe(), "signals"}));
  auto pam = pam_.accept();
  pam.registration();
  line_with(starter, "ready");
  starter.type("\x03");
  EXPECT_NE(line_with(starter, "got").find("got 2"), std::string::npos);
  pam.deliver(1, SIGINT);  // pam has it from the same terminal
  starter.signal(SIGINT);  // and the launcher passes it on
  pam.deliver(2, SIGUSR1);
  EXPECT_NE(line_with(starter, "got").find("got 10"), std::string::npos) << "no second INT in between";
  pam.deliver(3, SIGTERM);
  EXPECT_NE(line_with(starter, "got").find("got 15"), std::string::npos)
      << "a signal from pam alone is delivered";
  pam.end_task(0);
  EXPECT_EQ(pam.ended().value(), SIGKILL);
}

TEST_F(TaskStarterTerminal, ASignalToTheWholeGroupReachesTheTaskOnce) {
  Program starter(at_terminal({probe(), "signals"}));
  auto pam = pam_.accept();
  pam.registration();
  line_with(starter, "ready");
  kill(-starter.pid(), SIGUSR1);
  EXPECT_NE(line_with(starter, "got").find("got 10"), std::string::npos);
  pam.deliver(1, SIGUSR2);
  EXPECT_NE(line_with(starter, "got").find("got 12"), std::string::npos) << "no second USR1 in between";
}

TEST_F(TaskStarterTerminal, CtrlZGivesTheTerminalBackToTheShell) {
  auto plan = at_terminal({probe(), "nest"});
  std::vector<std::string> shell{
      "bash", "-c", "set -m; \"$@\"; echo status $?; read line; fg >/dev/null; echo after $?", "bash"};
  shell.insert(shell.end(), plan.words.begin(), plan.words.end());
  plan.words = shell;
  Program session(plan);
  auto pam = pam_.accept();
  const auto told = pam.registration();
  const auto pids = pids_in(line_with(session, "ready"));
  session.type("\x1a");
  line_with(session, "status 148");  // the shell would wait for ever for an outer level that runs on
  EXPECT_EQ(state_of(told.starter_pid()), 'T');
  wait_until("the task's stop", [&] { return state_of(pids[0]) == 'T'; });
  EXPECT_NE(state_of(told.inner_pid()), 'T') << "a TaskStarter must be running to get pam's orders";
  session.type("\n");
  wait_until("the task to go on", [&] { return state_of(pids[0]) == 'S'; });
  wait_until("the outer level to go on", [&] { return state_of(told.starter_pid()) == 'S'; });
  pam.end_task(0);
  EXPECT_EQ(pam.ended().value(), SIGKILL);
  line_with(session, "after 137");
}

TEST_F(TaskStarterTerminal, CtrlZWithoutAShellStopsNothingUntilPamSaysSo) {
  Program starter(at_terminal({probe(), "nest"}));  // its group is an orphaned one: nobody could continue it
  auto pam = pam_.accept();
  pam.registration();
  const auto pids = pids_in(line_with(starter, "ready"));
  starter.type("\x1a");
  pam.deliver(1, SIGTSTP);
  wait_until("the task's stop", [&] { return state_of(pids[0]) == 'T'; });
  EXPECT_NE(state_of(starter.pid()), 'T');
  pam.deliver(2, SIGCONT);
  wait_until("the task to go on", [&] { return state_of(pids[0]) == 'S'; });
}

TEST_F(TaskStarterTerminal, TheTaskLeadsAGroupOfItsOwnWhereThereIsNoTerminal) {
  Program starter(plan({probe(), "signals"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  EXPECT_EQ(getpgid(told.task_pid()), told.task_pid());
  EXPECT_EQ(getpgid(told.inner_pid()), told.inner_pid());
}

TEST_F(TaskStarterTerminal, TheTaskStaysInTheGroupOfTheTerminal) {
  Program starter(at_terminal({probe(), "signals"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  EXPECT_EQ(getpgid(told.task_pid()), starter.pid());
}

}  // namespace
}  // namespace rollcall::taskstarter::test
