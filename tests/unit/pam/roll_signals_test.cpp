// The rows of the table in pam/policy/roll.hpp about signals, and about an end that is under way. Without a process.
#include <csignal>

#include "tests/unit/pam/roll_rules.hpp"

namespace rollcall::pam {
namespace {

using namespace std::chrono_literals;

TEST(RollSignals, SignalsReachTasksAndOnlyLaunchersThatLiveThroughThem) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  const auto signal = [&](int signo, bool terminal = false) {
    return d.feed(event::SignalArrived{signo, terminal});
  };
  EXPECT_EQ(signal(SIGHUP), Texts{"DeliverSignal HUP to all tasks"});
  EXPECT_EQ(signal(SIGUSR2), (Texts{"DeliverSignal USR2 to all tasks", "SignalLauncher USR2 if caught"}));
  EXPECT_EQ(signal(SIGQUIT), (Texts{"DeliverSignal QUIT to all tasks", "SignalLauncher QUIT if caught"}));
  EXPECT_EQ(signal(SIGQUIT, true), Texts{"DeliverSignal QUIT to all tasks"});
  EXPECT_EQ(signal(SIGWINCH), Texts{"DeliverSignal WINCH to all tasks"});
  EXPECT_EQ(signal(SIGUSR1), (Texts{"DeliverSignal USR1 to all tasks", "SignalLauncher USR1 if caught"}));
  EXPECT_EQ(signal(SIGINT), (Texts{"DeliverSignal INT to all tasks", "SignalLauncher INT"}));
  EXPECT_EQ(signal(SIGINT, true), Texts{"DeliverSignal INT to all tasks"})
      << "the terminal told the launcher";
  EXPECT_EQ(signal(SIGTSTP), (Texts{"DeliverSignal TSTP to all tasks", "SignalLauncher TSTP"}));
  EXPECT_EQ(d.pass(100ms), (Texts{"SignalLauncher STOP", "StopSelf"}));
  EXPECT_EQ(signal(SIGTSTP, true), Texts{"DeliverSignal TSTP to all tasks"});
  EXPECT_EQ(signal(SIGCONT), (Texts{"SignalLauncher CONT", "DeliverSignal CONT to all tasks"}));
  EXPECT_EQ(d.pass(1s), Texts{}) << "going on again cancels the stop";
}

TEST(RollSignals, ATaskThatRegistersJustAfterASignalGetsItToo) {
  RollDriver d(rules(2));
  d.launch();
  d.feed(event::SignalArrived{SIGINT, true});
  d.pass(500ms);
  d.task();
  EXPECT_EQ(d.all.back(), "DeliverSignal INT to task 0");
  d.pass(1s);
  d.task();
  EXPECT_EQ(d.all.back(), "Welcome task 1") << "it was started after the signal";
}

TEST(RollSignals, TermIsFollowedByKillAndASecondOneShortensTheWait) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  EXPECT_EQ(d.feed(event::SignalArrived{SIGTERM, false}),
            (Texts{"DeliverSignal TERM to all tasks", "SignalLauncher TERM"}));
  d.pass(2s);
  d.feed(event::SignalArrived{SIGTERM, false});
  EXPECT_EQ(d.pass(1s), Texts{"EndTasks in 0 ms: all tasks"});
  EXPECT_EQ(d.pass(500ms), Texts{"KillLauncherTree"});
  d.ends(0, ExitStatus::signaled(SIGKILL));
  d.launcher_ends(ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(d.finished->exit_code, 137);
  EXPECT_FALSE(d.said("was killed by signal")) << "pam did that itself";
}

TEST(RollSignals, ATaskToldToEndIsNotToldTwiceWhenTheLauncherGoes) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(event::SignalArrived{SIGTERM, false});
  d.launcher_ends(ExitStatus::signaled(SIGTERM));
  d.pass(9s);
  EXPECT_FALSE(d.did("EndTasks in 10000 ms: all tasks"));
  d.pass(1s);
  EXPECT_TRUE(d.did("EndTasks in 0 ms: all tasks"));
}

TEST(RollSignals, ALauncherKilledForATermDoesNotStartTheWaitAnew) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  d.feed(event::LinkEnded{0, true, 5});  // its host is cut off: nothing there will answer
  d.feed(event::SignalArrived{SIGTERM, false});
  d.pass(10s);
  d.launcher_ends(ExitStatus::signaled(SIGKILL));
  d.pass(3s);
  ASSERT_TRUE(d.finished);
  EXPECT_EQ(d.finished->exit_code, 137);
}

TEST(RollSignals, TaskThatRegistersWhileTheJobEndsIsEndedToo) {
  RollRules r = rules(4);
  r.registration_timeout = 5s;
  RollDriver d(r);
  d.launch();
  d.task();
  d.pass(5s);
  d.pass(4s);
  d.task();
  EXPECT_EQ(d.all.back(), "EndTasks in 6000 ms: task 1");
}

TEST(RollSignals, PamFinishesWithoutAnswers) {
  RollRules r = rules(1);
  r.registration_timeout = 5s;
  RollDriver d(r);
  d.launch();
  d.task();
  d.feed(proxy_killed(0));
  d.pass(100ms + 1s + 3s);
  EXPECT_TRUE(d.said("task 0 (pid 2000) on n1 does not answer: given up") ||
              d.did("Note task 0 (pid 2000) on n1 does not answer: given up"));
  EXPECT_TRUE(d.said("the launcher mpirun does not end: given up"));
  EXPECT_EQ(d.finished->exit_code, 137);
}

TEST(RollSignals, NoEffectFollowsTheFinish) {
  RollDriver d(rules(1));
  d.launch();
  d.ends(d.task());
  d.launcher_ends();
  ASSERT_TRUE(d.finished);
  EXPECT_EQ(d.feed(event::SignalArrived{SIGTERM, false}), Texts{});
  d.next_connection = 99;
  EXPECT_EQ(d.pass(1h), Texts{});
}

}  // namespace
}  // namespace rollcall::pam
