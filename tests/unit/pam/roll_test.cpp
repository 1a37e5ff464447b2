// The rows of the table in pam/policy/roll.hpp about starts, numbers and ends, without a process.
#include <csignal>

#include "tests/unit/pam/roll_rules.hpp"

namespace rollcall::pam {
namespace {

using namespace std::chrono_literals;

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

// (b) counts what comes: a launch that goes on is not ended in its middle, and one that stands still is.
TEST(Roll, TheTimeForRegistrationsGoesOnWhileTasksCome) {
  RollRules r = rules(8);
  r.registration_timeout = 300s;
  RollDriver d(r);
  d.launch();
  d.task("n1");
  EXPECT_EQ(d.pass(290s), Texts{});
  d.task("n2");
  EXPECT_EQ(
      d.pass(20s),
      (Texts{"Say 2 of 8 tasks on 2 hosts registered within 300 s (LSF_HPC_PJL_LOADENV_TIMEOUT), and more "
             "come: the job goes on while they do"}));
  d.task("n3");
  EXPECT_EQ(d.pass(29s), Texts{}) << "said once, and the third has come";
  const auto texts = d.pass(1s);
  ASSERT_FALSE(texts.empty());
  EXPECT_TRUE(
      texts.front().starts_with("Say 3 of 8 tasks registered within 300 s (LSF_HPC_PJL_LOADENV_TIMEOUT) and "
                                "while more came, none for 30 s"))
      << texts.front();
}

TEST(Roll, WhoWasToldToWaitIsCountedWhenTheTimeIsOver) {
  RollDriver d(rules(4));
  d.launch();
  d.task();
  d.feed(event::StartersWait{3});
  d.pass(300s);
  EXPECT_TRUE(d.said("; 3 more wait until pam has descriptors for them: raise the hard limit (ulimit -Hn)"));
}

TEST(Roll, AFailedStartThatIsToldAgainIsOneTask) {
  RollDriver d(rules(3));
  d.launch();
  Registration failed;
  failed.host = "n1";
  failed.starter_pid = 7;
  failed.start_us = 11;
  failed.outcome = StartFailure{"execute", ENOENT, "/x/app"};
  d.feed(event::TaskRegistered{1, failed});
  EXPECT_EQ(d.feed(event::TaskRegistered{2, failed}), Texts{"Welcome task 0"});
  EXPECT_EQ(d.roll.registered(), 1U);
  failed.starter_pid = 8;
  d.feed(event::TaskRegistered{3, failed});
  EXPECT_EQ(d.roll.registered(), 2U) << "the relay took what was told first along";
  EXPECT_EQ(d.roll.not_started, 2U);
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

// Open MPI's mpirun crashes where a TERM meets its own abort.
TEST(Roll, ALauncherWithoutAnyTaskHasTimeToEndByItself) {
  for (const bool ends : {true, false}) {
    RollDriver d(rules(2));
    d.launch();
    d.fails_to_start(ENOENT);
    d.fails_to_start(ENOENT);
    EXPECT_FALSE(d.did("SignalLauncher TERM"));
    d.pass(4999ms);
    EXPECT_FALSE(d.did("SignalLauncher TERM"));
    if (!ends) {
      EXPECT_EQ(d.pass(1ms), (Texts{"SignalLauncher TERM", "SignalLauncher CONT"}));
      EXPECT_EQ(d.pass(9999ms), Texts{}) << "KILL comes as long after TERM as ever";
      EXPECT_EQ(d.pass(1ms).back(), "KillLauncherTree");
    }
    d.launcher_ends(ends ? ExitStatus::exited(134) : ExitStatus::signaled(SIGTERM));
    EXPECT_EQ(d.finished->exit_code, 127);
  }
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

TEST(Roll, ALauncherThatEndsWellWithoutAnyTaskIsSaid) {
  const auto said = [](std::optional<int> expected, ExitStatus status) {
    RollDriver d(rules(expected));
    d.launch();
    d.launcher_ends(status);
    d.pass(1s);
    EXPECT_EQ(d.finished->exit_code, status.shell_code()) << "it is the launcher's all the same";
    return d.said("the launcher mpirun ended well, and none of 2 tasks has registered");
  };
  EXPECT_TRUE(said(2, ExitStatus::exited(0)));
  EXPECT_FALSE(said(2, ExitStatus::exited(1))) << "the launcher has printed its own error";
  EXPECT_FALSE(said(std::nullopt, ExitStatus::exited(0))) << "the number of tasks is unknown";
}

TEST(Roll, CountsTheTasksWhereFewerThanExpectedRegistered) {
  RollDriver d(rules(3));
  d.launch();
  d.ends(d.task());
  d.ends(d.task());
  d.launcher_ends();
  d.pass(1s);
  EXPECT_TRUE(d.said("only 2 of 3 tasks registered before the launcher mpirun ended"));
  EXPECT_EQ(d.finished->exit_code, 0) << "the launcher's";
}

TEST(Roll, NamesTheTaskThatFailedFirst) {
  RollDriver d(rules(3));
  d.launch();
  d.task();
  d.task();
  d.task();
  d.ends(1, ExitStatus::exited(3));
  d.ends(0, ExitStatus::signaled(SIGKILL));
  d.ends(2, ExitStatus::signaled(SIGTERM));
  d.launcher_ends(ExitStatus::exited(3));
  EXPECT_TRUE(d.said("failed first, with Exit (3); 2 more were killed after it"));
}

TEST(Roll, NamesNoTaskWhereAllFailedByThemselves) {
  RollDriver d(rules(2));
  d.launch();
  d.task();
  d.task();
  d.ends(0, ExitStatus::exited(3));
  d.ends(1, ExitStatus::signaled(SIGSEGV));
  d.launcher_ends(ExitStatus::exited(3));
  EXPECT_FALSE(d.said("failed first"));
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

// A job of two of which task 0 fails; a site that wants such a job ended after three seconds.
RollDriver with_a_failed_task(ExitStatus status = ExitStatus::exited(5)) {
  RollRules r = rules(2);
  r.clean_job_delay = 3s;
  RollDriver d(r);
  d.launch();
  d.task();
  d.task();
  d.ends(0, status);
  return d;
}

TEST(Roll, AFailedTasksStatusCountsAlsoWhereTheLauncherIsFaster) {
  RollDriver d = with_a_failed_task();
  d.ends(1, ExitStatus::signaled(SIGKILL));
  d.launcher_ends(ExitStatus::exited(255));
  EXPECT_TRUE(
      d.said("a task ended with Exit (5), then the launcher with Exit (255): the task's status counts "
             "(LSF_PAM_CLEAN_JOB_DELAY)"));
  EXPECT_EQ(d.finished->exit_code, 5);
}

TEST(Roll, ALauncherThatPassesTheFailedTasksStatusOnIsNoNews) {
  RollDriver d = with_a_failed_task();
  d.ends(1, ExitStatus::signaled(SIGTERM));
  d.launcher_ends(ExitStatus::exited(5));
  EXPECT_FALSE(d.said("the task's status counts"));
  EXPECT_EQ(d.finished->exit_code, 5);
}

TEST(Roll, AFailedTasksStatusCountsAlsoWhereAParentIsLostMeanwhile) {
  RollDriver d = with_a_failed_task();
  d.feed(event::ParentLost{1, 55, "hydra_pmi_proxy", ExitStatus::exited(255), false});
  d.pass(100ms);
  EXPECT_TRUE(
      d.said("a task ended with Exit (5), then a process of the launcher was lost: the task's status counts "
             "(LSF_PAM_CLEAN_JOB_DELAY)"));
  d.ends(1, ExitStatus::signaled(SIGTERM));
  d.launcher_ends(ExitStatus::exited(255));
  EXPECT_EQ(d.finished->exit_code, 5);
}

TEST(Roll, ATaskThatFailsAfterAParentIsLostIsNotTheCause) {
  RollDriver d = with_a_failed_task(ExitStatus::exited(0));
  d.feed(proxy_killed(1));
  d.ends(1, ExitStatus::exited(1));
  d.launcher_ends(ExitStatus::exited(9));
  EXPECT_EQ(d.finished->exit_code, 9);
}

TEST(Roll, TheLauncherDecidesWhereItEndsWellOrByASignal) {
  RollDriver well = with_a_failed_task();
  well.ends(1);
  well.launcher_ends();
  EXPECT_EQ(well.finished->exit_code, 0);

  RollDriver killed = with_a_failed_task();
  killed.launcher_ends(ExitStatus::signaled(SIGKILL));
  killed.ends(1, ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(killed.finished->exit_code, 128 + SIGKILL);
}

TEST(Roll, ATaskThatDiesAsItWasToldHasNotFailed) {
  RollDriver d = with_a_failed_task(ExitStatus::exited(0));
  d.feed(event::SignalArrived{SIGINT, false});
  d.ends(1, ExitStatus::signaled(SIGINT));
  d.launcher_ends(ExitStatus::exited(9));
  EXPECT_EQ(d.finished->exit_code, 9);

  RollDriver term = with_a_failed_task(ExitStatus::exited(0));
  term.feed(event::SignalArrived{SIGTERM, false});
  term.ends(1, ExitStatus::exited(1));
  term.launcher_ends(ExitStatus::exited(9));
  EXPECT_EQ(term.finished->exit_code, 9);
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

}  // namespace
}  // namespace rollcall::pam
