// A job that was forwarded to another cluster, by the table of job_life_elsewhere.hpp.
#include "sched/policy/values/elsewhere.hpp"
#include "tests/unit/sched/jobs/job_life_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

class Elsewhere : public JobLife {
 protected:
  void forwarded() {
    reset();
    forwarded_again();
  }
  void forwarded_again() {
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace();
    event.forwarded->set_cluster("east");
    event.forwarded->set_queue("guests");
    happens(event);
  }
  void told(wire::JobStatus status, std::uint64_t number = 100) {
    event::Elsewhere event;
    event.job.mutable_key()->set_id(55);
    event.job.set_queue("guests");
    event.job.set_status(status);
    event.job.set_signal_number(number);
    if (placed(status)) {
      auto& host = *event.job.add_hosts();
      host.set_name("e1");
      host.set_slots(2);
    }
    happens(event);
  }
  // Events of this kind among the last effects.
  template <class Has>
  std::vector<wire::JobEvent> events(Has has) const {
    std::vector<wire::JobEvent> found;
    for (const auto& effect : effects)
      if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect);
          recorded && (recorded->event.*has)())
        found.push_back(recorded->event);
    return found;
  }
  std::vector<std::string> waiting() const {
    return waiting_orders(job.record, ordered_clusters(job.record).at(0));
  }
  void begun() {
    forwarded();
    told(wire::STATUS_RUN);
  }
  void begun_with_pid() {
    begun();
    event::Elsewhere event;
    event.job = job.record.forwarded().there();
    event.job.set_pid(4711);
    happens(event);
  }
};

TEST_F(Elsewhere, IsOfferedAndPendsUntilItBeginsThere) {
  forwarded();
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderStart 7 on @east"));
  EXPECT_EQ(events(&wire::JobEvent::has_forward).size(), 1U);
  EXPECT_EQ(shown_status(job.record), wire::STATUS_PEND);
  told(wire::STATUS_PEND);
  ASSERT_EQ(events(&wire::JobEvent::has_accept).size(), 1U);
  EXPECT_EQ(events(&wire::JobEvent::has_accept)[0].accept().there().id(), 55);
  EXPECT_EQ(shown_status(job.record), wire::STATUS_PEND);
  told(wire::STATUS_PEND);
  EXPECT_THAT(effects, IsEmpty()) << "told again, it is no news";
  now = wall_seconds(1030);
  told(wire::STATUS_RUN);
  EXPECT_EQ(shown_status(job.record), wire::STATUS_RUN);
  EXPECT_EQ(job.record.pend_s(), 30);
  EXPECT_EQ(job.record.start_us(), now.us) << "by the clock of this cluster";
  ASSERT_EQ(events(&wire::JobEvent::has_start).size(), 1U);
  EXPECT_EQ(events(&wire::JobEvent::has_start)[0].start().hosts(0).name(), "e1@east");
}

TEST_F(Elsewhere, FollowsWhatItsClusterTells) {
  begun();
  for (const auto next : {wire::STATUS_USUSP, wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_RUN,
                          wire::STATUS_UNKWN, wire::STATUS_RUN}) {
    told(next);
    EXPECT_EQ(status(), next);
  }
  told(wire::STATUS_PEND);
  EXPECT_EQ(shown_status(job.record), wire::STATUS_PEND) << "it was requeued there";
  told(wire::STATUS_RUN);
  EXPECT_EQ(shown_status(job.record), wire::STATUS_RUN);
}

TEST_F(Elsewhere, DoesNotFollowWhileAnOrderIsOnItsWay) {
  begun();
  happens(event::StopAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_RUN) << "as its cluster has told";
  told(wire::STATUS_SSUSP, 0);
  EXPECT_EQ(status(), wire::STATUS_RUN) << "told before the order was carried out";
  told(wire::STATUS_USUSP, job.record.signal_number());
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  told(wire::STATUS_RUN, job.record.signal_number());
  EXPECT_EQ(status(), wire::STATUS_RUN) << "somebody there has resumed it";
  EXPECT_FALSE(stop_is_asked(job.record));
}

// What is ordered while its cluster is away is not known to be so; the last order counts when that cluster is back.
TEST_F(Elsewhere, KeepsTheKnownStateUntilAnOrderIsCarriedOut) {
  begun();
  told(wire::STATUS_RUN, 0);
  happens(event::StopAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_THAT(waiting(), ElementsAre("The order to stop the job waits until cluster <east> is connected"));
  happens(event::StopAsked{kOwner});
  EXPECT_THAT(book::orders(effects), IsEmpty()) << "it is ordered already";
  happens(event::ResumeAsked{kOwner});
  EXPECT_THAT(waiting(), ElementsAre("The order to resume the job waits until cluster <east> is connected"));
  happens(event::StopAsked{kOwner});
  happens(event::KillAsked{kOwner});
  EXPECT_THAT(waiting(), ElementsAre("The order to stop the job waits until cluster <east> is connected",
                                     "The order to kill the job waits until cluster <east> is connected"));
  event::HostBack back;
  back.held.emplace();
  happens(back);
  EXPECT_EQ(book::orders(effects).size(), 2U);
  told(wire::STATUS_USUSP, job.record.signal_number());
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_THAT(waiting(), IsEmpty());
}

TEST_F(Elsewhere, IsResumedWhereItsClusterSaysSo) {
  begun();
  happens(event::StopAsked{kAdmin});
  told(wire::STATUS_USUSP, job.record.signal_number());
  happens(event::ResumeAsked{kOwner});
  EXPECT_THAT(effects, IsEmpty()) << "an administrator has stopped it";
  happens(event::ResumeAsked{kAdmin});
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  happens(event::StopAsked{kOwner});
  EXPECT_EQ(book::orders(effects).size(), 1U) << "ordered again, the resume is on its way";
  happens(event::ResumeAsked{kOwner});
  told(wire::STATUS_RUN, job.record.signal_number());
  EXPECT_EQ(status(), wire::STATUS_RUN);
}

// bhist: it has no host, so it is PSUSP and PEND there.
TEST_F(Elsewhere, IsBookedAsPendingWhileItWaitsThere) {
  const auto booked = [&](wire::JobStatus there) {
    told(there, job.record.signal_number() + 1);
    const auto told_of = events(&wire::JobEvent::has_status);
    return told_of.empty() ? wire::STATUS_NULL : told_of.back().status().status();
  };
  forwarded();
  told(wire::STATUS_PEND, 0);
  EXPECT_EQ(booked(wire::STATUS_PSUSP), wire::STATUS_PSUSP);
  EXPECT_EQ(booked(wire::STATUS_PEND), wire::STATUS_PEND);
  told(wire::STATUS_RUN, 9);
  EXPECT_EQ(booked(wire::STATUS_PEND), wire::STATUS_PEND) << "requeued there";
}

TEST_F(Elsewhere, SaysWhyItPendsAgain) {
  const auto why = [&] {
    happens(ended(0, How::withdrawn));
    return events(&wire::JobEvent::has_status).at(0).status().why();
  };
  rules.recall_after_s = 60;
  forwarded();
  told(wire::STATUS_PEND);
  happens(event::RecallDue{});
  EXPECT_EQ(why(), "it was asked back from cluster east to be changed");
  forwarded_again();
  told(wire::STATUS_PEND);
  now = wall_seconds(1060);
  happens(event::RecallDue{});
  EXPECT_EQ(why(), "it has waited in cluster east for MAX_RSCHED_TIME");
  forwarded_again();
  told(wire::STATUS_PEND);
  EXPECT_EQ(why(), "cluster east has given it back");
  EXPECT_EQ(job.record.start_failure(), "") << "no start has failed";
}

TEST_F(Elsewhere, SaysThatItWasPreemptedThere) {
  begun();
  event::Elsewhere event;
  event.job = job.record.forwarded().there();
  event.job.set_status(wire::STATUS_SSUSP);
  event.job.set_suspend_reasons(wire::SUSPEND_PREEMPT);
  happens(event);
  EXPECT_EQ(status(), wire::STATUS_SSUSP);
  const auto told_of = events(&wire::JobEvent::has_status);
  ASSERT_EQ(told_of.size(), 1U);
  EXPECT_EQ(told_of[0].status().why(), "The job was preempted by a job of a higher priority queue");
}

TEST_F(Elsewhere, HasTheUsageThatIsToldAtTheTimeWhenItIsHeard) {
  begun();
  now = wall_seconds(1060);
  event::Elsewhere event;
  event.job = job.record.forwarded().there();
  event.job.mutable_usage()->set_user_s(12);
  event.job.mutable_usage()->set_sampled_us(1);
  happens(event);
  EXPECT_EQ(job.record.usage().user_s(), 12);
  EXPECT_EQ(job.record.usage().sampled_us(), now.us) << "by the clock of this cluster";
  EXPECT_THAT(effects, IsEmpty()) << "usage alone is no news";
}

// Nothing but the end that is told frees the job for a second attempt, however often the cluster is silent or back.
TEST_F(Elsewhere, RequeuedWhileItsClusterIsAwayStartsAgainOnlyAfterItsEnd) {
  begun();
  event::KillAsked requeue{kOwner};
  requeue.requeue = true;
  happens(requeue);
  happens(event::HostLost{});
  happens(event::RecallDue{});
  event::HostBack still_there;
  still_there.held.emplace();
  happens(still_there);
  told(wire::STATUS_RUN);
  EXPECT_TRUE(placed(status()));
  EXPECT_EQ(job.record.attempt(), 1U);
  happens(ended(9));
  EXPECT_EQ(status(), wire::STATUS_PEND);
}

// The acceptance was lost with a connection, and the job ended before the next one.
TEST_F(Elsewhere, AnEndTellsTheAcceptanceThatWasNotHeard) {
  forwarded();
  auto end = ended(0);
  end.told.there.emplace().mutable_key()->set_id(56);
  happens(end);
  EXPECT_EQ(job.record.forwarded().there().key().id(), 56);
  EXPECT_EQ(events(&wire::JobEvent::has_accept).size(), 1U);
  begun();
  happens(end);
  EXPECT_EQ(job.record.forwarded().there().key().id(), 55) << "the acceptance was heard";
  EXPECT_TRUE(events(&wire::JobEvent::has_accept).empty());
}

TEST_F(Elsewhere, EndsAsItEndedThere) {
  begun();
  now = wall_seconds(1100);
  happens(ended(3 << 8));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.exit_status(), 3 << 8);
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderAcknowledge 7 attempt 1 to @east"));
  const auto finish = events(&wire::JobEvent::has_finish);
  ASSERT_EQ(finish.size(), 1U);
  EXPECT_EQ(finish[0].finish().record().hosts(0).name(), "e1@east");
}

TEST_F(Elsewhere, WhosePostExecutionRunsThereIsPostDoneWhenThatEnds) {
  begun();
  auto end = ended(0);
  end.told.post_follows = true;
  happens(end);
  EXPECT_EQ(status(), wire::STATUS_DONE);
  EXPECT_EQ(job.record.post_status(), wire::POST_RUNNING);
  happens(event::PostEnded{true});
  ASSERT_EQ(events(&wire::JobEvent::has_status).size(), 1U);
  EXPECT_EQ(events(&wire::JobEvent::has_status)[0].status().post(), wire::POST_ERR);
}

TEST_F(Elsewhere, WhoseBeginWasNeverToldHasItsRunTimeAllTheSame) {
  forwarded();
  now = wall_seconds(1100);
  auto end = ended(0);
  end.told.run_s = 40;
  end.told.there.emplace().add_hosts()->set_name("n2");
  end.told.there->set_exec_cwd("/tmp/there");
  happens(end);
  EXPECT_EQ(status(), wire::STATUS_DONE);
  EXPECT_EQ(job.record.exec_cwd(), "/tmp/there");
  EXPECT_EQ(job.record.forwarded().there().hosts(0).name(), "n2") << "EXEC_HOST of bjobs and bacct";
  EXPECT_EQ(job.record.run_s(), 40);
  EXPECT_EQ(job.record.pend_s(), 60);
  forwarded();
  now = wall_seconds(1110);
  end.told.run_s = 4000;  // a clock that is wrong, or a lie
  happens(end);
  EXPECT_EQ(job.record.run_s(), 10);
}

// The masters could not talk: that time is none of the job's.
TEST_F(Elsewhere, WhoseEndIsHeardLateHasRunAsLongAsItRan) {
  begun();
  const WallTime begin = now;
  now.us += 100'000'000;
  auto end = ended(0);
  end.told.run_s = 15;
  happens(end);
  EXPECT_EQ(job.record.run_s(), 15);
  EXPECT_EQ(job.record.end_us(), begin.us + 15'000'000);
  begun();
  now.us += 10'000'000;
  end.told.run_s = 4000;
  happens(end);
  EXPECT_EQ(job.record.run_s(), 10) << "no more than the time since we heard of its begin";
}

TEST_F(Elsewhere, WhichRanBeforeHasTheRunOfItsLastAttempt) {
  begun();
  now.us += 40'000'000;
  happens(event::KillAsked{kOwner, 0, "", true});
  happens(ended(9));
  ASSERT_EQ(status(), wire::STATUS_PEND);
  ASSERT_EQ(job.record.run_s(), 40);
  forwarded_again();
  told(wire::STATUS_RUN);
  now.us += 6'000'000;
  auto end = ended(0);
  end.told.run_s = 6;
  const WallTime killed = now;
  happens(end);
  EXPECT_EQ(job.record.run_s(), 46);
  EXPECT_EQ(job.record.end_us(), killed.us);
}

TEST_F(Elsewhere, PendsAgainWhenItIsRefusedOrWithdrawn) {
  for (const auto how : {How::refused, How::withdrawn}) {
    forwarded();
    const auto order = job.record.order();
    auto back = ended(0, how);
    back.told.why = "queue guests is closed";
    happens(back);
    EXPECT_EQ(status(), wire::STATUS_PEND);
    EXPECT_EQ(job.record.order(), order) << "in its old place";
    EXPECT_FALSE(job.record.has_forwarded());
    EXPECT_EQ(job.record.returns_size(), how == How::withdrawn ? 1 : 0);
    EXPECT_THAT(book::orders(effects), testing::Contains("OrderAcknowledge 7 attempt 1 to @east"));
  }
  for (int i = 2; i <= 3; ++i) {
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    event.forwarded->set_queue("guests");
    happens(event);
    auto back = ended(0, How::withdrawn);
    if (i == 2) back.told.figures.emplace().set_available(5);
    happens(back);
    ASSERT_EQ(job.record.returns_size(), 1);
    EXPECT_EQ(job.record.returns(0).times(), i);
    EXPECT_EQ(job.record.returns(0).has_figures(), i == 2) << "those of the last return";
  }
}

TEST_F(Elsewhere, ARefusalAfterTheAcceptanceCountsAsAReturn) {
  forwarded();
  told(wire::STATUS_PEND);
  happens(ended(0, How::refused));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_EQ(job.record.returns_size(), 1) << "after three of them that queue gets no offer";
}

TEST_F(Elsewhere, AJobThatHadBegunThereIsLostWhenItsClusterRefusesIt) {
  for (const auto how : {How::refused, How::withdrawn}) {
    begun_with_pid();
    happens(ended(0, how));
    EXPECT_EQ(status(), wire::STATUS_EXIT) << "it ran there, and must not run twice";
    EXPECT_EQ(job.record.term_reason(), TERM_ZOMBIE);
    EXPECT_TRUE(job.record.lost());
    EXPECT_EQ(job.record.attempt(), 1U);
    EXPECT_THAT(book::orders(effects), ElementsAre("OrderAcknowledge 7 attempt 1 to @east"));
    rules.rerunnable = true;
    begun_with_pid();
    happens(ended(0, how));
    EXPECT_EQ(status(), wire::STATUS_PEND) << "as any lost job that may be rerun";
    rules.rerunnable = false;
  }
}

TEST_F(Elsewhere, MayBeWithdrawnWhilePreExecutionIsAllThatRan) {
  begun();
  happens(ended(0, How::withdrawn));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_EQ(job.record.returns_size(), 1);
  begun();
  happens(ended(0, How::refused));
  EXPECT_EQ(status(), wire::STATUS_EXIT) << "a refusal is the answer to an offer alone";
}

TEST_F(Elsewhere, MayBeRefusedWhenItIsOfferedAgainToAClusterThatHasLostIt) {
  forwarded();
  told(wire::STATUS_PEND);
  happens(event::HostBack{});
  EXPECT_THAT(book::orders(effects), testing::Contains("OrderStart 7 on @east"));
  happens(ended(0, How::refused));
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_EQ(job.record.returns_size(), 0);
}

TEST_F(Elsewhere, KilledBeforeItBeganEndsWhenItsClusterSaysSo) {
  forwarded();
  happens(event::KillAsked{kOwner});
  EXPECT_EQ(status(), wire::STATUS_RUN) << "only its cluster ends it";
  EXPECT_THAT(book::orders(effects), testing::SizeIs(1));
  happens(ended(0, How::withdrawn));
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_OWNER);
}

TEST_F(Elsewhere, IsNeverGivenUpForItsClustersSilence) {
  rules.rerunnable = true;
  begun();
  happens(event::HostLost{});
  EXPECT_EQ(status(), wire::STATUS_RUN);
  happens(event::RemoveAsked{kAdmin});
  EXPECT_TRUE(placed(status())) << "bkill -r is bkill";
}

TEST_F(Elsewhere, IsOfferedAgainToAClusterThatKnowsNothingOfIt) {
  forwarded();
  happens(event::HostBack{});
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderStart 7 on @east"));
  begun();
  happens(event::HostBack{});
  EXPECT_EQ(status(), wire::STATUS_EXIT) << "it had begun, and is lost with that cluster's store";
  EXPECT_EQ(job.record.term_reason(), TERM_ZOMBIE);
  rules.rerunnable = true;
  begun();
  happens(event::HostBack{});
  EXPECT_EQ(status(), wire::STATUS_PEND);
}

TEST_F(Elsewhere, IsAskedBackOnceAndStaysIfItHasBegun) {
  forwarded();
  happens(event::RecallDue{});
  EXPECT_THAT(book::orders(effects), ElementsAre("OrderRelease 7 attempt 1 on @east"));
  happens(event::RecallDue{});
  EXPECT_THAT(effects, IsEmpty());
  told(wire::STATUS_RUN);
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_FALSE(job.record.forwarded().recalled());
  happens(event::RecallDue{});
  EXPECT_THAT(effects, IsEmpty());
}

// Its cluster will never answer: an administrator says so.
TEST_F(Elsewhere, WrittenOffIsLostOrPendsAgain) {
  forwarded();
  const auto order = job.record.order();
  happens(event::WrittenOff{});
  EXPECT_EQ(status(), wire::STATUS_PEND) << "it had not begun";
  EXPECT_EQ(job.record.order(), order) << "in its old place";
  EXPECT_FALSE(job.record.has_forwarded());
  EXPECT_EQ(job.record.start_failure(), "cluster east was written off by an administrator");
  begun();
  happens(event::WrittenOff{});
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  EXPECT_EQ(job.record.term_reason(), TERM_ZOMBIE);
  EXPECT_EQ(events(&wire::JobEvent::has_finish).size(), 1U);
  begun();
  told(wire::STATUS_UNKWN);
  happens(event::WrittenOff{});
  EXPECT_EQ(status(), wire::STATUS_EXIT);
  rules.rerunnable = true;
  begun();
  happens(event::WrittenOff{});
  EXPECT_EQ(status(), wire::STATUS_PEND);
  for (const bool has_begun : {false, true}) {
    has_begun ? begun() : forwarded();
    happens(event::KillAsked{kOwner});
    happens(event::WrittenOff{});
    EXPECT_EQ(status(), wire::STATUS_EXIT) << "it was being killed";
    EXPECT_EQ(job.record.term_reason(), TERM_OWNER);
  }
  forwarded();
  happens(event::StopAsked{kOwner});
  happens(event::WrittenOff{});
  EXPECT_EQ(status(), wire::STATUS_PSUSP) << "it stays stopped";
}

TEST_F(Elsewhere, OfThisClusterIsNotWrittenOff) {
  reset();
  happens(event::WrittenOff{});
  EXPECT_EQ(status(), wire::STATUS_PEND);
  EXPECT_THAT(effects, IsEmpty());
}

}  // namespace
}  // namespace rollcall::sched::jobs
