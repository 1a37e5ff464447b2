// Every row of the table in pam/policy/roll.hpp, without a process.
#include <csignal>

#include "tests/unit/roll_driver.hpp"

namespace rollcall::pam {
namespace {

using namespace std::chrono_literals;
using ::testing::Test;

RollRules rules(std::optional<int> expected = 2) {
  RollRules r;
  r.launcher = "mpirun";
  r.host = "n1";
  r.expected = expected;
  return r;
}

using Texts = std::vector<std::string>;

TEST(Roll, APlainJobEndsWithItsLauncher) {
  RollDriver d(rules());
  d.launch();
  d.task();
  EXPECT_EQ(d.roll.phase, Phase::launching);
  d.task("n2");
  EXPECT_EQ(d.roll.phase, Phase::running);
  d.ends(0);
  d.ends(1, ExitStatus::exited(3));
  EXPECT_EQ(d.launcher_ends(ExitStatus::exited(3)), Texts{"Finish 3: the launcher ended: Exit (3)"});
}

TEST(Roll, TheLaunchersDeathBySignalIs128PlusItsNumber) {
  RollDriver d(rules(1));
  d.launch();
  d.ends(d.task());
  d.launcher_ends(ExitStatus::signaled(SIGSEGV));
  EXPECT_EQ(d.finished->exit_code, 139);
  EXPECT_TRUE(d.said("the launcher mpirun (pid 100) on n1 was killed by signal 11 (SEGV)"));
}

TEST(Roll, ALauncherThatCannotBeStartedEndsIt) {
  RollDriver d(rules());
  const auto texts = d.feed(event::LauncherNotStarted{{"execute", ENOENT, "mpirun"}, 127});
  EXPECT_EQ(texts, (Texts{"Say cannot execute mpirun: No such file or directory: no task was started",
                          "Finish 127: the launcher could not be started"}));
}

TEST(Roll, NotAllRegisteredInTimeIs124AndNamesWhatIsMissing) {
  RollRules r = rules(4);
  r.registration_timeout = 300s;
  r.hosts.add("n1", 2);
  r.hosts.add("n2", 2);
  RollDriver d(r);
  d.launch();
  d.task("n1", 0);
  d.task("n1", 1);
  d.task("n2", 2);
  EXPECT_EQ(d.pass(299s), Texts{});
  const auto texts = d.pass(1s);
  EXPECT_EQ(
      texts,
      (Texts{"Say 3 of 4 tasks registered within 300 s (LSF_HPC_PJL_LOADENV_TIMEOUT): n1 2 of 2, n2 1 of 2; "
             "missing ranks 3: the launcher and the tasks are ended",
             "SignalLauncher TERM", "SignalLauncher CONT", "EndTasks in 10000 ms: all tasks"}));
  for (Tid tid = 0; tid < 3; ++tid) d.ends(tid, ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(d.launcher_ends(ExitStatus::signaled(SIGTERM)).back(),
            "Finish 124: not all tasks registered in time");
}

TEST(Roll, ATimeoutOfZeroIsOff) {
  RollRules r = rules(4);
  r.registration_timeout = 0s;
  RollDriver d(r);
  d.launch();
  EXPECT_EQ(d.pass(100h), Texts{});
}

TEST(Roll, TheFirstTaskHasATimeoutOfItsOwn) {
  RollRules r = rules(4);
  r.first_timeout = 20s;
  RollDriver d(r);
  d.launch();
  d.pass(20s);
  EXPECT_TRUE(d.said("0 of 4 tasks registered within 20 s (--timeout-first)"));
  d.launcher_ends(ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(d.finished->exit_code, 124);

  RollDriver in_time(r);
  in_time.launch();
  in_time.task();
  in_time.pass(100s);
  EXPECT_FALSE(in_time.said("--timeout-first"));
}

TEST(Roll, WhatCouldNotBeStartedEndsTheJobWhenAllHaveReported) {
  RollDriver d(rules(3));
  d.launch();
  d.task("n1");
  EXPECT_EQ(d.fails_to_start(ENOENT, "n2"), Texts{"Welcome task 1"});
  const auto texts = d.fails_to_start(ENOENT, "n3");
  EXPECT_EQ(texts, (Texts{"Welcome task 2",
                          "Say 2 of 3 tasks: cannot execute /x/app: No such file or directory (hosts n2-n3)",
                          "SignalLauncher TERM", "SignalLauncher CONT", "EndTasks in 10000 ms: all tasks"}));
  d.ends(0, ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(d.launcher_ends(ExitStatus::exited(0)), Texts{"Finish 127: a task could not be started"});
}

TEST(Roll, NotStartedIs126WhereNotEveryFailureIsNotFound) {
  RollDriver d(rules(2));
  d.launch();
  d.fails_to_start(ENOENT);
  d.fails_to_start(EACCES);
  EXPECT_TRUE(d.said("1 of 2 tasks: cannot execute /x/app: Permission denied (host n1)"));
  d.launcher_ends();
  EXPECT_EQ(d.finished->exit_code, 126);
}

TEST(Roll, TheLauncherThatEndsFirstDoesNotHideThatTasksDidNotStart) {
  RollDriver d(rules(2));
  d.launch();
  d.fails_to_start(ENOENT);
  d.launcher_ends(ExitStatus::exited(0));
  d.pass(200ms);
  EXPECT_TRUE(d.said("1 of 1 tasks: cannot execute"));
  EXPECT_EQ(d.finished->exit_code, 127);
}

TEST(Roll, ALostTaskStarterWaitsForTheLauncher) {
  RollDriver d(rules(2));
  d.launch();
  d.task("n1");
  d.task("n2");
  d.feed(event::LinkEnded{1, false, 5});
  EXPECT_EQ(d.roll.tasks[1].state, TaskState::away);
  d.pass(2s);
  EXPECT_TRUE(d.said("task 1 (pid 2001) on n2 is lost"));
  EXPECT_EQ(d.roll.tasks[1].state, TaskState::lost);
  EXPECT_FALSE(d.finished);
  d.ends(0);
  d.launcher_ends(ExitStatus::exited(9));
  EXPECT_EQ(d.finished->exit_code, 9);
}

TEST(Roll, AKilledOuterTaskStarterIsSaid) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2", 0);
  d.feed(event::StarterLost{0, 77, 5});
  EXPECT_EQ(d.roll.live, 1u) << "its inner TaskStarter is still ending it";
  d.feed(event::LinkEnded{0, false, 6});
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::lost);
  d.pass(1s);
  EXPECT_TRUE(d.said("TaskStarter (pid 77) of task 0 (pid 2000) on n2 was killed: its task was ended"));
  EXPECT_FALSE(d.finished);
}

TEST(Roll, AKilledOuterTaskStarterIsSaidAlsoWhereTheTasksEndIsKnown) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2", 0);
  d.feed(event::StarterLost{0, 77, 5});
  d.ends(0, ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::ended);
  d.launcher_ends(ExitStatus::exited(137));
  EXPECT_TRUE(d.said("TaskStarter (pid 77) of task 0 (pid 2000) on n2 was killed: its task was ended"));
}

TEST(Roll, TheFirstLossIsNamedAndTheLaunchersCleanUpIsCounted) {
  RollDriver d(rules(4));
  d.launch();
  for (const char* host : {"n1", "n2", "n3", "n4"}) d.task(host);
  d.feed(event::LinkEnded{2, false, 1000});  // an inner TaskStarter was killed ...
  for (const Tid tid : {3, 1, 0}) {          // ... and the launcher ended the rest
    d.feed(event::StarterLost{tid, 70, 2000 + tid});
    d.feed(event::LinkEnded{tid, false, 3000});
  }
  d.launcher_ends(ExitStatus::exited(255));
  d.pass(2s);
  EXPECT_TRUE(d.said("of task 2 (pid 2002) on n3 is lost; then 3 more (n1-n2,n4)"));
  EXPECT_EQ(std::count_if(d.all.begin(), d.all.end(), [](auto& t) { return t.starts_with("Say"); }), 1);
  EXPECT_EQ(d.finished->exit_code, 255);
}

TEST(Roll, ALauncherThatLeavesTasksHasThemEndedPolitely) {
  RollDriver d(rules(2));
  d.launch();
  d.task();
  d.task();
  EXPECT_EQ(d.launcher_ends(), Texts{});  // reports may be in flight
  d.pass(200ms);
  EXPECT_TRUE(d.did("EndTasks in 10000 ms: all tasks"));
  d.ends(0);
  EXPECT_EQ(d.pass(10s), Texts{"EndTasks in 0 ms: all tasks"});
  d.ends(1, ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(d.finished->exit_code, 0);
}

TEST(Roll, ALauncherKilledByAStrangerHasItsTasksEndedQuickly) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  EXPECT_EQ(d.launcher_ends(ExitStatus::signaled(SIGKILL)),
            (Texts{"Say the launcher mpirun (pid 100) on n1 was killed by signal 9 (KILL)",
                   "EndTasks in 1000 ms: all tasks"}));
  d.ends(0, ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(d.finished->exit_code, 137);
}

TEST(Roll, ALauncherThatStaysAfterItsLastTaskIsEnded) {
  RollRules r = rules(2);
  r.linger = 10s;
  r.linger_parameter = "--launcher-grace";
  RollDriver d(r);
  d.launch();
  d.ends(d.task());
  d.pass(1s);
  d.ends(d.task(), ExitStatus::exited(4));
  d.pass(9s);
  EXPECT_FALSE(d.said("has not within"));
  d.pass(1s);
  EXPECT_TRUE(
      d.said("mpirun has not within 10 s: it is ended (to let it wait longer raise --launcher-grace)"));
  EXPECT_TRUE(d.did("SignalLauncher TERM"));
  d.pass(2s);
  EXPECT_TRUE(d.did("KillLauncherTree"));
  d.launcher_ends(ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(d.finished->exit_code, 4);
}

TEST(Roll, ANewStepOfTheLauncherCancelsTheTimer) {
  RollRules r = rules(1);
  r.linger = 10s;
  RollDriver d(r);
  d.launch();
  d.ends(d.task());
  d.pass(9s);
  const Tid second = d.task();
  EXPECT_EQ(*d.roll.expected, 2);
  d.pass(100s);
  EXPECT_FALSE(d.said("has not within"));
  d.ends(second);
  d.launcher_ends();
  EXPECT_EQ(d.finished->exit_code, 0);
}

TEST(Roll, AFailedTaskEndsTheJobOnlyWhereTheSiteSaysSo) {
  RollRules r = rules(2);
  RollDriver without(r);
  without.launch();
  without.task();
  without.task();
  without.ends(0, ExitStatus::exited(5));
  EXPECT_EQ(without.pass(1h), Texts{});

  r.clean_job_delay = 3s;
  RollDriver with(r);
  with.launch();
  with.task();
  with.task();
  with.ends(0, ExitStatus::exited(5));
  with.pass(3s);
  EXPECT_TRUE(with.said("a task ended with Exit (5): the job is ended (LSF_PAM_CLEAN_JOB_DELAY)"));
  with.ends(1, ExitStatus::signaled(SIGTERM));
  with.launcher_ends(ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(with.finished->exit_code, 5);
}

event::ParentLost proxy_killed(Tid tid) {
  return {tid, 55, "hydra_pmi_proxy", ExitStatus::signaled(SIGKILL), false};
}

TEST(Roll, ALostProxyEndsTheJobWhileTheLauncherLives) {
  RollDriver d(rules(2));
  d.launch();
  d.task("n1");
  d.task("n2");
  d.feed(proxy_killed(1));
  d.pass(100ms);
  EXPECT_TRUE(
      d.said("hydra_pmi_proxy (pid 55) on n2 was killed by signal 9 (KILL) while the launcher lives: the job "
             "is ended"));
  EXPECT_TRUE(d.did("EndTasks in 1000 ms: all tasks"));
  EXPECT_EQ(d.pass(1s), Texts{"EndTasks in 0 ms: all tasks"});
  d.ends(0);
  d.ends(1);
  EXPECT_EQ(d.pass(500ms), Texts{"KillLauncherTree"}) << "TaskStarters below it are to report first";
  d.launcher_ends(ExitStatus::exited(0));
  EXPECT_EQ(d.finished->exit_code, 137) << "a job that lost a process did not succeed";
}

TEST(Roll, ALostParentIsTheLaunchersOwnEndWhereThatFollows) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(proxy_killed(0));
  d.launcher_ends(ExitStatus::signaled(SIGKILL));
  d.ends(0);
  EXPECT_FALSE(d.said("while the launcher lives"));
  EXPECT_EQ(d.finished->exit_code, 137);
}

TEST(Roll, AParentThatLeavesByDesignEndsNothing) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(event::ParentLost{0, 55, "sh", ExitStatus::exited(0), false});
  d.feed(event::ParentLost{0, 55, "sh", std::nullopt, true});
  EXPECT_EQ(d.pass(1h), Texts{});
  EXPECT_EQ(d.roll.live, 1u);
}

TEST(Roll, AParentThatIsKilledNeverLeftByDesign) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(event::ParentLost{0, 55, "sh", ExitStatus::signaled(SIGKILL), true});
  d.pass(100ms);
  EXPECT_TRUE(
      d.said("sh (pid 55) on n1 was killed by signal 9 (KILL) while the launcher lives: the job is ended"));
}

TEST(Roll, MoreThanExpectedAreTakenAndRaiseTheNumber) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.task();
  d.task();
  EXPECT_EQ(*d.roll.expected, 3);
  EXPECT_EQ(d.roll.live, 3u);
}

TEST(Roll, WithoutANumberTwoQuietSecondsSettleIt) {
  RollDriver d(rules(std::nullopt));
  d.launch();
  d.task();
  d.pass(1900ms);
  d.task();
  d.pass(1900ms);
  EXPECT_FALSE(d.roll.complete());
  d.pass(100ms);
  EXPECT_TRUE(d.roll.complete());
  EXPECT_EQ(*d.roll.expected, 2);
  EXPECT_EQ(d.pass(400s), Texts{}) << "the registration timeout is over";
}

TEST(Roll, WithoutANumberAShortJobDoesNotWaitForMore) {
  RollDriver d(rules(std::nullopt));
  d.launch();
  d.ends(d.task());
  EXPECT_EQ(d.launcher_ends(), Texts{"Finish 0: the launcher ended: Done"});
}

TEST(Roll, TwoLiveTasksOfOneRankBothRunAndAreNamed) {
  RollDriver d(rules(2));
  d.launch();
  d.task("n1", 3);
  d.task("n2", 3);
  EXPECT_TRUE(d.said("two running tasks say they are rank 3: both go on"));
  EXPECT_EQ(d.roll.live, 2u);
  EXPECT_EQ(table_ids(d.roll), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Roll, RanksAreTheTidsWhereAllTasksHaveOne) {
  RollDriver d(rules(2));
  d.launch();
  d.task("n1", 1);
  d.task("n2", 0);
  EXPECT_EQ(table_ids(d.roll), (std::vector<std::uint32_t>{1, 0}));
}

TEST(Roll, ACutLinkIsWaitedForAndTakenUpAgain) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  d.feed(event::LinkEnded{0, true, 5});
  d.feed(event::SignalArrived{SIGUSR1, false});
  d.pass(59s);
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::away);
  const auto texts = d.feed(event::TaskResumed{9, 0, "n2", 1000});
  EXPECT_EQ(texts, (Texts{"Say the link to n2 is back", "Welcome task 0", "DeliverSignal USR1 to task 0"}));
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::running);
  d.pass(1h);
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::running);
}

TEST(Roll, ACutLinkThatStaysCutLosesItsTask) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  d.feed(event::LinkEnded{0, true, 5});
  d.pass(60s);
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::lost);
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n2", 1000}).back(), "Welcome task 0")
      << "late is better than never";
  EXPECT_EQ(d.roll.live, 1u);
}

TEST(Roll, ATaskThatKnewOfTheCutFirstReplacesItsConnection) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n2", 1000}), (Texts{"Refuse connection 1", "Welcome task 0"}));
  EXPECT_EQ(d.roll.tasks[0].connection, 9u);
  EXPECT_EQ(d.roll.live, 1u);
  d.ends(0);
  EXPECT_EQ(d.feed(event::TaskResumed{10, 0, "n2", 1000}), Texts{"Refuse connection 10"}) << "it has ended";
}

TEST(Roll, ATaskThatNeverHeardItsNumberIsKnownAgain) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  d.feed(event::LinkEnded{0, true, 5});
  const auto texts = d.feed(event::TaskRegistered{9, d.roll.tasks[0].registration});
  EXPECT_EQ(texts.back(), "Welcome task 0");
  EXPECT_EQ(d.roll.registered(), 1u);
  EXPECT_EQ(d.roll.live, 1u);
}

TEST(Roll, WhoClaimsToBeAnotherTaskIsRefused) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  EXPECT_EQ(d.feed(event::TaskResumed{9, 7, "n2", 1000}), Texts{"Refuse connection 9"});
  d.feed(event::LinkEnded{0, true, 5});
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n3", 1000}), Texts{"Refuse connection 9"});
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n2", 1}), Texts{"Refuse connection 9"});
}

TEST(Roll, SignalsReachTasksAndOnlyLaunchersThatLiveThroughThem) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  const auto signal = [&](int signo, bool terminal = false) {
    return d.feed(event::SignalArrived{signo, terminal});
  };
  EXPECT_EQ(signal(SIGHUP), Texts{"DeliverSignal HUP to all tasks"});
  EXPECT_EQ(signal(SIGUSR2), Texts{"DeliverSignal USR2 to all tasks"});
  EXPECT_EQ(signal(SIGQUIT), Texts{"DeliverSignal QUIT to all tasks"});
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

TEST(Roll, ATaskThatRegistersJustAfterASignalGetsItToo) {
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

TEST(Roll, TermIsFollowedByKillAndASecondOneShortensTheWait) {
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

TEST(Roll, ATaskToldToEndIsNotToldTwiceWhenTheLauncherGoes) {
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

TEST(Roll, ALauncherKilledForATermDoesNotStartTheWaitAnew) {
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

TEST(Roll, WhatComesWhenTheJobIsEndedIsEndedToo) {
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

TEST(Roll, NothingThatDoesNotAnswerKeepsPam) {
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

TEST(Roll, AfterTheFinishNothingIsAskedFor) {
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
