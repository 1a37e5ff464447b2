// The life of one job: the table of job_life.hpp, row by row.
#include "sched/policy/job_life.hpp"

#include "tests/unit/book_fixture.hpp"

namespace rollcall::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using How = report::Over::How;
using State = report::Held::State;

const event::By kOwner{"ann", 1001, true, false};
const event::By kAdmin{"root", 0, false, true};

class JobLife : public testing::Test {
 protected:
  JobLife() {
    asked.set_command("true");
    reset();
  }
  ~JobLife() override { EXPECT_EQ(broken_invariant(job.record), ""); }

  void reset() {
    job.asked = std::make_shared<wire::Submission>(asked);
    job.record = new_record(asked, {7, 0}, 1, "normal", now);
  }
  void happens(const JobHappening& event) {
    effects.clear();
    step(job, rules, event, now, effects);
    EXPECT_EQ(broken_invariant(job.record), "") << text(event);
  }
  void runs(const std::vector<std::string>& hosts = {"hostA"}) {
    reset();
    happens(on_hosts(hosts));
    event::Ran ran;
    ran.told.pid = 42;
    happens(ran);
  }
  void is(wire::JobStatus status) {
    if (status == wire::STATUS_PEND) return reset();
    if (status == wire::STATUS_PSUSP) {
      reset();
      return happens(event::StopAsked{kOwner});
    }
    runs();
    if (status == wire::STATUS_SSUSP) happens(event::SuspendPlanned{wire::SUSPEND_LOAD, ""});
    if (status == wire::STATUS_USUSP) happens(event::StopAsked{kOwner});
    if (status == wire::STATUS_UNKWN || status == wire::STATUS_ZOMBI) happens(event::HostLost{});
    if (status == wire::STATUS_ZOMBI) happens(event::KillAsked{kOwner});
    if (status == wire::STATUS_DONE) happens(ended(0));
    if (status == wire::STATUS_EXIT) happens(ended(1 << 8));
    ASSERT_EQ(job.status(), status);
  }
  static event::Ended ended(int status, How how = How::ended) {
    event::Ended ended;
    ended.told.how = how;
    ended.told.exit_status = status;
    return ended;
  }
  wire::JobStatus status() const { return job.status(); }

  wire::Submission asked;
  LifeRules rules;
  Job job;
  WallTime now = wall_seconds(1000);
  Effects effects;
};

constexpr wire::JobStatus kAll[] = {wire::STATUS_PEND,  wire::STATUS_PSUSP, wire::STATUS_RUN,
                                    wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN,
                                    wire::STATUS_ZOMBI, wire::STATUS_DONE,  wire::STATUS_EXIT};

TEST_F(JobLife, StatusAfterEachEvent) {
  using wire::STATUS_DONE, wire::STATUS_EXIT, wire::STATUS_PEND, wire::STATUS_PSUSP, wire::STATUS_RUN,
      wire::STATUS_SSUSP, wire::STATUS_UNKWN, wire::STATUS_USUSP, wire::STATUS_ZOMBI;
  const event::Ran ran;
  struct Row {
    const char* name;
    JobHappening event;
    std::array<wire::JobStatus, 9> next;  // of PEND PSUSP RUN SSUSP USUSP UNKWN ZOMBI DONE EXIT
  };
  const Row table[] = {
      {"Dispatched",
       on_hosts({"hostB"}),
       {STATUS_RUN, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"KillAsked",
       event::KillAsked{kOwner},
       {STATUS_EXIT, STATUS_EXIT, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_ZOMBI, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"StopAsked",
       event::StopAsked{kOwner},
       {STATUS_PSUSP, STATUS_PSUSP, STATUS_USUSP, STATUS_USUSP, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"ResumeAsked",
       event::ResumeAsked{kOwner},
       {STATUS_PEND, STATUS_PEND, STATUS_RUN, STATUS_SSUSP, STATUS_RUN, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"SuspendPlanned",
       event::SuspendPlanned{wire::SUSPEND_WINDOW, ""},
       {STATUS_PEND, STATUS_PSUSP, STATUS_SSUSP, STATUS_SSUSP, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"ResumePlanned",
       event::ResumePlanned{},
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_RUN, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"Ran",
       ran,
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_RUN, STATUS_RUN,
        STATUS_DONE, STATUS_EXIT}},
      {"Ended",
       ended(0),
       {STATUS_PEND, STATUS_PSUSP, STATUS_DONE, STATUS_DONE, STATUS_DONE, STATUS_DONE, STATUS_DONE,
        STATUS_DONE, STATUS_EXIT}},
      {"StoppedThere",
       event::StoppedThere{},
       {STATUS_PEND, STATUS_PSUSP, STATUS_USUSP, STATUS_SSUSP, STATUS_USUSP, STATUS_USUSP, STATUS_USUSP,
        STATUS_DONE, STATUS_EXIT}},
      {"ResumedThere",
       event::ResumedThere{},
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_RUN, STATUS_RUN,
        STATUS_DONE, STATUS_EXIT}},
      {"HostLost",
       event::HostLost{},
       {STATUS_PEND, STATUS_PSUSP, STATUS_UNKWN, STATUS_UNKWN, STATUS_UNKWN, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"HostBack",
       event::HostBack{State::running},
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_RUN, STATUS_RUN,
        STATUS_DONE, STATUS_EXIT}},
      {"HostBack without",
       event::HostBack{},
       {STATUS_PEND, STATUS_PSUSP, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT,
        STATUS_DONE, STATUS_EXIT}},
      {"RemoveAsked",
       event::RemoveAsked{kOwner, ""},
       {STATUS_EXIT, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT, STATUS_EXIT,
        STATUS_DONE, STATUS_EXIT}},
      {"SignalAsked",
       event::SignalAsked{kOwner, 10},
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"RestartAsked",
       event::RestartAsked{kOwner},
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_PEND, STATUS_PEND}},
      {"PostEnded",
       event::PostEnded{},
       {STATUS_PEND, STATUS_PSUSP, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_UNKWN, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
      {"TerminateTimeCame",
       event::TerminateTimeCame{},
       {STATUS_EXIT, STATUS_EXIT, STATUS_RUN, STATUS_SSUSP, STATUS_USUSP, STATUS_ZOMBI, STATUS_ZOMBI,
        STATUS_DONE, STATUS_EXIT}},
  };
  for (const Row& row : table)
    for (std::size_t i = 0; i < std::size(kAll); ++i) {
      is(kAll[i]);
      happens(row.event);
      EXPECT_EQ(status(), row.next[i]) << row.name << " of status " << kAll[i];
    }
}

TEST_F(JobLife, DispatchExpectsOnTheOthersAndStartsOnTheFirst) {
  reset();
  happens(on_hosts({"hostA", "hostB"}));
  EXPECT_THAT(orders(effects), ElementsAre("OrderExpect 7 on hostB", "OrderStart 7 on hostA"));
  EXPECT_EQ(job.record.attempt(), 1U);
  EXPECT_FALSE(job.record.started());
}

TEST_F(JobLife, KillingWhatRunsIsAnOrderToEveryHost) {
  runs({"hostA", "hostB"});
  rules.sequential = false;
  happens(event::KillAsked{kAdmin});
  EXPECT_THAT(orders(effects), ElementsAre("OrderSignal TERMINATE at once number 1 to 7 attempt 1 on hostA",
                                           "OrderSignal TERMINATE at once number 1 to 7 attempt 1 on hostB"));
  auto end = ended(143 << 8);
  happens(end);
  EXPECT_EQ(job.record.term_reason(), TERM_ADMIN);
  EXPECT_THAT(orders(effects),
              ElementsAre("OrderAcknowledge 7 attempt 1 to hostA", "OrderRelease 7 attempt 1 on hostB"));
}

TEST_F(JobLife, AnEndOfItsOwnAfterAKillIsNoKill) {
  runs();
  happens(event::KillAsked{kOwner});
  happens(ended(3 << 8));
  EXPECT_EQ(job.record.term_reason(), TERM_UNKNOWN);
  EXPECT_EQ(job.record.exit_status(), 3 << 8);
}

TEST_F(JobLife, WhatEndedAJobBeforeItRanStaysKnownAndAnOldReasonDoesNot) {
  runs();
  job.record.set_start_failure("of another attempt");
  auto end = ended(1 << 8);
  end.told.why = "cannot open in";
  happens(end);
  EXPECT_EQ(job.record.status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.start_failure(), "cannot open in");
}

TEST_F(JobLife, SignalsAreToldAgainToAHostThatReturns) {
  runs();
  happens(event::SignalAsked{kOwner, 10});
  happens(event::StopAsked{kOwner});
  happens(event::ResumeAsked{kOwner});
  happens(event::HostBack{State::running});
  EXPECT_THAT(orders(effects), ElementsAre("OrderSignal SEND 10 number 1 to 7 attempt 1 on hostA",
                                           "OrderSignal RESUME number 3 to 7 attempt 1 on hostA"));
  happens(event::HostBack{State::over});
  EXPECT_THAT(orders(effects), IsEmpty());
}

TEST_F(JobLife, StartThatNeverArrivedIsOrderedAgainButNotOfAKilledJob) {
  reset();
  happens(on_hosts({"hostA", "hostB"}));
  happens(event::HostBack{});
  EXPECT_THAT(orders(effects), ElementsAre("OrderExpect 7 on hostB", "OrderStart 7 on hostA"));
  EXPECT_EQ(job.record.attempt(), 1U);
  happens(ended(0, How::never_seen));
  EXPECT_THAT(orders(effects), ElementsAre("OrderExpect 7 on hostB", "OrderStart 7 on hostA"));
  happens(event::KillAsked{kOwner});
  happens(event::HostBack{});
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_OWNER);
}

TEST_F(JobLife, LostJobsRunAgainOnlyIfTheyMay) {
  for (const auto how : {How::supervisor_lost, How::host_restarted, How::never_seen}) {
    rules.rerunnable = false;
    runs();
    happens(ended(0, how));
    EXPECT_EQ(status(), wire::STATUS_EXIT);
    EXPECT_TRUE(job.record.lost());
    EXPECT_NE(job.record.term_reason(), TERM_UNKNOWN);
    EXPECT_NE(job.record.exit_status(), 0);
    rules.rerunnable = true;
    runs();
    happens(ended(0, how));
    EXPECT_EQ(status(), wire::STATUS_PEND);
    runs();
    happens(event::KillAsked{kOwner});
    happens(ended(0, how));
    EXPECT_EQ(status(), wire::STATUS_EXIT);
    EXPECT_EQ(job.record.term_reason(), TERM_OWNER);
  }
  runs();
  happens(event::HostLost{});
  EXPECT_EQ(status(), wire::STATUS_PEND);
}

TEST_F(JobLife, AKilledJobDoesNotRunAgainBecauseItsHostIsLost) {
  rules.rerunnable = true;
  runs();
  event::KillAsked kill{kOwner};
  happens(kill);
  happens(event::HostLost{});
  EXPECT_EQ(status(), wire::STATUS_ZOMBI);
  runs();
  kill.requeue = true;
  happens(kill);
  happens(event::HostLost{});
  EXPECT_EQ(status(), wire::STATUS_PEND) << "that is what brequeue asked for";
}

TEST_F(JobLife, PreExecutionIsTriedAFewTimesElsewhere) {
  rules.most_preexec_retries = 2;
  reset();
  happens(on_hosts({"hostA"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA"));
  EXPECT_THAT(job.record.start_failure(), HasSubstr("code 9"));
  now = wall_seconds(1060);
  happens(event::AvoidanceOver{});
  EXPECT_THAT(job.record.excluded_hosts(), IsEmpty());
  happens(on_hosts({"hostA"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PSUSP);
  happens(event::ResumeAsked{kOwner});
  rules.exit_after_preexec_retries = true;
  happens(on_hosts({"hostB"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  happens(on_hosts({"hostC"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_PRE_EXEC_FAIL);
}

TEST_F(JobLife, APreExecutionMayEndItsJob) {
  reset();
  happens(on_hosts({"hostA"}));
  happens(ended(99 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.exit_status(), 99 << 8);
}

TEST_F(JobLife, WhatCouldNotStartWaitsButNobodyWaitsForAClientThatWentAway) {
  reset();
  happens(on_hosts({"hostA"}));
  happens(ended(0, How::not_started));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  asked.set_interactive(wire::Submission::PLAIN);
  reset();
  happens(on_hosts({"hostA"}));
  happens(ended(0, How::not_started));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
}

TEST_F(JobLife, AMissingDirectoryOfBsubCwdEndsTheJob) {
  reset();
  happens(on_hosts({"hostA"}));
  auto over = ended(127 << 8, How::not_started);
  over.told.cwd_missing = true;
  happens(over);
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_CWD_NOTEXIST);
  EXPECT_EQ(job.record.exit_status(), 127 << 8);
}

TEST_F(JobLife, RequeueExitValues) {
  rules.requeue_exits.codes = {77};
  rules.requeue_exits.excluded = {78};
  rules.most_requeues = 2;
  runs();
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(job.record.excluded_hosts(), IsEmpty());
  happens(on_hosts({"hostA"}));
  happens(ended(78 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA"));
  EXPECT_THAT(job.record.avoided(), IsEmpty());
  happens(on_hosts({"hostB"}));
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_EXIT) << "MAX_JOB_REQUEUE";
  runs();
  happens(event::KillAsked{kOwner});
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_EXIT) << "killed";
  rules = {};
  rules.requeue_exits.all = true;
  rules.requeue_exits.codes = {5};
  runs();
  happens(ended(0));
  EXPECT_EQ(status(), wire::STATUS_DONE) << "success is no failure";
  runs();
  happens(ended(5 << 8));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  runs();
  happens(ended(6 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
}

TEST_F(JobLife, AHostThatIsExcludedForGoodIsNotAvoidedForAWhile) {
  rules.requeue_exits.excluded = {78};
  runs();
  happens(ended(78 << 8));
  happens(on_hosts({"hostA"}));  // brun
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_THAT(job.record.avoided(), IsEmpty());
  now = wall_seconds(5000);
  happens(event::AvoidanceOver{});
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA"));
}

TEST_F(JobLife, AHostWhoseClockIsBehindEndsNoJobBeforeItsStart) {
  runs();
  auto end = ended(0);
  end.told.end_us = now.us - 1;
  happens(end);
  EXPECT_EQ(job.record.end_us(), job.record.start_us());
}

TEST_F(JobLife, RequeuedByItsOwner) {
  runs();
  const auto submitted = job.record.submit_us();
  event::KillAsked kill{kOwner};
  kill.requeue = true;
  kill.hold = true;
  happens(kill);
  now = wall_seconds(1010);
  happens(ended(143 << 8));
  EXPECT_EQ(status(), wire::STATUS_PSUSP);
  EXPECT_EQ(job.record.submit_us(), submitted);
  EXPECT_THAT(lines(effects), testing::Contains("RecordEvent requeue of 7"));
}

TEST_F(JobLife, AnAdministratorsStopIsNotTheOwnersToResume) {
  runs();
  happens(event::StopAsked{kAdmin});
  happens(event::ResumeAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  happens(event::ResumeAsked{kAdmin});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  reset();
  happens(event::StopAsked{kAdmin});
  happens(event::ResumeAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_PSUSP);
}

TEST_F(JobLife, AStopIsOrderedOnce) {
  runs();
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SUSPEND")));
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(orders(effects), IsEmpty());
  happens(event::StopAsked{kAdmin});
  EXPECT_THAT(orders(effects), IsEmpty());
}

TEST_F(JobLife, AStopOfTheTerminalGoesAsItCame) {
  runs();
  happens(event::StoppedThere{});
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  happens(event::ResumedThere{});
  EXPECT_EQ(status(), wire::STATUS_RUN);
}

TEST_F(JobLife, RemovedJobsAreGoneWhateverTheHostSays) {
  is(wire::STATUS_ZOMBI);
  happens(event::RemoveAsked{kOwner, "hung"});
  EXPECT_EQ(job.record.term_reason(), TERM_FORCE_OWNER);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SEND 9 ")));
  runs();
  happens(event::RemoveAsked{kAdmin, ""});
  EXPECT_EQ(job.record.term_reason(), TERM_ADMIN);
}

TEST_F(JobLife, PostExecution) {
  runs();
  auto end = ended(0);
  end.told.post_follows = true;
  happens(end);
  EXPECT_EQ(job.record.post_status(), wire::POST_RUNNING);
  happens(event::PostEnded{true});
  EXPECT_EQ(job.record.post_status(), wire::POST_ERR);
  EXPECT_EQ(status(), wire::STATUS_DONE);
}

TEST_F(JobLife, APostExecutionThatRunsIsEndedByAKillAndTheJobStaysAsItIs) {
  runs();
  auto end = ended(0);
  end.told.post_follows = true;
  happens(end);
  happens(event::KillAsked{kOwner, 9, ""});
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SEND 9 "))) << "to the first host alone";
  EXPECT_EQ(status(), wire::STATUS_DONE);
  happens(event::PostEnded{true});
  EXPECT_EQ(job.record.post_status(), wire::POST_ERR);
  happens(event::KillAsked{kOwner, 9, ""});
  EXPECT_THAT(orders(effects), ElementsAre()) << "nothing runs any more";
}

TEST_F(JobLife, SecondsInEachState) {
  reset();
  now = wall_seconds(1010);
  happens(on_hosts({"hostA"}));
  now = wall_seconds(1030);
  happens(event::StopAsked{kOwner});
  now = wall_seconds(1035);
  happens(event::HostLost{});
  now = wall_seconds(1040);
  happens(event::HostBack{State::stopped});
  happens(event::ResumeAsked{kOwner});
  now = wall_seconds(1050);
  happens(event::SuspendPlanned{wire::SUSPEND_LOAD, ""});
  now = wall_seconds(1057);
  happens(ended(0));
  const auto& r = job.record;
  EXPECT_THAT(
      (std::vector<std::int64_t>{r.pend_s(), r.psusp_s(), r.run_s(), r.ususp_s(), r.ssusp_s(), r.unkwn_s()}),
      ElementsAre(10, 0, 30, 5, 7, 5));
}

TEST_F(JobLife, TerminateWhenEndsWhatWouldBeSuspended) {
  rules.terminate_for = wire::SUSPEND_WINDOW;
  runs();
  happens(event::SuspendPlanned{wire::SUSPEND_LOAD, "busy"});
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SUSPEND"))) << "of the load nothing was said";
  happens(event::SuspendPlanned{wire::SUSPEND_WINDOW, "closed"});
  ASSERT_EQ(orders(effects).size(), 1u);
  EXPECT_THAT(orders(effects)[0], HasSubstr("TERMINATE"));
  happens(event::SuspendPlanned{wire::SUSPEND_WINDOW, "closed"});
  EXPECT_THAT(effects, IsEmpty()) << "once";
  auto end = ended(143 << 8);
  end.told.term_reason = TERM_WINDOW;
  happens(end);
  EXPECT_EQ(job.status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_WINDOW);
}

TEST_F(JobLife, TerminateWhenUserEndsWhatSomebodyStops) {
  rules.terminate_for = wire::SUSPEND_USER | wire::SUSPEND_ADMIN;
  runs();
  happens(event::SuspendPlanned{wire::SUSPEND_LOAD, "busy"});
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SUSPEND"))) << "that is nobody's";
  happens(event::StopAsked{kOwner});
  ASSERT_EQ(orders(effects).size(), 1u);
  EXPECT_THAT(orders(effects)[0], HasSubstr("TERMINATE"));
  EXPECT_EQ(job.record.signals(job.record.signals_size() - 1).term_reason(), TERM_OWNER);
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(orders(effects), IsEmpty()) << "once";
}

TEST_F(JobLife, TerminateWhenUserHoldsWhatPends) {
  rules.terminate_for = wire::SUSPEND_USER | wire::SUSPEND_ADMIN;
  happens(event::StopAsked{kOwner});
  EXPECT_EQ(job.status(), wire::STATUS_PSUSP);
}

TEST_F(JobLife, TerminateWhenTellsTheReasonWithTheOrder) {
  rules.terminate_for = wire::SUSPEND_WINDOW | wire::SUSPEND_LOAD;
  runs();
  happens(event::SuspendPlanned{wire::SUSPEND_LOAD, "busy"});
  ASSERT_EQ(job.record.signals_size(), 1);
  EXPECT_EQ(job.record.signals(0).action(), wire::SentSignal::TERMINATE);
  EXPECT_EQ(job.record.signals(0).term_reason(), TERM_LOAD);
  EXPECT_EQ(job.status(), wire::STATUS_SSUSP);
}

TEST_F(JobLife, TwiceIsOnce) {
  runs();
  const auto before = job.record.SerializeAsString();
  event::Ran ran;
  ran.told.pid = 42;
  happens(ran);
  EXPECT_THAT(effects, IsEmpty());
  EXPECT_EQ(job.record.SerializeAsString(), before);
  happens(ended(0));
  happens(ended(0));
  EXPECT_THAT(effects, IsEmpty());
}

}  // namespace
}  // namespace rollcall::sched
