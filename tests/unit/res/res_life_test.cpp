// The life of a job on its host (res/policy/job_life.hpp), a row of its table at a time.
#include <csignal>

#include "tests/unit/res/res_life_fixture.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class ResLife : public JobLifeTest {
 protected:
  void run() {
    happens(event::Began{});
    happens(event::JobStarted{});
  }
  static event::Ordered order(Order::Action action, int signo = 0, std::uint64_t number = 0,
                              bool sequential = true) {
    Order order;
    order.set_action(action);
    order.set_signal(signo);
    order.set_number(number);
    order.set_sequential(sequential);
    order.set_term_reason(14);
    return {order};
  }
  // What is told once nothing is left.
  effect::TellOver end(int status) {
    happens(event::JobEnded{status});
    happens(event::Emptied{});
    return over_;
  }
};

TEST_F(ResLife, PlainJobIsStartedToldAndFinished) {
  EXPECT_THAT(happens(event::Began{}), ElementsAre("start the job"));
  EXPECT_THAT(happens(event::JobStarted{}), ElementsAre("tell running"));
  EXPECT_THAT(happens(event::JobEnded{3 << 8}), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 768 0", "finish"));
  EXPECT_EQ(life_.phase, Phase::over);
}

TEST_F(ResLife, PreAndPostExecutionRunBeforeAndAfterTheJob) {
  life_.rules.pre_exec = life_.rules.post_exec = true;
  EXPECT_THAT(happens(event::Began{}), ElementsAre("run the pre-execution"));
  EXPECT_THAT(happens(event::PreEnded{0}), ElementsAre("start the job"));
  happens(event::JobStarted{});
  happens(event::JobEnded{0});
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 0 0", "run the post-execution"));
  EXPECT_TRUE(over_.post_follows);
  EXPECT_THAT(happens(event::PostEnded{1 << 8}), ElementsAre("tell post failed", "finish"));
}

TEST_F(ResLife, FailedPreExecutionKeepsTheJobFromStarting) {
  life_.rules.pre_exec = life_.rules.post_exec = true;
  happens(event::Began{});
  EXPECT_THAT(happens(event::PreEnded{99 << 8}), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 1 25344 0", "finish"));
  EXPECT_FALSE(over_.post_follows);
}

TEST_F(ResLife, AnInteractiveJobAwaitsItsClient) {
  life_.rules.interactive = true;
  EXPECT_THAT(happens(event::Began{}), ElementsAre("await the client"));
  EXPECT_EQ(next_deadline(life_), now_ + 60s);
  EXPECT_THAT(happens(event::ClientCame{}, 59s), ElementsAre("start the job"));
  EXPECT_EQ(next_deadline(life_), std::nullopt);
}

TEST_F(ResLife, ClientThatDoesNotComeEndsTheStart) {
  life_.rules.interactive = true;
  happens(event::Began{});
  EXPECT_THAT(happens(event::TimePassed{}, 60s), ElementsAre("kill all"));
  happens(event::Emptied{});
  EXPECT_EQ(over_.how, How::NOT_STARTED);
}

TEST_F(ResLife, TerminateSendsIntThenTermThenKill) {
  run();
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("signal INT"));
  EXPECT_THAT(happens(event::TimePassed{}, 9s), IsEmpty());
  EXPECT_THAT(happens(event::TimePassed{}, 1s), ElementsAre("signal TERM"));
  EXPECT_THAT(happens(order(Order::TERMINATE), 1s), IsEmpty());  // it is under way
  EXPECT_THAT(happens(event::TimePassed{}, 9s), ElementsAre("signal KILL"));
  EXPECT_EQ(next_deadline(life_), std::nullopt);
  EXPECT_EQ(end(SIGKILL).term_reason, 14);
  EXPECT_EQ(over_.exit_status, 137 << 8);
}

TEST_F(ResLife, TheKernelMayHoldTheCpuLimitFirst) {
  life_.rules.limits.set_cpu_s(3);
  for (const int status : {static_cast<int>(SIGXCPU), (128 + SIGXCPU) << 8}) {
    life_ = JobLife{.rules = life_.rules};
    run();
    EXPECT_EQ(end(status).term_reason, kTermCpuLimit) << status;
  }
}

TEST_F(ResLife, XcpuOfAJobWithoutACpuLimitIsItsOwn) {
  run();
  EXPECT_EQ(end(SIGXCPU).term_reason, 0);
}

TEST_F(ResLife, AHarderEndOvertakesASofterOne) {
  run();
  happens(order(Order::TERMINATE));
  EXPECT_THAT(happens(order(Order::TERMINATE, 0, 0, false)), ElementsAre("signal KILL"));
}

TEST_F(ResLife, AStoppedJobSeesItsSignals) {
  run();
  EXPECT_THAT(happens(order(Order::SUSPEND)), ElementsAre("signal STOP", "tell stopped"));
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("signal INT", "signal CONT"));
  EXPECT_THAT(happens(order(Order::RESUME)), ElementsAre("signal CONT", "tell resumed"));
}

TEST_F(ResLife, SignalsThatStopOrContinueAStoppedJobAreSentAlone) {
  run();
  happens(order(Order::SUSPEND));
  for (const std::string name : {"TSTP", "STOP", "CONT", "KILL"}) {
    life_.rules.controls.set_terminate("SIG" + name);
    EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("signal " + name));
  }
  life_.rules.controls.set_terminate("SIGTERM");
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("signal TERM", "signal CONT"));
}

TEST_F(ResLife, AStoppedJobThatOthersContinueIsStoppedAgain) {
  run();
  EXPECT_THAT(happens(event::FoundRunning{}), IsEmpty()) << "it may run";
  happens(order(Order::SUSPEND));
  EXPECT_EQ(next_deadline(life_), now_ + 1s);
  EXPECT_THAT(happens(event::TimePassed{}, 1s), ElementsAre("look for running processes"));
  EXPECT_THAT(happens(event::TimePassed{}, 1s), ElementsAre("look for running processes"));
  EXPECT_THAT(happens(event::FoundRunning{}), ElementsAre("signal STOP", "freeze"));
  EXPECT_EQ(next_deadline(life_), now_ + 250ms);
  EXPECT_THAT(happens(event::TimePassed{}, 250ms), ElementsAre("look for running processes"));
  EXPECT_EQ(next_deadline(life_), now_ + 1s);
  EXPECT_THAT(happens(order(Order::RESUME)), ElementsAre("thaw", "signal CONT", "tell resumed"));
  EXPECT_THAT(happens(event::FoundRunning{}), IsEmpty()) << "found before it went on";
  EXPECT_EQ(next_deadline(life_), std::nullopt);
  happens(order(Order::SEND, SIGSTOP));
  EXPECT_EQ(next_deadline(life_), now_ + 1s);
  EXPECT_THAT(end(0).exit_status, 0);
  EXPECT_EQ(next_deadline(life_), std::nullopt);
}

TEST_F(ResLife, SignalsToAStoppedJobLetItRunForTheTerminateIntervalInAll) {
  run();
  happens(order(Order::SUSPEND));
  happens(event::FoundRunning{});
  for (int second = 0; second < 10; ++second) {
    EXPECT_THAT(happens(order(Order::SEND, SIGUSR1), 1s), testing::Contains("signal CONT")) << second;
    EXPECT_EQ(next_deadline(life_), now_ + 1s);
    happens(event::FoundRunning{});
  }
  EXPECT_THAT(happens(order(Order::SEND, SIGUSR1), 1s), ElementsAre("signal USR1")) << "it handles it later";
  EXPECT_THAT(happens(order(Order::SEND, SIGTERM)), ElementsAre("signal TERM"));
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("signal INT", "thaw", "signal CONT"))
      << "a job that is to end has time for each signal";
  EXPECT_EQ(next_deadline(life_), now_ + 10s);
}

TEST_F(ResLife, APreExecutionIsStoppedWithItsTimeAndGoesOn) {
  life_.rules.pre_exec = true;
  life_.rules.pre_patience = 100s;
  life_.rules.controls.set_suspend("/site/suspend");
  happens(event::Began{});
  EXPECT_THAT(happens(order(Order::SUSPEND), 90s), ElementsAre("signal STOP", "tell stopped"));
  EXPECT_THAT(happens(order(Order::SUSPEND)), IsEmpty());
  EXPECT_THAT(happens(event::TimePassed{}, 1s), ElementsAre("look for running processes"));
  EXPECT_THAT(happens(event::FoundRunning{}), ElementsAre("signal STOP", "freeze"));
  EXPECT_THAT(happens(event::TimePassed{}, 999s), ElementsAre("look for running processes"))
      << "its time does not pass";
  EXPECT_THAT(happens(order(Order::RESUME)), ElementsAre("thaw", "signal CONT", "tell resumed"));
  EXPECT_EQ(next_deadline(life_), now_ + 10s);
  EXPECT_THAT(happens(event::PreEnded{0}), ElementsAre("start the job"));
  EXPECT_THAT(happens(event::JobStarted{}), ElementsAre("tell running"));
}

TEST_F(ResLife, AJobThatWasStoppedBeforeItStartsIsStoppedWhenItDoes) {
  life_.rules.interactive = true;
  happens(event::Began{});
  EXPECT_THAT(happens(order(Order::SUSPEND)), ElementsAre("tell stopped"));
  EXPECT_THAT(happens(event::ClientCame{}), ElementsAre("start the job"));
  EXPECT_THAT(happens(event::JobStarted{}), ElementsAre("tell running", "signal STOP", "tell stopped"));
  EXPECT_EQ(next_deadline(life_), now_ + 1s);
  EXPECT_THAT(happens(order(Order::RESUME)), ElementsAre("signal CONT", "tell resumed"));
  life_ = JobLife{.rules = life_.rules};
  happens(event::Began{});
  happens(order(Order::SUSPEND));
  EXPECT_THAT(happens(order(Order::RESUME)), ElementsAre("tell resumed"));
  happens(event::ClientCame{});
  EXPECT_THAT(happens(event::JobStarted{}), ElementsAre("tell running"));
}

TEST_F(ResLife, TheSitesWayToStopAJobIsNotWatched) {
  life_.rules.stop_signal = SIGUSR1;
  run();
  happens(order(Order::SUSPEND));
  EXPECT_EQ(next_deadline(life_), std::nullopt) << "the job may go on in a way of its own";
  happens(order(Order::RESUME));
  life_.rules.controls.set_suspend("/site/suspend");
  happens(order(Order::SUSPEND));
  EXPECT_EQ(next_deadline(life_), std::nullopt);
}

TEST_F(ResLife, TheCommandThatEndsAStoppedJobHasTime) {
  life_.rules.controls.set_terminate("/site/end");
  run();
  happens(order(Order::SUSPEND));
  happens(event::FoundRunning{});
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("thaw", "run the control /site/end"));
  EXPECT_EQ(next_deadline(life_), now_ + 60s);
}

TEST_F(ResLife, APoliteStopIsFollowedByAStop) {
  life_.rules.polite_stop = true;
  run();
  EXPECT_THAT(happens(order(Order::SUSPEND)), ElementsAre("signal TSTP", "tell stopped"));
  EXPECT_THAT(happens(event::TimePassed{}, 100ms), ElementsAre("signal STOP"));
}

TEST_F(ResLife, ASiteMayNameTheSignalOrTheCommand) {
  life_.rules.stop_signal = SIGUSR1;
  run();
  EXPECT_THAT(happens(order(Order::SUSPEND)), ElementsAre("signal USR1", "tell stopped"));
  life_.rules.controls.set_resume("SIGUSR2");
  EXPECT_THAT(happens(order(Order::RESUME)), ElementsAre("signal USR2", "tell resumed"));
  life_.rules.controls.set_suspend("/site/suspend");
  EXPECT_THAT(happens(order(Order::SUSPEND)), ElementsAre("run the control /site/suspend", "tell stopped"));
  life_.rules.controls.set_terminate("/site/end $LSB_JOBPIDS");
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("run the control /site/end $LSB_JOBPIDS"));
}

TEST_F(ResLife, ARequeueAfterTheCommandOfTerminateEndsTheJobWithSignals) {
  run();
  life_.rules.controls.set_terminate("brequeue $LSB_JOBID");
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("run the control brequeue $LSB_JOBID"));
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("run the control brequeue $LSB_JOBID"));
  auto requeue = order(Order::TERMINATE);
  requeue.order.set_term_reason(kTermRequeueOwner);
  EXPECT_THAT(happens(requeue), ElementsAre("signal INT"));
}

TEST_F(ResLife, ARequeueRunsTheCommandOfTerminateOnce) {
  run();
  life_.rules.controls.set_terminate("brequeue $LSB_JOBID");
  auto requeue = order(Order::TERMINATE);
  requeue.order.set_term_reason(kTermRequeueAdmin);
  EXPECT_THAT(happens(requeue), ElementsAre("run the control brequeue $LSB_JOBID"));
  EXPECT_THAT(happens(requeue), ElementsAre("signal INT"));
}

TEST_F(ResLife, AnOrderIsCarriedOutOnce) {
  run();
  EXPECT_THAT(happens(order(Order::SEND, SIGUSR1, 5)), ElementsAre("signal USR1"));
  EXPECT_THAT(happens(order(Order::SEND, SIGUSR1, 5)), IsEmpty());
  EXPECT_THAT(happens(order(Order::SEND, SIGUSR1, 4)), IsEmpty());
  EXPECT_THAT(happens(order(Order::SEND, SIGUSR1, 6)), ElementsAre("signal USR1"));
}

TEST_F(ResLife, AKillBeforeTheJobKeepsItAway) {
  life_.rules.pre_exec = true;
  happens(event::Began{});
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::PreEnded{SIGKILL}), IsEmpty());
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 35072 14", "finish"));
}

TEST_F(ResLife, TheSitesWayToEndAJobIsForOneThatRuns) {
  life_.rules.pre_exec = true;
  life_.rules.controls.set_terminate("/site/end");
  happens(event::Began{});
  EXPECT_THAT(happens(order(Order::TERMINATE)), ElementsAre("kill all"));
}

TEST_F(ResLife, SignalBeforeTheJobEndsItOrIsDropped) {
  life_.rules.pre_exec = true;
  happens(event::Began{});
  EXPECT_THAT(happens(order(Order::SEND, SIGUSR1)), IsEmpty());
  EXPECT_THAT(happens(order(Order::SEND, SIGTERM)), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 36608 14", "finish"));
}

TEST_F(ResLife, TheRunLimitDoesNotCountStops) {
  life_.rules.limits.set_run_s(100);
  run();
  EXPECT_EQ(next_deadline(life_), now_ + 100s);
  happens(order(Order::SUSPEND), 60s);
  EXPECT_EQ(next_deadline(life_), now_ + 1s) << "a look whether it is stopped, not its limit";
  EXPECT_THAT(happens(event::TimePassed{}, 500s), ElementsAre("look for running processes"));
  happens(order(Order::RESUME), 500s);
  EXPECT_EQ(next_deadline(life_), now_ + 40s);
  EXPECT_THAT(happens(event::TimePassed{}, 40s), ElementsAre("signal USR2"));
  EXPECT_EQ(next_deadline(life_), now_ + 600s);
  EXPECT_THAT(happens(event::TimePassed{}, 600s), ElementsAre("signal KILL"));
  EXPECT_EQ(end(SIGKILL).term_reason, kTermRunLimit);
}

TEST_F(ResLife, AWarningComesBeforeTheRunLimit) {
  life_.rules.limits.set_run_s(100);
  life_.rules.warning_signal = SIGURG;
  life_.rules.warning_before = 30s;
  run();
  EXPECT_EQ(next_deadline(life_), now_ + 70s);
  EXPECT_THAT(happens(event::TimePassed{}, 70s), ElementsAre("signal URG"));
  EXPECT_EQ(next_deadline(life_), now_ + 30s);
}

TEST_F(ResLife, EveryLimitHasItsReason) {
  struct Case {
    std::function<void(wire::Limits&)> set;
    event::Sampled sampled;
    std::string first;
    int reason;
  };
  const std::vector<Case> cases{
      {[](auto& l) { l.set_memory_kb(100); }, {0, 101, 0, 1, 1}, "signal INT", kTermMemLimit},
      {[](auto& l) { l.set_swap_kb(100); }, {0, 0, 101, 1, 1}, "signal INT", kTermSwap},
      {[](auto& l) { l.set_processes(2); }, {0, 0, 0, 3, 3}, "signal INT", kTermProcessLimit},
      {[](auto& l) { l.set_threads(2); }, {0, 0, 0, 1, 3}, "signal INT", kTermThreadLimit},
      {[](auto& l) { l.set_cpu_s(60); }, {60, 0, 0, 1, 1}, "signal XCPU", kTermCpuLimit},
  };
  for (const auto& each : cases) {
    life_ = {};
    each.set(life_.rules.limits);
    run();
    EXPECT_THAT(happens(event::Sampled{0, 1, 1, 1, 1}), IsEmpty()) << each.reason;
    EXPECT_THAT(happens(each.sampled), ElementsAre(each.first)) << each.reason;
    EXPECT_THAT(happens(each.sampled), IsEmpty()) << each.reason;
    EXPECT_EQ(end(SIGKILL).term_reason, each.reason);
  }
}

TEST_F(ResLife, AHardMemoryLimitKillsAtOnce) {
  life_.rules.limits.set_memory_kb(100);
  life_.rules.limits.set_memory_hard(true);
  run();
  EXPECT_THAT(happens(event::Sampled{0, 101, 0, 1, 1}), ElementsAre("signal KILL"));
}

TEST_F(ResLife, MemoryLimitPerProcessIsLeftToTheKernel) {
  life_.rules.limits.set_memory_kb(100);
  life_.rules.memory_of_job = false;
  run();
  EXPECT_THAT(happens(event::Sampled{0, 101, 0, 1, 1}), IsEmpty());
}

TEST_F(ResLife, TheFirstReasonStays) {
  life_.rules.limits.set_memory_kb(100);
  run();
  happens(event::Sampled{0, 101, 0, 1, 1});
  happens(order(Order::TERMINATE, 0, 0, false));
  EXPECT_EQ(end(SIGKILL).term_reason, kTermMemLimit);
}

TEST_F(ResLife, KillFromOutsideHasAReasonOfItsOwn) {
  run();
  EXPECT_EQ(end(SIGKILL).term_reason, kTermExternalSignal);
  life_ = {};
  run();
  EXPECT_EQ(end(SIGSEGV).term_reason, 0);
  EXPECT_EQ(over_.exit_status, 139 << 8);
  life_ = {};
  run();
  EXPECT_EQ(end(143 << 8).term_reason, 0);
}

TEST_F(ResLife, TerminateTimeSendsUsr2) {
  run();
  EXPECT_THAT(happens(event::DeadlinePassed{}), ElementsAre("signal USR2"));
  EXPECT_EQ(end(SIGUSR2).term_reason, kTermDeadline);
}

TEST_F(ResLife, JobEndsWithoutItsGuard) {
  run();
  EXPECT_THAT(happens(event::GuardGone{}), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::JobEnded{SIGKILL}), IsEmpty());
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 3 35072 0", "finish"));
}

TEST_F(ResLife, WithoutItsGuardAJobThatIsOverKeepsItsEnd) {
  life_.rules.post_exec = true;
  run();
  happens(event::JobEnded{3 << 8});
  EXPECT_THAT(happens(event::GuardGone{}), IsEmpty());
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 768 0", "finish"));
}

TEST_F(ResLife, AJobOfThisHostIsNotReleased) {
  run();
  EXPECT_THAT(happens(event::Released{}), IsEmpty());
  EXPECT_EQ(life_.phase, Phase::running);
}

TEST_F(ResLife, TasksOfAnotherHostsJob) {
  life_.rules.first_host = false;
  EXPECT_THAT(happens(event::Began{}), IsEmpty());
  EXPECT_THAT(happens(order(Order::TERMINATE, 0, 0, false)), ElementsAre("signal KILL"));
  EXPECT_THAT(happens(event::Released{}), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("finish"));
}

TEST(ResLifeRules, AreThoseOfTheOrder) {
  wire::JobOrder order;
  auto& start = *order.mutable_start();
  start.add_hosts()->set_slots(1);
  EXPECT_FALSE(attempt_rules(order).polite_stop);
  start.add_hosts()->set_slots(1);
  EXPECT_TRUE(attempt_rules(order).polite_stop);
  start.set_queue_post_exec("x");
  start.mutable_submission()->set_pre_exec("y");
  order.mutable_settings()->set_terminate_interval_ms(1500);
  const auto rules = attempt_rules(order);
  EXPECT_TRUE(rules.first_host && rules.pre_exec && rules.post_exec);
  EXPECT_FALSE(rules.interactive);
  EXPECT_EQ(rules.terminate_interval, 1500ms);
}

}  // namespace
}  // namespace rollcall::res
