// The part here of another cluster's job, and a job with parts elsewhere: docs/decisions/0106.
#include "tests/unit/sched/jobs/job_life_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

template <class Order>
std::vector<std::string> hosts_of(const Effects& effects) {
  std::vector<std::string> hosts;
  for (const auto& one : effects)
    if (const auto* order = std::get_if<Order>(&one)) hosts.push_back(order->host);
  return hosts;
}

class PartLife : public JobLife {
 protected:
  PartLife() { begins(); }
  void begins() {
    reset();
    auto& from = *job.record.mutable_from();
    from.set_cluster("west");
    from.set_lease(5);
    from.set_part(true);
    auto plan = book::on_hosts({"hostA", "hostB"});
    plan.wait_for_go = true;
    happens(plan);
  }
  void runs_there() {
    happens(event::Prepared{"hostA"});
    happens(event::Prepared{"hostB"});
  }
  void gone() {
    happens(event::PartGone{"hostA"});
    happens(event::PartGone{"hostB"});
  }
  bool releasing() const { return job.record.from().releasing(); }
};

TEST_F(PartLife, OrdersAllHostsToExpectTasksAndNoneToStart) {
  EXPECT_THAT(hosts_of<effect::OrderExpect>(effects), ElementsAre("hostA", "hostB"));
  EXPECT_THAT(hosts_of<effect::OrderStart>(effects), IsEmpty());
}

TEST_F(PartLife, RunsWhenAllHostsHavePrepared) {
  happens(event::Prepared{"hostA"});
  EXPECT_TRUE(job.record.starting());
  happens(event::Prepared{"hostB"});
  EXPECT_FALSE(job.record.starting());
  EXPECT_TRUE(job.record.started());
  EXPECT_THAT(hosts_of<effect::OrderGo>(effects), IsEmpty()) << "its first host is elsewhere";
}

TEST_F(PartLife, RunsWhenItsHostsTellARestartedMbatchdThatTheyHavePrepared) {
  happens(event::Prepared{"hostA"});
  job.launch = {};  // not stored
  runs_there();
  EXPECT_TRUE(job.record.started());
}

TEST_F(PartLife, IsOverOnlyWhenEveryHostHasNothingLeftOfIt) {
  runs_there();
  happens(event::PartReleased{});
  EXPECT_THAT(hosts_of<effect::OrderRelease>(effects), ElementsAre("hostA", "hostB"));
  EXPECT_TRUE(releasing());
  EXPECT_EQ(status(), wire::STATUS_RUN) << "its slots are in use";
  happens(event::PartGone{"hostB"});
  happens(event::PartGone{"hostB"});
  EXPECT_EQ(status(), wire::STATUS_RUN) << "one host twice";
  happens(event::PartGone{"hostA"});
  EXPECT_EQ(status(), wire::STATUS_DONE);
}

TEST_F(PartLife, DoesNotEndUnlessItIsReleased) {
  runs_there();
  gone();
  EXPECT_EQ(status(), wire::STATUS_RUN);
  happens(event::HostLost{});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  happens(event::HostLost{true});
  EXPECT_EQ(status(), wire::STATUS_RUN);
}

TEST_F(PartLife, IsReleasedWhereAHostDoesNotTakeIt) {
  happens(event::NotPrepared{"hostB", "no such user"});
  EXPECT_TRUE(releasing());
  EXPECT_EQ(job.record.from().lent_end(), wire::ForwardedFrom::LENT_NOT_STARTED);
  EXPECT_EQ(job.record.from().due_to_host(), "hostB");
  gone();
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.start_failure(), "hostB: no such user");
  begins();
  happens(event::StartNotTaken{"hostA has gone", "hostA"});
  EXPECT_TRUE(releasing());
  EXPECT_EQ(job.record.from().due_to_host(), "hostA");
}

TEST_F(PartLife, IsKilledByReleasingIt) {
  runs_there();
  happens(event::KillAsked{kAdmin});
  EXPECT_THAT(hosts_of<effect::OrderRelease>(effects), ElementsAre("hostA", "hostB"));
  EXPECT_THAT(hosts_of<effect::OrderSignal>(effects), IsEmpty());
  gone();
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_ADMIN);
}

TEST_F(PartLife, OnlyAnAdministratorGivesUpWhatIsLeftOfIt) {
  runs_there();
  happens(event::RemoveAsked{kOwner, ""});
  EXPECT_TRUE(releasing());
  EXPECT_EQ(status(), wire::STATUS_RUN) << "a user's word frees no slot";
  happens(event::RemoveAsked{kAdmin, ""});
  EXPECT_EQ(status(), wire::STATUS_EXIT);
}

TEST_F(PartLife, StopsAndGoesOnOnAllHosts) {
  runs_there();
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(hosts_of<effect::OrderSignal>(effects), ElementsAre("hostA", "hostB"));
  happens(event::ResumeAsked{kOwner});
  EXPECT_THAT(hosts_of<effect::OrderSignal>(effects), ElementsAre("hostA", "hostB"));
  happens(event::PartReleased{});
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(effects, IsEmpty()) << "it is to end";
}

class SpanLife : public JobLife {
 protected:
  void begins() {
    reset();
    auto plan = book::on_hosts({"hostA", "n2@east"});
    plan.wait_for_go = true;
    happens(plan);
  }
  void begins_there() {
    begins();
    happens(event::Prepared{"hostA"});
    happens(event::Prepared{"n2@east"});
    event::Ran ran;
    ran.told.pid = 42;
    happens(ran);
  }
};

TEST_F(SpanLife, PendsAgainWhereAPartIsNotAcceptedBeforeTheGoAhead) {
  begins();
  happens(event::PartLost{"n2@east", "the lease has changed", true});
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(hosts_of<effect::OrderRelease>(effects), ElementsAre("hostA", "n2@east"));
  EXPECT_THAT(job.record.excluded_hosts(), IsEmpty()) << "the next grant may be accepted";
  begins();
  happens(event::PartLost{"n2@east", "no such user", false});
  EXPECT_THAT(job.record.excluded_hosts(), ElementsAre("n2@east"));
}

TEST_F(SpanLife, IsNotStartedThousandsOfTimesWhereAPartIsRefusedAgainAndAgain) {
  begins();
  happens(event::PartLost{"n2@east", "host n2 is closed", true});
  EXPECT_EQ(job.record.paused_until_us(), 0);
  for (int time = 0; time < 3; ++time) {
    auto plan = book::on_hosts({"hostA", "n2@east"});
    plan.wait_for_go = true;
    happens(plan);
    happens(event::PartLost{"n2@east", "host n2 is closed", true});
  }
  EXPECT_EQ(job.record.paused_until_us(), now.us + 4'000'000);
}

TEST_F(SpanLife, PendsAgainWhereItNeverRanAndAPartWasLostWhileMbatchdWasRestarted) {
  for (const bool recalled : {false, true}) {
    begins();
    job.launch = {};  // not stored
    happens(event::PartLost{"n2@east", "no such user", recalled});
    EXPECT_EQ(status(), wire::STATUS_RUN) << "its first host has not said whether it runs";
    event::HostBack back;
    back.held = report::Held::State::prepared;
    happens(back);
    EXPECT_EQ(status(), wire::STATUS_PEND);
    EXPECT_THAT(hosts_of<effect::OrderRelease>(effects), ElementsAre("hostA", "n2@east"));
  }
}

TEST_F(SpanLife, AStoppedJobPendsStoppedWhereAPartIsRecalled) {
  begins_there();
  happens(event::StopAsked{kOwner});
  happens(event::PartLost{"n2@east", "no longer exported", true});
  happens(ended(9));
  EXPECT_EQ(status(), wire::STATUS_PSUSP);
  EXPECT_TRUE(job.record.stopped_by_user());
}

TEST_F(SpanLife, IsRequeuedWhereAPartIsRecalled) {
  begins_there();
  happens(event::PartLost{"n2@east", "no longer exported", true});
  EXPECT_EQ(status(), wire::STATUS_RUN) << "until its first host says that it is over";
  EXPECT_THAT(hosts_of<effect::OrderSignal>(effects), ElementsAre("hostA", "n2@east"));
  happens(event::PartLost{"n2@east", "again", true});
  EXPECT_THAT(effects, IsEmpty());
  happens(ended(9));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_EQ(job.record.requeues(), 0) << "no retry limit counts it";
}

TEST_F(SpanLife, IsKilledWhereAPartHasEnded) {
  begins_there();
  happens(event::PartLost{"n2@east", "killed there", false});
  happens(ended(9));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
}

TEST_F(SpanLife, IsRequeuedWhereAPartIsLostAndItMayRunAgain) {
  rules.rerunnable = true;
  begins_there();
  happens(event::PartLost{"n2@east", "lost", false});
  happens(ended(9));
  EXPECT_EQ(status(), wire::STATUS_PEND);
}

}  // namespace
}  // namespace rollcall::sched::jobs
