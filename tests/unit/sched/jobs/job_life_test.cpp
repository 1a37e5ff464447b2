// The life of one job: the table of job_life.hpp, row by row.

#include <array>
#include <iterator>

#include "tests/unit/sched/jobs/job_life_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

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
       book::on_hosts({"hostB"}),
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
  happens(book::on_hosts({"hostA", "hostB"}));
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderExpect 7 on hostB", "OrderStart 7 on hostA"));
  EXPECT_EQ(job.record.attempt(), 1U);
  EXPECT_FALSE(job.record.started());
}

TEST_F(JobLife, SignalsAreToldAgainToAHostThatReturns) {
  runs();
  happens(event::SignalAsked{kOwner, 10});
  happens(event::StopAsked{kOwner});
  happens(event::ResumeAsked{kOwner});
  happens(event::HostBack{State::running});
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderSignal SEND 10 number 1 to 7 attempt 1 on hostA",
                                                 "OrderSignal RESUME number 3 to 7 attempt 1 on hostA"));
  happens(event::HostBack{State::over});
  EXPECT_THAT(book::orders(effects), IsEmpty());
}

TEST_F(JobLife, StartThatNeverArrivedIsOrderedAgainButNotOfAKilledJob) {
  reset();
  happens(book::on_hosts({"hostA", "hostB"}));
  happens(event::HostBack{});
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderExpect 7 on hostB", "OrderStart 7 on hostA"));
  EXPECT_EQ(job.record.attempt(), 1U);
  happens(ended(0, How::never_seen));
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderExpect 7 on hostB", "OrderStart 7 on hostA"));
  happens(event::KillAsked{kOwner});
  happens(event::HostBack{});
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_OWNER);
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

TEST_F(JobLife, AResumeTakesBackTheHoldOfARequeueThatGoesOn) {
  const auto requeued = [&](bool hold) { happens(event::KillAsked{kOwner, 0, "", true, hold}); };
  const auto then = [&] {
    happens(event::ResumeAsked{kOwner});
    happens(ended(143 << 8));
    return status();
  };
  runs();
  requeued(false);
  happens(event::StopAsked{kOwner});
  EXPECT_EQ(then(), wire::STATUS_PEND) << "brequeue, bstop, bresume";
  runs();
  requeued(true);
  EXPECT_EQ(then(), wire::STATUS_PEND) << "brequeue -H, bresume";
  runs();
  happens(event::StopAsked{kOwner});
  requeued(false);
  happens(event::StopAsked{kOwner});
  EXPECT_EQ(then(), wire::STATUS_PEND) << "bstop, brequeue, bstop, bresume";
  runs();
  requeued(false);
  happens(event::StopAsked{kAdmin});
  EXPECT_EQ(then(), wire::STATUS_PSUSP) << "an administrator's stop is not the owner's to resume";
  EXPECT_TRUE(job.record.stopped_by_admin());
}

TEST_F(JobLife, AStopIsOrderedOnce) {
  runs();
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(book::orders(effects), ElementsAre(HasSubstr("SUSPEND")));
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(book::orders(effects), IsEmpty());
  happens(event::StopAsked{kAdmin});
  EXPECT_THAT(book::orders(effects), IsEmpty());
}

TEST_F(JobLife, JobStoppedAtItsTerminalIsResumedThere) {
  runs();
  happens(event::StoppedThere{});
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  happens(event::ResumedThere{});
  EXPECT_EQ(status(), wire::STATUS_RUN);
}

TEST_F(JobLife, SecondsAreCountedInEachState) {
  reset();
  now = wall_seconds(1010);
  happens(book::on_hosts({"hostA"}));
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
  EXPECT_THAT(book::orders(effects), ElementsAre(HasSubstr("SUSPEND")))
      << "TERMINATE_WHEN = WINDOW leaves a suspension by load";
  happens(event::SuspendPlanned{wire::SUSPEND_WINDOW, "closed"});
  ASSERT_EQ(book::orders(effects).size(), 1u);
  EXPECT_THAT(book::orders(effects)[0], HasSubstr("TERMINATE"));
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
  EXPECT_THAT(book::orders(effects), ElementsAre(HasSubstr("SUSPEND")))
      << "TERMINATE_WHEN = USER leaves a suspension by load";
  happens(event::StopAsked{kOwner});
  ASSERT_EQ(book::orders(effects).size(), 1u);
  EXPECT_THAT(book::orders(effects)[0], HasSubstr("TERMINATE"));
  EXPECT_EQ(job.record.signals(job.record.signals_size() - 1).term_reason(), TERM_OWNER);
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(book::orders(effects), IsEmpty()) << "once";
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

TEST_F(JobLife, RepeatedReportChangesNothing) {
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
}  // namespace rollcall::sched::jobs
