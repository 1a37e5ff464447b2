// Jobs with hosts of ours and borrowed ones: what is asked of their providers, and what follows from what they say.
#include "tests/unit/sched/mbatchd/lease_in_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

TEST_F(LeaseInTest, APartHasHostsOfTwoLeases) {
  connects();
  second_lease(3);
  tells_addresses();
  spans({"hostA", "n2@east", "n4@east"});
  ASSERT_EQ(count(What::kOffer), 1);
  const auto offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  ASSERT_EQ(offer.part_size(), 2);
  EXPECT_EQ(offer.part(0).lease(), 5U);
  EXPECT_EQ(offer.part(1).lease(), 6U);
  EXPECT_EQ(offer.part(1).host(), "n4");
  in->lost("east");
  const sched::JobKey other = spans({"hostA", "n2@east", "n4@east"});
  connects();
  second_lease(4, wire::LeaseStands::INACTIVE);
  tells_addresses();
  said.clear();
  in->expect("n2@east", *book->hosts().expect_order({other, "n2@east", job(other).record.attempt()}));
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_EQ(status(other), wire::STATUS_PEND) << "one of the leases is being changed";
}

TEST_F(LeaseInTest, AFailureDuringACutCountsWhenTheProviderHasToldOfItsParts) {
  connects();
  tells_addresses();
  const sched::JobKey failed = spans(), recalled = spans();
  for (const auto key : {failed, recalled}) {
    prepared_here(key);
    ASSERT_TRUE(in->heard("east", part_state(key, true)));
  }
  in->lost("east");
  for (const auto key : {failed, recalled}) {
    ends(key, 1 << 8);
    EXPECT_EQ(status(key), wire::STATUS_UNKWN);
  }
  wire::ForwardState ends_it = part_state(recalled, false).state();
  ends_it.mutable_job()->set_why("its slots are taken back from the lease");
  returns({part_state(failed, true).state(), ends_it});
  EXPECT_EQ(status(failed), wire::STATUS_EXIT);
  EXPECT_EQ(status(recalled), wire::STATUS_PEND);
}

TEST_F(LeaseInTest, NoJobStartsOnABorrowedHostAndHostsOfAnotherCluster) {
  connects();
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  dispatch(key, {"n2@east", "hostA"});
  orders();
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_EQ(status(key), wire::STATUS_PEND);
  EXPECT_EQ(job(key).record.start_failure(),
            "a job whose first host is borrowed does not start on hosts of several clusters");
}

TEST_F(LeaseInTest, APartIsOneOrderAndTheJobGoesWhenAllHostsHavePrepared) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  ASSERT_EQ(count(What::kOffer), 1);
  const auto offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  EXPECT_TRUE(offer.attempt().part());
  EXPECT_FALSE(offer.has_lent()) << "a release that does not know parts must refuse it";
  EXPECT_EQ(offer.queue(), "");
  ASSERT_EQ(offer.part_size(), 2);
  EXPECT_EQ(offer.part(1).host(), "n3");
  EXPECT_EQ(offer.span().places_size(), 3);
  EXPECT_EQ(offer.asked().script(), "");
  EXPECT_EQ(offer.span().task_key(), "of east");
  EXPECT_EQ(offer.span().places(0).task_key(), "") << "a provider does not start tasks on our hosts";
  EXPECT_EQ(offer.span().places(1).task_key(), "of east");
  prepared_here(key);
  EXPECT_FALSE(go_is_given(key));
  ASSERT_TRUE(in->heard("east", part_state(key, false)));
  EXPECT_FALSE(go_is_given(key));
  ASSERT_TRUE(in->heard("east", part_state(key, true)));
  EXPECT_TRUE(go_is_given(key));
  said.clear();
  sched::order::Signal signal;
  signal.attempt = {key, job(key).record.attempt()};
  for (const char* host : {"n2@east", "n3@east"}) in->signal(host, signal);
  EXPECT_EQ(count(What::kSignal), 1);
}

TEST_F(LeaseInTest, SlotsOfAPartAreUsedUntilItsClusterSaysThatItIsOver) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  prepared_here(key);
  ASSERT_TRUE(in->heard("east", part_state(key, true)));
  said.clear();
  tells("hostA", sched::report::Over{{key, job(key).record.attempt()}});
  expectations();
  ASSERT_EQ(status(key), wire::STATUS_DONE);
  EXPECT_EQ(count(What::kRecall), 1);
  const auto host = keeper->snapshot().rules().host("n2@east");
  EXPECT_EQ(keeper->snapshot().slots(*host), 1);
  EXPECT_EQ(answered().uses_size(), 2);
  stands(wire::LeaseStands::INACTIVE, 2, 2);
  EXPECT_EQ(answered().uses_size(), 2) << "of a part that has not ended";
  ASSERT_TRUE(in->heard("east", part_state(key, false)));
  EXPECT_EQ(count(What::kRecall), 0) << "it was asked already";
  part_over(key, wire::ForwardOver::ENDED);
  in->flush();
  EXPECT_EQ(count(What::kAcknowledge), 1);
  EXPECT_EQ(keeper->snapshot().slots(*host), 2);
}

TEST_F(LeaseInTest, APartThatTheBookDoesNotKnowIsTakenBack) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  prepared_here(key);
  ASSERT_TRUE(in->heard("east", part_state(key, true)));
  in->lost("east");
  tells("hostA", sched::report::Over{{key, job(key).record.attempt()}});
  expectations();
  said.clear();
  returns({part_state(key, true).state()});
  expectations();
  EXPECT_EQ(count(What::kRecall), 1);
  in->settle();
  EXPECT_EQ(keeper->snapshot().slots(*keeper->snapshot().rules().host("n3@east")), 1);
}

// Inside the job hosts have their names without the cluster.
TEST_F(LeaseInTest, TwoHostsOfOneNameAreNotInOneJob) {
  connects();
  hear([](auto& message) {
    auto& told = *message.mutable_lease_stands();
    told.set_lease(6);
    told.set_state(wire::LeaseStands::ACTIVE);
    told.mutable_number()->set_term(7);
    told.mutable_number()->set_counter(1);
    auto& host = *told.add_hosts();
    host.set_host("hostA");
    host.set_slots(2);
  });
  hear([](auto& message) {
    auto& host = *message.mutable_lease_loads()->add_hosts();
    host.mutable_facts()->set_name("hostA");
    host.add_addresses("10.0.0.2");
    host.set_port(6883);
  });
  const sched::JobKey key = spans({"hostA", "hostA@east"});
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_EQ(status(key), wire::STATUS_PEND);
  EXPECT_THAT(job(key).record.excluded_hosts(), testing::ElementsAre("hostA@east"));
  EXPECT_EQ(job(key).record.start_failure(), "hostA@east: another host of the job has the same name");
}

TEST_F(LeaseInTest, AJobRunsOnWhileItsPartIsOutOfReach) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  prepared_here(key);
  ASSERT_TRUE(in->heard("east", part_state(key, true)));
  in->lost("east");
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  said.clear();
  returns({part_state(key, true).state()});
  expectations();
  EXPECT_EQ(count(What::kRecall) + count(What::kOffer), 0);
  EXPECT_EQ(status(key), wire::STATUS_RUN);
}

TEST_F(LeaseInTest, AJobPendsAgainWhereItsPartIsRefused) {
  connects();
  tells_addresses();
  const sched::JobKey stale = spans(), refused = spans();
  part_over(stale, wire::ForwardOver::STALE);
  EXPECT_EQ(status(stale), wire::STATUS_PEND);
  EXPECT_EQ(job(stale).record.excluded_hosts_size(), 0);
  part_over(refused, wire::ForwardOver::NOT_STARTED);
  EXPECT_EQ(status(refused), wire::STATUS_PEND);
  EXPECT_EQ(job(refused).record.excluded_hosts(0), "n2@east");
  const sched::JobKey by_n3 = spans();
  part_over(by_n3, wire::ForwardOver::NOT_STARTED, "n3");
  EXPECT_THAT(job(by_n3).record.excluded_hosts(), testing::ElementsAre("n3@east"));
  in->lost("east");
  connects();
  const sched::JobKey early = spans();
  EXPECT_TRUE(job(early).record.starting()) << "the provider has not told of its hosts yet";
  EXPECT_THAT(waiting, testing::ElementsAre("n2@east"));
  tells_addresses(false);
  const sched::JobKey unreachable = spans();
  EXPECT_EQ(status(unreachable), wire::STATUS_PEND) << "the provider has told no address: an older release";
  hear([](auto& message) {
    for (const char* name : {"n2", "n3", "n4"}) {
      auto& host = *message.mutable_lease_loads()->add_hosts();
      host.mutable_facts()->set_name(name);
      if (std::string(name) != "n3") host.add_addresses("10.0.0.2");
      host.set_port(6883);
    }
  });
  spans();
  EXPECT_NE(book->hosts().trouble("n3@east"), "") << "the host that is in the way, not the part's first one";
}

TEST_F(LeaseInTest, ASignalOfAPartThatWasNotOfferedIsKeptBack) {
  connects();
  const sched::JobKey key = spans();
  ASSERT_THAT(waiting, testing::ElementsAre("n2@east"));
  const auto signalled = [&] {
    ask(key, sched::book::Act::SEND, sched::book::kAnn, 10);
    for (const auto& one : std::exchange(effects, {}))
      if (const auto* order = std::get_if<sched::effect::OrderSignal>(&one))
        if (!sched::HostId(order->host).ours()) in->signal(order->host, order->signal);
  };
  signalled();
  EXPECT_EQ(count(What::kSignal), 0) << "the provider would say that it has no such part";
  tells_addresses();
  in->expect("n2@east", *book->hosts().expect_order({key, "n2@east", job(key).record.attempt()}));
  signalled();
  EXPECT_EQ(count(What::kSignal), 1);
}

TEST_F(LeaseInTest, TellsWhichOrdersAProviderHasCarriedOut) {
  connects();
  const sched::JobKey alone = dispatched();
  in->heard("east", state_of(alone));
  ask(alone, sched::book::Act::STOP);
  auto done = state_of(alone, wire::STATUS_USUSP);
  done.mutable_state()->mutable_job()->set_signal_number(1);
  ASSERT_TRUE(in->heard("east", done));
  ASSERT_EQ(job(alone).record.carried_out_size(), 1);
  EXPECT_EQ(job(alone).record.carried_out(0).cluster(), "east");
  EXPECT_EQ(job(alone).record.carried_out(0).signal_number(), 1U);
  tells_addresses();
  const sched::JobKey part = spans();
  prepared_here(part);
  ASSERT_TRUE(in->heard("east", part_state(part, true)));
  ask(part, sched::book::Act::STOP);
  done = part_state(part, true);
  done.mutable_state()->mutable_job()->set_signal_number(1);
  ASSERT_TRUE(in->heard("east", done));
  ASSERT_EQ(job(part).record.carried_out_size(), 1);
  EXPECT_EQ(job(part).record.carried_out(0).signal_number(), 1U);
}

// Its hosts are no longer in its record when the order leaves.
TEST_F(LeaseInTest, SlotsOfAPartWhoseJobPendsAgainAreUsedUntilItIsOverThere) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans({"hostA", "n3@east", "n2@east"});
  tells("hostA", sched::report::NotPrepared{{key, job(key).record.attempt()}, "its disk is full"});
  ASSERT_EQ(status(key), wire::STATUS_PEND);
  changed();
  const auto host = keeper->snapshot().rules().host("n2@east");
  EXPECT_EQ(keeper->snapshot().slots(*host), 1) << "before the cycle that follows in the same turn";
  said.clear();
  expectations();
  ASSERT_EQ(count(What::kRecall), 1);
  EXPECT_TRUE(said.front().recall().attempt().part());
  EXPECT_EQ(said.front().recall().attempt().lent_host(), "n3");
  EXPECT_EQ(answered().uses_size(), 2);
  part_over(key, wire::ForwardOver::NOT_STARTED);
  EXPECT_EQ(keeper->snapshot().slots(*host), 2);
}

TEST_F(LentLicences, APartHoldsThemUntilItIsOverThere) {
  tells_addresses();
  tells("hostA", sched::report::HostCame{{}, true});
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  auto plan = sched::book::on_hosts({"hostA", "n2@east"});
  plan.placement.reservations = {{"lic", sched::HostId("n2@east"), 1.5, {}, false}};
  effects = book->hosts().dispatch(key, plan, now);
  expectations();
  ASSERT_EQ(count(What::kOffer), 1);
  const auto offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  ASSERT_EQ(offer.reserved_size(), 1);
  EXPECT_EQ(offer.reserved(0).amount(), 1.5);
  tells("hostA", sched::report::NotPrepared{{key, job(key).record.attempt()}, "its disk is full"});
  ASSERT_EQ(status(key), wire::STATUS_PEND);
  expectations();
  EXPECT_EQ(instances(), 1.0) << "of three";
  part_over(key, wire::ForwardOver::NOT_STARTED);
  EXPECT_EQ(instances(), 3.0);
}

TEST_F(LeaseInTest, TheStartIsTakenBackWhereAPartIsRecalledBeforeTheGo) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  auto recalled = part_state(key, false);
  recalled.mutable_state()->mutable_job()->set_why("its slots are taken back from the lease");
  ASSERT_TRUE(in->heard("east", recalled));
  EXPECT_EQ(status(key), wire::STATUS_PEND);
}

TEST_F(LeaseInTest, TheEndOfAPartIsAcknowledgedWhenWhatFollowsIsCommitted) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  said.clear();
  part_over(key, wire::ForwardOver::STALE);
  EXPECT_EQ(count(What::kAcknowledge), 0);
  in->flush();
  EXPECT_EQ(count(What::kAcknowledge), 1);
}

TEST_F(LeaseInTest, AProviderThatNamesPartsOnHostsThatItDoesNotLendTakesNothing) {
  connects();
  tells_addresses();
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  const int hosts = static_cast<int>(keeper->snapshot().rules().hosts.size());
  auto strange = part_state(key, true);
  strange.mutable_state()->mutable_attempt()->set_attempt(9);
  strange.mutable_state()->mutable_job()->mutable_hosts(0)->set_name("never");
  strange.mutable_state()->mutable_job()->mutable_hosts(0)->set_slots(5);
  said.clear();
  ASSERT_TRUE(in->heard("east", strange));
  EXPECT_EQ(count(What::kRecall), 1);
  in->settle();
  EXPECT_EQ(static_cast<int>(keeper->snapshot().rules().hosts.size()), hosts);
  EXPECT_EQ(keeper->snapshot().slots(*keeper->snapshot().rules().host("n2@east")), 2);
  EXPECT_EQ(keeper->snapshot().slots(*keeper->snapshot().rules().host("n3@east")), 1);
}

TEST_F(LeaseInTest, AnEndOnAHostWhereNothingOfOursCanBeIsAcknowledged) {
  connects();
  said.clear();
  hear([](auto& message) {
    auto& attempt = *message.mutable_over()->mutable_attempt();
    attempt.mutable_key()->set_id(9);
    attempt.set_attempt(1);
    attempt.set_lent_host("never");
    message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
    message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
  });
  in->flush();
  EXPECT_EQ(count(What::kAcknowledge), 1);
  EXPECT_FALSE(book->hosts().connected("never@east"));
}

TEST_F(LeaseInTest, AJobIsRequeuedBeforeTasksOfARecalledPartDie) {
  connects();
  tells_addresses();
  const sched::JobKey key = spans();
  prepared_here(key);
  ASSERT_TRUE(in->heard("east", part_state(key, true)));
  ASSERT_TRUE(in->heard("east", part_state(key, false)));
  EXPECT_FALSE(job(key).record.kill_asked()) << "it is ended there: what that means is told with its end";
  auto recalled = part_state(key, false);
  recalled.mutable_state()->mutable_job()->set_why("its slots are taken back from the lease");
  ASSERT_TRUE(in->heard("east", recalled));
  EXPECT_TRUE(job(key).record.requeue_asked());
}

TEST_F(LeaseInTest, AJobEndsWhereItsPartHasEnded) {
  connects();
  tells_addresses();
  const sched::JobKey recalled = spans(), killed = spans();
  for (const auto key : {recalled, killed}) {
    prepared_here(key);
    ASSERT_TRUE(in->heard("east", part_state(key, true)));
  }
  part_over(recalled, wire::ForwardOver::WITHDRAWN);
  part_over(killed, wire::ForwardOver::ENDED);
  for (const auto key : {recalled, killed}) {
    EXPECT_TRUE(job(key).record.kill_asked());
    EXPECT_EQ(job(key).record.requeue_asked(), key == recalled);
  }
}

}  // namespace
}  // namespace rollcall::mbatchd
