// How jobs end: on their own, killed, lost with their host, requeued, after a failed pre-execution.

#include <algorithm>

#include "tests/unit/sched/jobs/job_life_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

TEST_F(JobLife, KillingWhatRunsIsAnOrderToEveryHost) {
  runs({"hostA", "hostB"});
  rules.sequential = false;
  happens(event::KillAsked{kAdmin});
  EXPECT_THAT(book::orders(effects),
              ElementsAre("OrderSignal TERMINATE at once number 1 to 7 attempt 1 on hostA",
                          "OrderSignal TERMINATE at once number 1 to 7 attempt 1 on hostB"));
  auto end = ended(143 << 8);
  happens(end);
  EXPECT_EQ(job.record.term_reason(), TERM_ADMIN);
  EXPECT_THAT(book::orders(effects),
              ElementsAre("OrderAcknowledge 7 attempt 1 to hostA", "OrderRelease 7 attempt 1 on hostB"));
}

TEST_F(JobLife, JobThatEndsByItselfAfterAKillIsNotKilled) {
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

// The attempt that is being ended cannot be stopped: the order is for the job.
TEST_F(JobLife, AJobThatIsStoppedWhileItIsRequeuedPendsStopped) {
  for (const auto& by : {kOwner, kAdmin}) {
    reset();
    runs();
    event::KillAsked kill{kOwner};
    kill.requeue = true;
    happens(kill);
    happens(event::StopAsked{by});
    EXPECT_EQ(status(), wire::STATUS_RUN);
    happens(ended(15));
    EXPECT_EQ(status(), wire::STATUS_PSUSP);
    EXPECT_EQ(job.record.stopped_by_user(), by.owner);
    EXPECT_EQ(job.record.stopped_by_admin(), !by.owner);
    happens(event::ResumeAsked{by});
    EXPECT_EQ(status(), wire::STATUS_PEND);
  }
}

TEST_F(JobLife, PreExecutionIsTriedAFewTimesElsewhere) {
  rules.most_preexec_retries = 2;
  reset();
  happens(book::on_hosts({"hostA"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA"));
  EXPECT_THAT(job.record.start_failure(), HasSubstr("code 9"));
  now = wall_seconds(1060);
  happens(event::AvoidanceOver{});
  EXPECT_THAT(job.record.excluded_hosts(), IsEmpty());
  happens(book::on_hosts({"hostA"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PSUSP);
  happens(event::ResumeAsked{kOwner});
  rules.exit_after_preexec_retries = true;
  happens(book::on_hosts({"hostB"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  happens(book::on_hosts({"hostC"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_PRE_EXEC_FAIL);
}

// "MAX_PREEXEC_RETRY, MAX_JOB_REQUEUE ... apply to jobs running on remote leased hosts as if they are running on local hosts".
TEST_F(JobLife, RetryLimitsCountBorrowedHostsAsOurOwn) {
  rules.most_preexec_retries = 2;
  rules.most_remote_preexec_retries = 1;
  reset();
  happens(book::on_hosts({"hostA@east"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PEND) << "REMOTE_MAX_PREEXEC_RETRY is of forwarded jobs";
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA@east"));
  happens(book::on_hosts({"hostB"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PSUSP);
  rules = {};
  rules.requeue_exits.codes = {77};
  rules.most_requeues = 2;
  runs({"hostA@east"});
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  happens(book::on_hosts({"hostA@east"}));
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  happens(book::on_hosts({"hostB@east"}));
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
}

TEST_F(JobLife, AnotherClustersJobIsGivenBackWhenItsPreExecutionHasFailedOftenEnough) {
  rules.most_preexec_retries = 1;
  rules.most_remote_preexec_retries = 2;
  reset();
  job.record.mutable_from()->set_cluster("west");
  happens(book::on_hosts({"hostA"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_PEND) << "the limit of this cluster's own jobs does not count";
  happens(book::on_hosts({"hostB"}));
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_TRUE(job.record.from().withdrawn());
  EXPECT_EQ(job.record.term_reason(), TERM_PRE_EXEC_FAIL);
}

TEST_F(JobLife, APreExecutionMayEndItsJob) {
  reset();
  happens(book::on_hosts({"hostA"}));
  happens(ended(99 << 8, How::pre_exec_failed));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.exit_status(), 99 << 8);
}

TEST_F(JobLife, WhatCouldNotStartWaitsButNobodyWaitsForAClientThatWentAway) {
  reset();
  happens(book::on_hosts({"hostA"}));
  happens(ended(0, How::not_started));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  asked.set_interactive(wire::Submission::PLAIN);
  reset();
  happens(book::on_hosts({"hostA"}));
  happens(ended(0, How::not_started));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
}

TEST_F(JobLife, AMissingDirectoryOfBsubCwdEndsTheJob) {
  reset();
  happens(book::on_hosts({"hostA"}));
  auto over = ended(127 << 8, How::not_started);
  over.told.cwd_missing = true;
  happens(over);
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_CWD_NOTEXIST);
  EXPECT_EQ(job.record.exit_status(), 127 << 8);
}

TEST_F(JobLife, RequeueExitValuesSendAJobBackAsOftenAsAllowed) {
  rules.requeue_exits.codes = {77};
  rules.requeue_exits.excluded = {78};
  rules.most_requeues = 2;
  runs();
  happens(ended(77 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(job.record.excluded_hosts(), IsEmpty());
  happens(book::on_hosts({"hostA"}));
  happens(ended(78 << 8));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA"));
  EXPECT_THAT(job.record.avoided(), IsEmpty());
  happens(book::on_hosts({"hostB"}));
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
  happens(book::on_hosts({"hostA"}));  // brun
  happens(ended(9 << 8, How::pre_exec_failed));
  EXPECT_THAT(job.record.avoided(), IsEmpty());
  now = wall_seconds(5000);
  happens(event::AvoidanceOver{});
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("hostA"));
}

TEST_F(JobLife, TheEndThatAHostTellsCountsWithinTheAttempt) {
  runs();
  auto end = ended(0);
  end.told.end_us = job.record.start_us() + 1;
  now = wall_seconds(5000);
  happens(end);
  EXPECT_EQ(job.record.end_us(), job.record.start_us() + 1);
}

TEST_F(JobLife, AHostWhoseClockIsWrongEndsItsJobsWhenItTellsSo) {
  const std::int64_t hour = 3'600'000'000;
  for (const std::int64_t error : {-hour, hour}) {
    runs();
    now.us += 60'000'000;
    auto end = ended(0);
    end.told.end_us = now.us + error;
    happens(end);
    EXPECT_EQ(job.record.end_us(), now.us);
  }
}

TEST_F(JobLife, OwnerMayRequeue) {
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
  const auto lines = book::lines(effects);
  const auto requeued = std::find(lines.begin(), lines.end(), "RecordEvent requeue of 7");
  EXPECT_NE(std::find(requeued, lines.end(), "RecordEvent status of 7 2"), lines.end())
      << "bhist counts it as PSUSP";
}

TEST_F(JobLife, RemovedJobsAreGoneWhateverTheHostSays) {
  is(wire::STATUS_ZOMBI);
  happens(event::RemoveAsked{kOwner, "hung"});
  EXPECT_EQ(job.record.term_reason(), TERM_FORCE_OWNER);
  EXPECT_THAT(book::orders(effects), ElementsAre(HasSubstr("SEND 9 ")));
  runs();
  happens(event::RemoveAsked{kAdmin, ""});
  EXPECT_EQ(job.record.term_reason(), TERM_ADMIN);
}

TEST_F(JobLife, PostExecutionHasAStatusOfItsOwn) {
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
  EXPECT_THAT(book::orders(effects), ElementsAre(HasSubstr("SEND 9 "))) << "to the first host alone";
  EXPECT_EQ(status(), wire::STATUS_DONE);
  happens(event::PostEnded{true});
  EXPECT_EQ(job.record.post_status(), wire::POST_ERR);
  happens(event::KillAsked{kOwner, 9, ""});
  EXPECT_THAT(book::orders(effects), ElementsAre()) << "no process runs any more";
}

}  // namespace
}  // namespace rollcall::sched::jobs
