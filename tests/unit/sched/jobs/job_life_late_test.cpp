// Ends that are heard long after them, of jobs on borrowed hosts and in other clusters: each second counts for the state that the job had.
#include "sched/policy/jobs/two_sided_stop.hpp"
#include "tests/unit/sched/jobs/job_life_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

class LateEnd : public JobLife {
 protected:
  // Runs on a borrowed host since 1000.
  void borrowed() { runs({"b1@east"}); }
  // Heard now: it took so long, and has been over for so long.
  event::Ended heard(int status, How how, std::int64_t took_s, std::int64_t ended_s_ago) const {
    event::Ended event = ended(status, how);
    event.told.run_s = took_s;
    event.told.took_s = took_s;
    event.told.ended_s_ago = ended_s_ago;
    return event;
  }
  std::vector<wire::JobEvent> events() const {
    std::vector<wire::JobEvent> found;
    for (const auto& effect : effects)
      if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect)) found.push_back(recorded->event);
    return found;
  }
  // PEND PSUSP RUN USUSP SSUSP UNKWN, up to now.
  std::vector<std::int64_t> sums() const {
    const wire::JobRecord& record = with_present_seconds(job.record, now);
    return {record.pend_s(),  record.psusp_s(), record.run_s(),
            record.ususp_s(), record.ssusp_s(), record.unkwn_s()};
  }
};

TEST_F(LateEnd, ARecalledJobRanAsLongAsItsProviderSays) {
  borrowed();
  now = wall_seconds(1100);
  happens(heard(137 << 8, How::withdrawn, 40, 60));
  ASSERT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(sums(), ElementsAre(60, 0, 40, 0, 0, 0));
  ASSERT_EQ(events().size(), 1U);
  EXPECT_EQ(events()[0].status().status(), wire::STATUS_PEND);
  EXPECT_EQ(events()[0].status().end_us(), wall_seconds(1040).us);
  EXPECT_EQ(events()[0].status().why(), "slots on b1@east were taken back") << "a host of its cluster";
  EXPECT_EQ(job.record.start_failure(), "") << "it had started";
  now = wall_seconds(1110);
  EXPECT_THAT(sums(), ElementsAre(70, 0, 40, 0, 0, 0)) << "it pends since it was taken back";
}

TEST_F(LateEnd, TheTimeThatItWasUnknownAfterItsEndIsNotItsOwn) {
  borrowed();
  now = wall_seconds(1060);
  happens(event::HostLost{true});
  ASSERT_EQ(status(), wire::STATUS_UNKWN);
  now = wall_seconds(1100);
  happens(heard(0, How::ended, 40, 60));
  EXPECT_EQ(status(), wire::STATUS_DONE);
  EXPECT_EQ(job.record.end_us(), wall_seconds(1040).us);
  EXPECT_THAT(sums(), ElementsAre(0, 0, 40, 0, 0, 0));
}

TEST_F(LateEnd, TheTimeThatItWasUnknownAndToBeKilledAfterItsEndIsNotItsOwnEither) {
  borrowed();
  now = wall_seconds(1060);
  happens(event::HostLost{true});
  now = wall_seconds(1080);
  happens(event::KillAsked{kOwner});
  ASSERT_EQ(status(), wire::STATUS_ZOMBI);
  now = wall_seconds(1100);
  happens(heard(137 << 8, How::ended, 40, 60));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_THAT(sums(), ElementsAre(0, 0, 40, 0, 0, 0));
}

// So a provider tells it that connects again: first that it holds the end, then the end.
TEST_F(LateEnd, IsNotHeardOfAgainBeforeItsEnd) {
  borrowed();
  now = wall_seconds(1060);
  happens(event::HostLost{true});
  now = wall_seconds(1100);
  happens(event::HostBack{State::over, true, false});
  EXPECT_EQ(status(), wire::STATUS_UNKWN);
  happens(heard(0, How::ended, 40, 60));
  EXPECT_THAT(sums(), ElementsAre(0, 0, 40, 0, 0, 0));
}

TEST_F(LateEnd, AClockThatWasSetBackHarmsNoTime) {
  borrowed();
  now = wall_seconds(900);
  happens(heard(0, How::ended, 40, 60));
  EXPECT_EQ(status(), wire::STATUS_DONE);
  EXPECT_EQ(job.record.end_us(), now.us);
}

TEST_F(LateEnd, OfAShortRunCountsAsOne) {
  borrowed();
  now = wall_seconds(2000);
  happens(heard(137 << 8, How::withdrawn, 2, 998));
  EXPECT_EQ(job.record.short_runs(), 1U);
}

// What the user and what the system order of a job on a borrowed host while its cluster is away.
class OrdersMeet : public JobLife {
 protected:
  OrdersMeet() { runs({"b1@east"}); }
  void window(bool open) {
    if (open)
      happens(event::ResumePlanned{wire::SUSPEND_WINDOW});
    else
      happens(event::SuspendPlanned{wire::SUSPEND_WINDOW, ""});
  }
  wire::SentSignal::Action last() const { return job.record.signals().rbegin()->action(); }
};

TEST_F(OrdersMeet, AStopThatWaitsHoldsTheJobWhenTheWindowOpens) {
  happens(event::StopAsked{kOwner, true});
  ASSERT_EQ(status(), wire::STATUS_RUN);
  window(false);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_EQ(last(), wire::SentSignal::SUSPEND);
  window(true);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_EQ(last(), wire::SentSignal::SUSPEND) << "its owner has stopped it";
  happens(event::StoppedThere{});
  happens(event::ResumeAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_EQ(last(), wire::SentSignal::RESUME);
}

TEST_F(OrdersMeet, AResumeThatWaitsStartsNoJobInAClosedWindow) {
  happens(event::StopAsked{kOwner});
  happens(event::CarriedOut{"east", job.record.signal_number()});
  happens(event::ResumeAsked{kOwner, true});
  ASSERT_EQ(status(), wire::STATUS_USUSP);
  window(false);
  EXPECT_EQ(status(), wire::STATUS_SSUSP);
  EXPECT_EQ(last(), wire::SentSignal::SUSPEND) << "behind the one that waits";
  window(true);
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_EQ(last(), wire::SentSignal::RESUME);
}

// An administrator of its cluster stops it there.
class StoppedByItsProvider : public OrdersMeet {
 protected:
  StoppedByItsProvider() { tells(wire::STATUS_USUSP, wire::SUSPEND_ADMIN); }
  void tells(wire::JobStatus status, std::uint32_t reasons) {
    wire::JobElsewhere told;
    told.set_status(status);
    told.set_suspend_reasons(reasons);
    happens(event::Elsewhere{told});
  }
};

TEST_F(StoppedByItsProvider, IsStoppedByNobodyHere) {
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_TRUE(stopped_by_provider(job.record));
  EXPECT_EQ(job.record.suspend_reasons(), wire::SUSPEND_ADMIN);
  EXPECT_FALSE(job.record.stopped_by_user());
  happens(event::ResumedThere{});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_FALSE(stopped_by_provider(job.record));
}
TEST_F(StoppedByItsProvider, StaysStoppedByItsUserWhenTheProviderLetsItGo) {
  happens(event::StopAsked{kOwner});
  tells(wire::STATUS_USUSP, wire::SUSPEND_USER);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_EQ(job.record.suspend_reasons(), wire::SUSPEND_USER);
  happens(event::ResumeAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_EQ(last(), wire::SentSignal::RESUME);
}
TEST_F(StoppedByItsProvider, IsSuspendedWhereItsWindowHasClosedMeanwhile) {
  window(false);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  happens(event::ResumedThere{});
  EXPECT_EQ(status(), wire::STATUS_SSUSP);
  EXPECT_EQ(last(), wire::SentSignal::SUSPEND) << "it runs there";
}
TEST_F(StoppedByItsProvider, GoesOnWhereItsWindowHasOpenedMeanwhile) {
  happens(event::ResumedThere{});
  window(false);
  tells(wire::STATUS_USUSP, wire::SUSPEND_ADMIN | wire::SUSPEND_WINDOW);
  window(true);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  tells(wire::STATUS_SSUSP, wire::SUSPEND_WINDOW);
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_EQ(last(), wire::SentSignal::RESUME);
}

TEST_F(LateEnd, TheTimeThatItWasUnknownBeforeItsEndIs) {
  borrowed();
  now = wall_seconds(1030);
  happens(event::HostLost{true});
  now = wall_seconds(1100);
  happens(heard(137 << 8, How::withdrawn, 40, 60));
  EXPECT_THAT(sums(), ElementsAre(60, 0, 30, 0, 0, 10));
}

TEST_F(LateEnd, AJobOfARequeueByItsUserPendsSinceItsEnd) {
  borrowed();
  happens(event::KillAsked{kOwner, 0, "", true});
  now = wall_seconds(1100);
  happens(heard(137 << 8, How::ended, 40, 60));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(sums(), ElementsAre(60, 0, 40, 0, 0, 0));
  ASSERT_EQ(events().size(), 1U);
  EXPECT_TRUE(events()[0].has_requeue());
  EXPECT_EQ(events()[0].at_us(), wall_seconds(1040).us);
}

// The provider ended it with SIGKILL as an administrator, before it heard of the kill.
TEST_F(LateEnd, AKillDuringACutIsTheEndOfARecalledJob) {
  borrowed();
  now = wall_seconds(1050);
  happens(event::KillAsked{kOwner});
  now = wall_seconds(1100);
  auto end = heard(137 << 8, How::withdrawn, 40, 60);
  end.told.term_reason = TERM_ADMIN;
  happens(end);
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_OWNER);
  EXPECT_EQ(job.record.exit_status(), 137 << 8);
  EXPECT_EQ(job.record.end_us(), wall_seconds(1040).us);
}

TEST_F(LateEnd, AnAdministratorOfTheProviderWhoEndedItCounts) {
  borrowed();
  happens(event::KillAsked{kOwner});
  now = wall_seconds(1100);
  auto end = heard(137 << 8, How::ended, 40, 60);
  end.told.term_reason = TERM_ADMIN;
  happens(end);
  EXPECT_EQ(job.record.term_reason(), TERM_ADMIN);
}

TEST_F(LateEnd, SuspensionsOfEarlierAttemptsAreNotOfThisOne) {
  for (const bool older_release : {false, true}) {
    now = wall_seconds(1000);
    borrowed();
    happens(event::StopAsked{kOwner});
    now.us += 500'000'000;
    happens(event::ResumeAsked{kOwner});
    happens(event::KillAsked{kOwner, 0, "", true});
    happens(ended(137 << 8));
    const WallTime again = now;
    happens(book::on_hosts({"b1@east"}));
    now.us += 100'000'000;
    auto end = heard(0, How::ended, 15, 85);
    if (older_release) end.told.took_s = end.told.ended_s_ago = std::nullopt;
    happens(end);
    EXPECT_EQ(job.record.end_us(), again.us + 15'000'000) << older_release;
    EXPECT_EQ(job.record.ususp_s(), 500);
  }
}

TEST_F(LateEnd, ItsSuspensionsCountForTheTimeThatItTook) {
  borrowed();
  now = wall_seconds(1010);
  happens(event::StopAsked{kOwner});
  now = wall_seconds(1030);
  happens(event::ResumeAsked{kOwner});
  now = wall_seconds(1100);
  auto end = heard(0, How::ended, 35, 65);
  end.told.run_s = 15;
  happens(end);
  EXPECT_EQ(job.record.end_us(), wall_seconds(1035).us);
  EXPECT_THAT(sums(), ElementsAre(0, 0, 15, 20, 0, 0));
}

class LateElsewhere : public LateEnd {
 protected:
  void forwarded() {
    reset();
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    happens(event);
  }
};

TEST_F(LateElsewhere, AJobThatBeganAndEndedDuringACutIsDispatchedInItsHistory) {
  forwarded();
  now = wall_seconds(1100);
  auto end = heard(0, How::ended, 40, 35);
  end.told.there.emplace().add_hosts()->set_name("n2");
  happens(end);
  EXPECT_EQ(status(), wire::STATUS_DONE);
  EXPECT_EQ(job.record.start_us(), wall_seconds(1025).us);
  EXPECT_EQ(job.record.end_us(), wall_seconds(1065).us);
  EXPECT_THAT(sums(), ElementsAre(25, 0, 40, 0, 0, 0));
  const auto all = events();
  const auto start = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.has_start(); });
  ASSERT_NE(start, all.end());
  EXPECT_EQ(start->at_us(), wall_seconds(1025).us);
  EXPECT_EQ(start->start().hosts(0).name(), "n2@east");
}

TEST_F(LateElsewhere, NoRunIsLongerThanTheTimeSinceItWasSentThere) {
  forwarded();
  now = wall_seconds(1010);
  happens(heard(0, How::ended, std::int64_t{1} << 40, std::int64_t{1} << 40));
  EXPECT_EQ(job.record.start_us(), wall_seconds(1000).us);
  EXPECT_THAT(sums(), ElementsAre(0, 0, 0, 0, 0, 0)) << "it was over as soon as it was sent";
}

TEST_F(LateElsewhere, TheTimeThatItWaitedThereInVainIsNoRun) {
  forwarded();
  now = wall_seconds(1100);
  happens(ended(0, How::withdrawn));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(sums(), ElementsAre(100, 0, 0, 0, 0, 0));
}

// One that was requeued there ran again while it could not be heard.
TEST_F(LateElsewhere, TheLastRunEndsIt) {
  forwarded();
  event::Elsewhere told;
  told.job.mutable_key()->set_id(55);
  told.job.set_status(wire::STATUS_RUN);
  happens(told);
  now = wall_seconds(1200);
  happens(heard(0, How::ended, 20, 100));
  EXPECT_EQ(job.record.end_us(), wall_seconds(1100).us);
  EXPECT_THAT(sums(), ElementsAre(0, 0, 100, 0, 0, 0));
}

// A start that waits for its hosts has the time that it had, however often it is ordered again.
TEST_F(LateEnd, AStartThatIsOrderedAgainHasNoMoreTime) {
  reset();
  auto plan = book::on_hosts({"hostA"});
  plan.wait_for_go = true;
  happens(plan);
  const std::int64_t since_us = job.launch.since_us;
  now = wall_seconds(1050);
  happens(ended(0, How::never_seen));
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderStart 7 on hostA"));
  EXPECT_FALSE(job.launch.go_given);
  EXPECT_EQ(job.launch.since_us, since_us);
}

// The other cluster has one order for all hosts of the job there.
TEST_F(LateEnd, EachClusterIsReleasedOnce) {
  runs({"hostA", "b1@east", "hostB", "b2@east", "c1@south"});
  happens(ended(0));
  EXPECT_THAT(book::orders(effects),
              ElementsAre("OrderAcknowledge 7 attempt 1 to hostA", "OrderRelease 7 attempt 1 on b1@east",
                          "OrderRelease 7 attempt 1 on hostB", "OrderRelease 7 attempt 1 on c1@south"));
  runs({"b1@east", "b2@east"});
  happens(event::KillAsked{kOwner, 0, "", true});
  happens(ended(137 << 8));
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderAcknowledge 7 attempt 1 to b1@east"));
}

}  // namespace
}  // namespace rollcall::sched::jobs
