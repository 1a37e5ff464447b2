// The rows of the table in pam/policy/roll.hpp about what is lost: TaskStarters, parents, links. Without a process.
#include <csignal>

#include "tests/unit/pam/roll_rules.hpp"

namespace rollcall::pam {
namespace {

using namespace std::chrono_literals;

TEST(RollLosses, ALostTaskStarterWaitsForTheLauncher) {
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

TEST(RollLosses, AKilledOuterTaskStarterIsSaid) {
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

TEST(RollLosses, AKilledOuterTaskStarterIsSaidAlsoWhereTheTasksEndIsKnown) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2", 0);
  d.feed(event::StarterLost{0, 77, 5});
  d.ends(0, ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(d.roll.tasks[0].state, TaskState::ended);
  d.launcher_ends(ExitStatus::exited(137));
  EXPECT_TRUE(d.said("TaskStarter (pid 77) of task 0 (pid 2000) on n2 was killed: its task was ended"));
}

TEST(RollLosses, TheFirstLossIsNamedAndTheLaunchersCleanUpIsCounted) {
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

TEST(RollLosses, TheFirstIsTheFirstThatWasHeardOfWhateverTheClocksSay) {
  RollDriver d(rules(2));
  d.launch();
  d.task("n1");
  d.task("n3");
  d.feed(event::LinkEnded{1, false, 9000});   // seen late, with pam's own time ...
  d.feed(event::StarterLost{0, 2000, 8000});  // ... after what the launcher then did had its time on n1
  d.feed(event::LinkEnded{0, false, 9001});
  d.launcher_ends(ExitStatus::exited(255));
  d.pass(1s);
  EXPECT_TRUE(d.said("task 1 (pid 2001) on n3 is lost; then 1 more (n1)"));
}

TEST(RollLosses, ALauncherKilledByAStrangerHasItsTasksEndedQuickly) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  EXPECT_EQ(d.launcher_ends(ExitStatus::signaled(SIGKILL)),
            (Texts{"Say the launcher mpirun (pid 100) on n1 was killed by signal 9 (KILL)",
                   "EndTasks in 1000 ms: all tasks"}));
  d.ends(0, ExitStatus::signaled(SIGTERM));
  EXPECT_EQ(d.finished->exit_code, 137);
}

TEST(RollLosses, ALostProxyEndsTheJobWhileTheLauncherLives) {
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

TEST(RollLosses, ALostParentIsTheLaunchersOwnEndWhereThatFollows) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(proxy_killed(0));
  d.launcher_ends(ExitStatus::signaled(SIGKILL));
  d.ends(0);
  EXPECT_FALSE(d.said("while the launcher lives"));
  EXPECT_EQ(d.finished->exit_code, 137);
}

TEST(RollLosses, AParentThatLeavesByDesignEndsNothing) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(event::ParentLost{0, 55, "sh", ExitStatus::exited(0), false});
  d.feed(event::ParentLost{0, 55, "sh", std::nullopt, true});
  EXPECT_EQ(d.pass(1h), Texts{});
  EXPECT_EQ(d.roll.live, 1u);
}

TEST(RollLosses, AParentThatIsKilledNeverLeftByDesign) {
  RollDriver d(rules(1));
  d.launch();
  d.task();
  d.feed(event::ParentLost{0, 55, "sh", ExitStatus::signaled(SIGKILL), true});
  d.pass(100ms);
  EXPECT_TRUE(
      d.said("sh (pid 55) on n1 was killed by signal 9 (KILL) while the launcher lives: the job is ended"));
}

TEST(RollLosses, ACutLinkIsWaitedForAndTakenUpAgain) {
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

TEST(RollLosses, ACutLinkThatStaysCutLosesItsTask) {
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

TEST(RollLosses, ATaskThatKnewOfTheCutFirstReplacesItsConnection) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n2", 1000}), (Texts{"Refuse connection 1", "Welcome task 0"}));
  EXPECT_EQ(d.roll.tasks[0].connection, 9u);
  EXPECT_EQ(d.roll.live, 1u);
  d.ends(0);
}

// Pam has its end, and its TaskStarter did not hear so.
TEST(RollLosses, ATaskThatHasEndedIsWelcomedAgainAndCountedOnce) {
  RollDriver d(rules(2));
  d.launch();
  d.task("n2");
  d.ends(0);
  EXPECT_EQ(d.feed(event::TaskResumed{10, 0, "n2", 1000}), Texts{"Welcome task 0"});
  EXPECT_EQ(d.feed(event::TaskRegistered{11, d.registration(0)}), Texts{"Welcome task 0"})
      << "its relay was stopped, and passes the first words on now";
  d.ends(0);
  EXPECT_EQ(d.roll.registered(), 1u);
  EXPECT_EQ(d.roll.live, 0u);
}

TEST(RollLosses, ATaskThatKnewOfTheCutFirstNeedNotKnowItsNumber) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  EXPECT_EQ(d.feed(event::TaskRegistered{9, d.registration(0)}),
            (Texts{"Refuse connection 1", "Welcome task 0"}));
  EXPECT_EQ(d.roll.registered(), 1u);
  EXPECT_EQ(d.roll.live, 1u);
}

TEST(RollLosses, ATaskThatNeverHeardItsNumberIsKnownAgain) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  d.feed(event::LinkEnded{0, true, 5});
  const auto texts = d.feed(event::TaskRegistered{9, d.registration(0)});
  EXPECT_EQ(texts.back(), "Welcome task 0");
  EXPECT_EQ(d.roll.registered(), 1u);
  EXPECT_EQ(d.roll.live, 1u);
}

TEST(RollLosses, StarterThatClaimsToBeAnotherTaskIsRefused) {
  RollDriver d(rules(1));
  d.launch();
  d.task("n2");
  EXPECT_EQ(d.feed(event::TaskResumed{9, 7, "n2", 1000}), Texts{"Refuse connection 9"});
  d.feed(event::LinkEnded{0, true, 5});
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n3", 1000}), Texts{"Refuse connection 9"});
  EXPECT_EQ(d.feed(event::TaskResumed{9, 0, "n2", 1}), Texts{"Refuse connection 9"});
}

// kill -9 of an inner TaskStarter: Hydra then kills the others, whose ends come before the first task counts as lost.
TEST(RollLosses, NamesTheTaskWhoseTaskStarterWasKilledAndNotTheNextOne) {
  RollDriver d(rules(3));
  d.launch();
  for (int i = 0; i < 3; ++i) d.task();
  d.feed(event::LinkEnded{2, false, 1000});
  d.ends(1, ExitStatus::signaled(SIGKILL));
  d.ends(0, ExitStatus::signaled(SIGKILL));
  d.launcher_ends(ExitStatus::exited(9));
  d.pass(5s);
  EXPECT_TRUE(d.said("task 2 (pid ")) << "the one that was lost";
  EXPECT_TRUE(d.said(" was lost first; 2 more were killed after it"));
  EXPECT_FALSE(d.said("failed first"));
  EXPECT_EQ(d.finished->exit_code, 9);
}

}  // namespace
}  // namespace rollcall::pam
