// The consumer's side: when it asks, what it acknowledges, and what becomes of jobs on borrowed hosts.
#include "tests/unit/sched/mbatchd/lease_in_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

TEST_F(LeaseInTest, AsksOnlyWhenAPendingJobCouldUseTheLease) {
  connects(wire::LeaseStands::OFFERED);
  in->planned(keeper->snapshot());
  EXPECT_FALSE(answered().wants());
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  keeper->job(key);
  in->planned(keeper->snapshot());
  EXPECT_TRUE(answered().wants());
}

TEST_F(LeaseInTest, AsksForAJobWhoseQueueNamesAHostGroup) {
  const auto lsb = std::make_shared<conf::LsbFiles>(*configuration->files.lsb);
  lsb->hosts.groups.push_back({.name = "far", .members = {"allremote"}});
  lsb->queues.front().hosts = {{.name = "far"}};
  auto files = configuration->files;
  files.lsb = lsb;
  configures(files);
  connects(wire::LeaseStands::OFFERED);
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  keeper->job(key);
  in->planned(keeper->snapshot());
  EXPECT_TRUE(answered().wants());
}

TEST_F(LeaseInTest, AsksForNoJobThatMayNotUseItsHosts) {
  connects(wire::LeaseStands::OFFERED);
  auto parallel = sched::book::plain_job();
  parallel.set_min_slots(2);
  parallel.set_max_slots(2);
  keeper->job({submit(parallel), 0});
  keeper->job({submit(sched::book::plain_job(), sched::book::kRoot), 0});
  ASSERT_EQ(keeper->snapshot().waiting_demands().size(), 2U);
  in->planned(keeper->snapshot());
  EXPECT_FALSE(answered().wants()) << "no RECV_FROM, and root has no account there";
  const auto cluster = std::make_shared<conf::ClusterFiles>(*configuration->files.cluster);
  cluster->cluster.remote_clusters.push_back({.name = "east", .receive_from = true});
  auto files = configuration->files;
  files.cluster = cluster;
  configures(files);
  in->planned(keeper->snapshot());
  EXPECT_TRUE(answered().wants());
}

// Further slots of a shared lease come only when it has jobs.
TEST_F(LeaseInTest, AsksForALeaseThatOffersAParallelJobLessThanItNeeds) {
  const auto cluster = std::make_shared<conf::ClusterFiles>(*configuration->files.cluster);
  cluster->cluster.remote_clusters.push_back({.name = "east", .receive_from = true});
  auto files = configuration->files;
  files.cluster = cluster;
  configures(files);
  in->serves("east");
  hear([](auto& message) {
    auto& told = *message.mutable_lease_stands();
    told.set_lease(5);
    told.set_state(wire::LeaseStands::OFFERED);
    told.set_type(wire::LeaseStands::SHARED);
    told.mutable_number()->set_term(7);
    auto& host = *told.add_hosts();
    host.set_host("n2");
    host.set_slots(1);
  });
  held();
  auto parallel = sched::book::plain_job();
  parallel.set_min_slots(4);
  parallel.set_max_slots(4);
  keeper->job({submit(parallel), 0});
  in->planned(keeper->snapshot());
  EXPECT_TRUE(answered().wants());
}

TEST_F(LeaseInTest, KnowsTheHostsOfALeaseOnceItHasSlots) {
  in->serves("east");
  stands(wire::LeaseStands::OFFERED, 1, 0);
  EXPECT_FALSE(keeper->snapshot().rules().host("n2@east"));
  stands(wire::LeaseStands::ACTIVE, 2, 2);
  const auto host = keeper->snapshot().rules().host("n2@east");
  ASSERT_TRUE(host);
  EXPECT_EQ(keeper->snapshot().slots(*host), 2);
  EXPECT_TRUE(keeper->snapshot().host(*host).unreachable) << "it has not told which attempts it holds";
  held();
  EXPECT_FALSE(keeper->snapshot().host(*host).unreachable);
  stands(wire::LeaseStands::INACTIVE, 3, 2);
  EXPECT_TRUE(keeper->snapshot().host(*host).lease_inactive);
  in->lost("east");
  EXPECT_TRUE(keeper->snapshot().host(*host).unreachable);
}

// A shared lease whose slots go to one side and come back.
class HostsWithoutSlots : public LeaseInTest {
 protected:
  HostsWithoutSlots() {
    connects();
    tells_addresses();
  }
  // Of lease 5: n2 with these slots, and n3 with two. nullopt: a release that does not say which hosts stay.
  void tells_of_n2(std::uint64_t counter, int slots, std::optional<bool> stays,
                   wire::LeaseStands::State state = wire::LeaseStands::ACTIVE) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(state);
      told.set_type(wire::LeaseStands::SHARED);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      for (const char* name : {"n2", "n3"}) {
        auto& host = *told.add_hosts();
        host.set_host(name);
        host.set_slots(name == std::string("n2") ? slots : 2);
        if (stays) host.set_stays(name == std::string("n3") || *stays);
      }
    });
  }
  bool known(const char* host) const {
    const auto& rules = keeper->snapshot().rules();
    const auto number = rules.host(host);
    return number && !rules.has_returned(*number);
  }
  std::optional<int> slots(const char* host = "n2@east") const {
    const auto number = keeper->snapshot().rules().host(host);
    return number ? keeper->snapshot().slots(*number) : std::nullopt;
  }
  // "": bsub -m takes the name.
  std::string refused_name(const char* host) {
    auto asked = sched::book::plain_job();
    asked.add_asked_hosts()->set_name(host);
    return refused(asked);
  }
};

TEST_F(HostsWithoutSlots, StayKnownWhileTheyAreInTheLease) {
  EXPECT_EQ(slots(), 2);
  tells_of_n2(2, 0, true);
  EXPECT_TRUE(known("n2@east"));
  EXPECT_EQ(slots(), 0);
  EXPECT_EQ(refused_name("n2@east"), "");
  EXPECT_FALSE(keeper->snapshot().host(*keeper->snapshot().rules().host("n2@east")).unavailable);
  tells_of_n2(3, 0, true, wire::LeaseStands::INACTIVE);
  EXPECT_TRUE(known("n2@east"));
  in->lost("east");
  EXPECT_TRUE(known("n2@east")) << "as those with slots do";
}

TEST_F(HostsWithoutSlots, AreUnknownOnceTheyHaveLeft) {
  tells_of_n2(2, 0, false);
  EXPECT_FALSE(known("n2@east"));
  EXPECT_TRUE(known("n3@east"));
  EXPECT_NE(refused_name("n2@east"), "");
  tells_of_n2(3, 2, true);
  ASSERT_TRUE(known("n2@east"));
  tells_of_n2(4, 0, std::nullopt);
  EXPECT_FALSE(known("n2@east")) << "an older release says slots 0 of a host that has left, and no more";
}

TEST_F(HostsWithoutSlots, ComeAndGoWithoutNewRules) {
  tells_of_n2(2, 1, true);
  const auto* const rules = &keeper->snapshot().rules();
  for (std::uint64_t counter = 3; counter < 9; ++counter) {
    tells_of_n2(counter, counter % 2 == 1 ? 0 : 3, true);
    EXPECT_EQ(slots(), counter % 2 == 1 ? 0 : 3);
    EXPECT_EQ(&keeper->snapshot().rules(), rules) << counter;
  }
  tells_of_n2(9, 0, false);
  EXPECT_NE(&keeper->snapshot().rules(), rules) << "the host has left";
}

TEST_F(HostsWithoutSlots, HideNoSlotsOfAnotherLease) {
  const auto second = [this](std::uint64_t counter, int slots) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(6);
      told.set_state(wire::LeaseStands::ACTIVE);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      auto& host = *told.add_hosts();
      host.set_host("n2");
      host.set_slots(slots);
      host.set_stays(true);
    });
  };
  second(1, 4);
  EXPECT_EQ(slots(), 2) << "those of the first lease";
  tells_of_n2(2, 0, true);
  EXPECT_EQ(slots(), 4);
  dispatched();
  const auto offer = std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); });
  ASSERT_NE(offer, said.end());
  EXPECT_EQ(offer->offer().lent().lease(), 6U);
  second(2, 0);
  EXPECT_EQ(slots(), 0);
  tells_of_n2(3, 1, true);
  EXPECT_EQ(slots(), 1);
}

TEST_F(HostsWithoutSlots, TakeNoStart) {
  tells_of_n2(2, 0, true);
  said.clear();
  const sched::JobKey key = dispatched();
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_EQ(status(key), wire::STATUS_PEND);
}

TEST_F(LeaseInTest, ALeaseThatIsOverHasNoRowAndNoHost) {
  connects();
  second_lease(1);
  const auto gone = [&](const char* host) {
    const auto& rules = keeper->snapshot().rules();
    const auto number = rules.host(host);
    return !number || rules.has_returned(*number);
  };
  EXPECT_EQ(in->reports().size(), 2U);
  hear([](auto& message) { message.mutable_lease_over()->set_lease(6); });
  EXPECT_EQ(in->reports().size(), 1U);
  EXPECT_TRUE(gone("n4@east"));
  dispatched();
  in->lost("east");
  in->configure(configuration);
  EXPECT_EQ(in->reports().size(), 1U) << "it comes back";
  auto without = std::make_shared<Configuration>(*configuration);
  without->peers.clusters.clear();
  in->configure(without);
  EXPECT_TRUE(in->reports().empty()) << "its provider is no peer any more, and a job of ours is still there";
  EXPECT_TRUE(gone("n2@east"));
}

TEST_F(LeaseInTest, AcknowledgesAGrantWhenNoOlderStartIsUnanswered) {
  connects();
  EXPECT_EQ(answered().acknowledged().counter(), 1U);
  const sched::JobKey key = dispatched();
  ASSERT_EQ(count(What::kOffer), 1);
  stands(wire::LeaseStands::INACTIVE, 2, 2);
  const auto waits = answered();
  EXPECT_EQ(waits.acknowledged().counter(), 0U);
  ASSERT_EQ(waits.uses_size(), 1);
  EXPECT_EQ(waits.uses(0).slots(), 1);
  ASSERT_TRUE(in->heard("east", state_of(key)));
  EXPECT_EQ(answered().acknowledged().counter(), 2U);
}

TEST_F(LeaseInTest, StartsUnderTheNewestGrant) {
  connects();
  dispatched();
  const auto& offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  EXPECT_EQ(offer.lent().lease(), 5U);
  EXPECT_EQ(offer.lent().under().counter(), 1U);
  EXPECT_EQ(offer.lent().host(), "n2");
  EXPECT_EQ(offer.lent().queue(), "normal");
  EXPECT_EQ(offer.queue(), "") << "a release that does not know leases must refuse it";
}

TEST_F(LentLicences, AreInstancesOfTheHostsThatHaveThem) {
  EXPECT_EQ(instances(), 3.0);
  const auto& rules = keeper->snapshot().rules();
  EXPECT_FALSE(rules.instance_of(*rules.indices().find("lic"), *rules.host("n3@east")));
  EXPECT_EQ(rules.shared.size(), 1U);
  stands_with(3, 1);
  EXPECT_EQ(instances(), 1.0);
  stands_with(4, 0);
  EXPECT_FALSE(instances());
}

TEST_F(LentLicences, StayWithAHostWhoseSlotsAreAway) {
  const auto tells_of_n2 = [this](std::uint64_t counter, int slots) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(wire::LeaseStands::ACTIVE);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      auto& host = *told.add_hosts();
      host.set_host("n2");
      host.set_slots(slots);
      host.set_stays(true);
      auto& resource = *told.add_resources();
      resource.set_name("lic");
      resource.set_instances(3);
      resource.add_hosts("n2");
    });
  };
  tells_of_n2(3, 2);
  const auto* const rules = &keeper->snapshot().rules();
  for (const std::uint64_t counter : {4, 5}) {
    tells_of_n2(counter, counter == 4 ? 0 : 1);
    EXPECT_EQ(instances(), 3.0);
    EXPECT_EQ(&keeper->snapshot().rules(), rules);
  }
}

// Its RES is silent, say. The provider counts them until the job is over, and would refuse the next one again and again.
TEST_F(LentLicences, AJobOnAHostThatHasLeftHoldsThemStill) {
  const auto tells_of = [this](std::uint64_t counter, const std::vector<std::string>& hosts) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(wire::LeaseStands::ACTIVE);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      auto& resource = *told.add_resources();
      resource.set_name("lic");
      resource.set_instances(3);
      for (const std::string& name : hosts) {
        auto& host = *told.add_hosts();
        host.set_host(name);
        host.set_slots(2);
        resource.add_hosts(name);
      }
    });
  };
  const auto of_n3 = [this] {
    const auto& rules = keeper->snapshot().rules();
    return keeper->snapshot().shared_number(
        rules.instance_of(*rules.indices().find("lic"), *rules.host("n3@east")).value());
  };
  tells_of(3, {"n2", "n3"});
  starts(2);
  tells_of(4, {"n3"});
  EXPECT_EQ(of_n3(), 1.0);
}

TEST_F(LentLicences, AStartSaysWhatItReservesOfThem) {
  starts(2);
  ASSERT_EQ(count(What::kOffer), 1);
  const auto& offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  ASSERT_EQ(offer.reserved_size(), 1) << "memory is a resource of the host";
  EXPECT_EQ(offer.reserved(0).name(), "lic");
  EXPECT_EQ(offer.reserved(0).amount(), 2);
}

TEST_F(LentLicences, AJobThatReservesWhatTheLeaseHasNoMoreIsPlannedAgain) {
  stands_with(3, 0);
  const auto key = starts(1);
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_EQ(status(key), wire::STATUS_PEND);
}

// Its provider does not hear of the host.
TEST_F(LeaseInTest, AJobOnAHostThatItsProviderHasLostIsUnknownUntilItIsHeardAgain) {
  connects();
  const sched::JobKey key = dispatched();
  ASSERT_TRUE(in->heard("east", state_of(key)));
  ASSERT_EQ(status(key), wire::STATUS_RUN);
  ASSERT_TRUE(in->heard("east", state_of(key, wire::STATUS_UNKWN)));
  EXPECT_EQ(status(key), wire::STATUS_UNKWN);
  ASSERT_TRUE(in->heard("east", state_of(key, wire::STATUS_UNKWN)));
  ASSERT_TRUE(in->heard("east", state_of(key)));
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  ASSERT_TRUE(in->heard("east", state_of(key, wire::STATUS_UNKWN)));
  ASSERT_TRUE(in->heard("east", state_of(key, wire::STATUS_USUSP)));
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
}

TEST_F(LeaseInTest, AJobThatAnAdministratorOfItsProviderHasStoppedIsResumedThere) {
  connects();
  const sched::JobKey key = dispatched();
  auto stopped = state_of(key, wire::STATUS_USUSP);
  stopped.mutable_state()->mutable_job()->set_suspend_reasons(wire::SUSPEND_ADMIN);
  ASSERT_TRUE(in->heard("east", state_of(key)));
  ASSERT_TRUE(in->heard("east", stopped));
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
  EXPECT_THAT(ask(key, sched::book::Act::RESUME),
              testing::ElementsAre("! Job <" + text(key) +
                                   ">: Job was suspended by an administrator of cluster east, and is resumed "
                                   "there"));
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
  ASSERT_TRUE(in->heard("east", state_of(key)));
  EXPECT_EQ(status(key), wire::STATUS_RUN);
}

TEST_F(LeaseInTest, ASignalSaysWhetherOurCycleSuspendsTheJob) {
  connects();
  const sched::JobKey key = dispatched();
  const auto said_for = [&](std::uint32_t reasons) {
    sched::order::Signal signal;
    signal.attempt = {key, 1};
    signal.sent.set_action(wire::SentSignal::SUSPEND);
    signal.suspend_reasons = reasons;
    said.clear();
    in->signal("n2@east", signal);
    return said.empty() ? -1 : said.back().signal().sent().term_reason();
  };
  EXPECT_EQ(said_for(wire::SUSPEND_LOAD), TERM_LOAD);
  EXPECT_EQ(said_for(wire::SUSPEND_WINDOW), TERM_WINDOW);
  EXPECT_EQ(said_for(wire::SUSPEND_PREEMPT), TERM_OTHER);
  EXPECT_EQ(said_for(wire::SUSPEND_LOAD | wire::SUSPEND_USER), 0) << "somebody has asked for it, too";
  EXPECT_EQ(said_for(0), 0) << "a bstop in a cut, which nothing shows yet";
}

TEST_F(LeaseInTest, AJobOnSeveralHostsOfALeaseIsOneOrder) {
  connects();
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  dispatch(key, {"n2@east", "n3@east"});
  orders();
  ASSERT_EQ(count(What::kOffer), 1);
  const auto& offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  EXPECT_EQ(offer.lent().host(), "n2");
  ASSERT_EQ(offer.more_lent_size(), 1);
  EXPECT_EQ(offer.more_lent(0).host(), "n3");
  EXPECT_EQ(offer.more_lent(0).lease(), 5U);
  EXPECT_EQ(offer.more_lent(0).under().counter(), 1U);
  const auto uses = answered();
  EXPECT_EQ(uses.uses_size(), 2);
  said.clear();
  sched::order::Signal signal;
  signal.attempt = {key, job(key).record.attempt()};
  for (const char* host : {"n2@east", "n3@east"}) in->signal(host, signal);
  in->release("n3@east", signal.attempt);
  EXPECT_EQ(count(What::kSignal), 1) << "their cluster passes it on to all hosts";
  EXPECT_EQ(count(What::kRecall), 0);
}

TEST_F(LeaseInTest, AJobOnHostsOfTwoLeasesOfOneProviderIsOneOrder) {
  connects();
  second_lease(3);
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  dispatch(key, {"n2@east", "n4@east"});
  orders();
  ASSERT_EQ(count(What::kOffer), 1);
  const auto& offer =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); })->offer();
  EXPECT_EQ(offer.lent().lease(), 5U);
  EXPECT_EQ(offer.more_lent(0).lease(), 6U);
  EXPECT_EQ(offer.more_lent(0).under().counter(), 3U);
  // The start is unanswered for both leases.
  second_lease(4);
  stands(wire::LeaseStands::ACTIVE, 2, 2);
  EXPECT_EQ(acknowledged(), (std::map<std::uint64_t, std::uint64_t>{{5, 0}, {6, 0}}));
  ASSERT_TRUE(in->heard("east", state_of(key)));
  EXPECT_EQ(acknowledged(), (std::map<std::uint64_t, std::uint64_t>{{5, 2}, {6, 4}}));
}

TEST_F(LeaseInTest, AJobPendsAgainWhenItsStartIsStaleOrRecalled) {
  connects();
  const sched::JobKey stale = dispatched(), recalled = dispatched();
  over(stale, wire::ForwardOver::STALE);
  EXPECT_EQ(status(stale), wire::STATUS_PEND);
  EXPECT_EQ(job(stale).record.excluded_hosts_size(), 0);
  ASSERT_TRUE(in->heard("east", state_of(recalled)));
  EXPECT_TRUE(job(recalled).record.started());
  over(recalled, wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(status(recalled), wire::STATUS_PEND);
  EXPECT_EQ(job(recalled).record.requeues(), 0) << "no retry limit counts it";
  const sched::JobKey by_n3{submit(sched::book::plain_job()), 0};
  dispatch(by_n3, {"n2@east", "n3@east"});
  orders();
  over(by_n3, wire::ForwardOver::WITHDRAWN, 0, "n3");
  EXPECT_THAT(job(by_n3).record.excluded_hosts(), testing::ElementsAre("n3@east"));
  const sched::JobKey by_another = dispatched();
  over(by_another, wire::ForwardOver::NOT_STARTED, 0, "n9");
  EXPECT_THAT(job(by_another).record.excluded_hosts(), testing::ElementsAre("n2@east"))
      << "no host of the job";
  stands(wire::LeaseStands::INACTIVE, 2, 2);
  const sched::JobKey late = dispatched();
  EXPECT_EQ(status(late), wire::STATUS_PEND) << "no start leaves while the lease is changed";
}

TEST_F(LeaseInTest, EndsAndFailuresCountHere) {
  connects();
  const sched::JobKey good = dispatched(), requeues = dispatched(), fails = dispatched(), lost = dispatched();
  over(good, wire::ForwardOver::ENDED);
  EXPECT_EQ(status(good), wire::STATUS_DONE);
  over(requeues, wire::ForwardOver::ENDED, 77 << 8);
  EXPECT_EQ(status(requeues), wire::STATUS_PEND) << "REQUEUE_EXIT_VALUES of our queue";
  EXPECT_EQ(job(requeues).record.requeues(), 1);
  over(fails, wire::ForwardOver::PRE_EXEC_FAILED, 1 << 8);
  EXPECT_EQ(job(fails).record.preexec_failures(), 1);
  over(lost, wire::ForwardOver::LOST);
  EXPECT_EQ(status(lost), wire::STATUS_EXIT);
}

TEST_F(LeaseInTest, AfterALostConnectionTheProviderSaysWhatItHolds) {
  connects();
  const sched::JobKey arrived = dispatched(), not_arrived = dispatched();
  in->lost("east");
  said.clear();
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 1, 2);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  EXPECT_EQ(answered().acknowledged().counter(), 0U) << "an older start may have arrived";
  held({arrived});
  EXPECT_TRUE(job(arrived).record.started());
  EXPECT_EQ(status(not_arrived), wire::STATUS_RUN);
  EXPECT_EQ(answered().acknowledged().counter(), 1U);
  hear([](auto& message) { message.mutable_leases_told(); });  // the lease is over
  EXPECT_EQ(status(arrived), wire::STATUS_RUN) << "only the provider ends an attempt";
}

TEST_F(LeaseInTest, ForgetsALeaseThatIsOver) {
  connects();
  stands(wire::LeaseStands::RETURNED, 2, 0);
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(said.back().lease_answer().acknowledged().counter(), 2U);
  EXPECT_EQ(answered().lease(), 0U) << "it is forgotten";
}

TEST_F(LeaseInTest, AStartCarriesWhatItsQueueSays) {
  const auto files = sched::book::site_files(
      "",
      "HOSTS = all allremote\nJOB_STARTER = starter\nPRE_EXEC = pre\nJOB_CONTROLS = SUSPEND[SIGTSTP]\n"
      "DJOB_COMMFAIL_ACTION = KILL_TASKS\n");
  book->configure(files, now);
  connects();
  dispatched();
  const auto offer = std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); });
  ASSERT_NE(offer, said.end());
  const auto& programs = offer->offer().programs();
  EXPECT_EQ(programs.job_starter(), "starter");
  EXPECT_EQ(programs.queue_pre_exec(), "pre");
  EXPECT_EQ(programs.suspend(), "SIGTSTP");
  EXPECT_THAT(programs.links(), testing::Contains("LSB_DJOB_COMMFAIL_ACTION=KILL_TASKS"));
}

TEST_F(LeaseInTest, AnInteractiveJobHasItsTerminalByWayOfTheMasters) {
  connects();
  auto asked = sched::book::plain_job();
  asked.set_interactive(wire::Submission::TERMINAL);
  asked.clear_output_file();
  const sched::JobKey key{submit(asked), 0};
  dispatch(key, {"n2@east"});
  orders();
  ASSERT_TRUE(said.back().has_offer());
  EXPECT_EQ(said.back().offer().asked().interactive(), wire::Submission::TERMINAL);
  EXPECT_EQ(book->jobs().stream(key), nullptr);
  auto ready = state_of(key);
  ready.mutable_state()->set_terminal(true);
  ASSERT_TRUE(in->heard("east", ready));
  ASSERT_NE(book->jobs().stream(key), nullptr);
  EXPECT_EQ(book->jobs().stream(key)->host(), "n2@east");
  EXPECT_EQ(book->jobs().stream(key)->port(), 0U) << "no key and no port of another cluster";
}

TEST_F(LeaseInTest, KnowsTheLoadOfAHostUntilItsClusterIsGone) {
  connects();
  EXPECT_EQ(in->load_of(sched::HostId("n2@east")), nullptr);
  tells_addresses();
  ASSERT_NE(in->load_of(sched::HostId("n2@east")), nullptr);
  EXPECT_EQ(in->load_of(sched::HostId("n2@north")), nullptr);
  in->lost("east");
  EXPECT_EQ(in->load_of(sched::HostId("n2@east")), nullptr);
}

// Those of thousands of hosts do not fit into one message.
TEST_F(LeaseInTest, LoadsOfSeveralMessagesCountWithTheLast) {
  connects();
  tells_addresses();
  const auto tells_of = [this](const char* host, bool more) {
    hear([&](auto& message) {
      message.mutable_lease_loads()->set_more(more);
      message.mutable_lease_loads()->add_hosts()->mutable_facts()->set_name(host);
    });
  };
  const auto known = [this] {
    std::string hosts;
    for (const char* host : {"n2@east", "n3@east", "n4@east"})
      if (in->load_of(sched::HostId(host))) hosts += std::string(host) + " ";
    return hosts;
  };
  tells_of("n2", true);
  EXPECT_EQ(known(), "n2@east n3@east n4@east ") << "those of before";
  tells_of("n3", false);
  EXPECT_EQ(known(), "n2@east n3@east ");
  tells_of("n4", false);
  EXPECT_EQ(known(), "n4@east ");
}

// Its provider holds no slot for a post-execution, so the lease may lose the host under it.
TEST_F(LeaseInTest, APostExecutionEndsThoughItsHostHasLeftTheLease) {
  connects();
  const sched::JobKey key = dispatched();
  hear([&](auto& message) { message = state_of(key); });
  const auto ends = [&](wire::PostStatus post) {
    hear([&](auto& message) {
      *message.mutable_over()->mutable_attempt() = state_of(key).state().attempt();
      message.mutable_over()->set_how(wire::ForwardOver::ENDED);
      message.mutable_over()->set_post(post);
      message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
      message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
    });
  };
  ends(wire::POST_RUNNING);
  ASSERT_EQ(job(key).record.post_status(), wire::POST_RUNNING);
  hear([](auto& message) {
    auto& told = *message.mutable_lease_stands();
    told.set_lease(5);
    told.set_state(wire::LeaseStands::ACTIVE);
    told.mutable_number()->set_term(7);
    told.mutable_number()->set_counter(2);
    auto& host = *told.add_hosts();
    host.set_host("n3");
    host.set_slots(2);
  });
  ends(wire::POST_DONE);
  EXPECT_EQ(job(key).record.post_status(), wire::POST_DONE);
}

// badmin hforget says that the provider's store was put back.
TEST_F(LeaseInTest, AfterItsProviderWasForgottenASmallerNumberCounts) {
  connects();
  stands(wire::LeaseStands::ACTIVE, 9, 2);
  EXPECT_EQ(acknowledged().at(5), 9U);
  stands(wire::LeaseStands::ACTIVE, 3, 1);
  EXPECT_EQ(acknowledged().at(5), 9U);
  in->lost("east");
  in->forget_numbers("east");
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 3, 1);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  held();
  EXPECT_EQ(acknowledged().at(5), 3U);
}

// brun names hosts that no cycle has chosen.
TEST_F(LeaseInTest, NoClusterIsToldOfAJobOfRoot) {
  connects();
  tells_addresses();
  tells("hostA", sched::report::HostCame{{}, true});
  said.clear();
  const sched::JobKey alone{submit(sched::book::plain_job(), sched::book::kRoot), 0};
  dispatch(alone, {"n2@east"});
  orders();
  const sched::JobKey spans{submit(sched::book::plain_job(), sched::book::kRoot), 0};
  dispatch(spans, {"hostA", "n2@east"});
  orders();
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_EQ(status(alone), wire::STATUS_PEND);
  EXPECT_EQ(status(spans), wire::STATUS_PEND);
}

TEST_F(LeaseInTest, ALeaseOfAProviderThatIsAPeerAgainIsThereAgain) {
  connects();
  const sched::JobKey key = dispatched();  // which keeps the lease known meanwhile
  const auto peers = configuration->peers;
  const auto reads = [this](conf::PeerSettings settings) {
    auto next = std::make_shared<Configuration>(*configuration);
    next->peers = std::move(settings);
    configuration = next;
    in->configure(configuration);
  };
  reads({});
  in->lost("east");
  EXPECT_THAT(in->reports(), testing::IsEmpty());
  reads(peers);
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 1, 2);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  held({key});
  ASSERT_EQ(in->reports().size(), 1U);
  EXPECT_EQ(in->reports()[0].phase, sched::lease::Phase::active);
  EXPECT_EQ(in->reports()[0].hosts.size(), 2U);
}

// It would count as started, and never be there.
TEST_F(LeaseInTest, AJobThatDoesNotFitIntoAMessageIsNotStarted) {
  connects();
  tells_addresses();
  tells("hostA", sched::report::HostCame{{}, true});
  said.clear();
  auto large = sched::book::plain_job();
  for (int i = 0; i < 300; ++i) {
    auto& file = *large.add_transfers();
    file.set_local(std::string(4000, 'l'));
    file.set_remote("there");
  }
  const sched::JobKey key{submit(large), 0};
  dispatch(key, {"n2@east"});
  orders();
  EXPECT_EQ(status(key), wire::STATUS_PEND);
  EXPECT_EQ(count(What::kOffer), 0);
}

TEST_F(LeaseInTest, ShowsTheTypeAndTheSlotsThatItsProviderTells) {
  connects();
  EXPECT_THAT(in->reports().at(0).reason, testing::HasSubstr("does not tell the type")) << "an older release";
  const auto tells = [this](wire::LeaseStands::Type type, int awaited) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(wire::LeaseStands::REQUESTED);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(1);
      told.set_type(type);
      told.set_awaited(awaited);
    });
  };
  tells(wire::LeaseStands::SHARED, 0);
  EXPECT_TRUE(in->reports().at(0).shared) << "also under the grant that is known";
  EXPECT_EQ(in->reports().at(0).reason, "");
  EXPECT_TRUE(in->awaited().empty());
  tells(wire::LeaseStands::EXCLUSIVE, 4);
  EXPECT_FALSE(in->reports().at(0).shared);
  EXPECT_EQ(in->reports().at(0).reason, "4 slots come when jobs of cluster east that run there end");
  ASSERT_EQ(in->awaited().size(), 1U);
  EXPECT_EQ(in->awaited()[0].slots, 4);
  EXPECT_TRUE(in->awaited()[0].provider_lends);
  in->lost("east");
  EXPECT_TRUE(in->awaited().empty()) << "they may have ended";
}

// bjobs tells why a job that names hosts of the cluster has none of them.
TEST_F(LeaseInTest, AwaitsALeaseThatNoJobAsksFor) {
  connects(wire::LeaseStands::OFFERED);
  stands(wire::LeaseStands::OFFERED, 2, 0);
  ASSERT_EQ(in->awaited().size(), 1U);
  EXPECT_EQ(in->awaited()[0].slots, 0);
  EXPECT_FALSE(in->awaited()[0].provider_lends);
  second_lease(1);
  EXPECT_TRUE(in->awaited().empty()) << "a host of the cluster is there, which tells it";
}

// The provider would else give slots that stay idle, and take them back.
TEST_F(LeaseInTest, TellsWhatItsOwnFilesLetItUseOfASharedLease) {
  connects();
  answered();
  auto lsb = std::make_shared<conf::LsbFiles>(*configuration->files.lsb);
  conf::BatchHost all;
  all.name = "default";
  all.slots = 1;
  lsb->hosts.hosts.push_back(all);
  const auto reads = [&] {
    auto files = configuration->files;
    files.lsb = std::make_shared<conf::LsbFiles>(*lsb);
    configuration = configuration_of(files);
    keeper->configure(configuration->rules);
    in->configure(configuration);
  };
  reads();
  EXPECT_EQ(answered().lease(), 0U) << "it is nothing to the provider of a lease that is not shared";
  hear([&](auto& message) {
    auto& told = *message.mutable_lease_stands();
    told.set_lease(5);
    told.set_state(wire::LeaseStands::ACTIVE);
    told.mutable_number()->set_term(7);
    told.mutable_number()->set_counter(1);
    told.set_type(wire::LeaseStands::SHARED);
  });
  auto answer = answered();
  ASSERT_EQ(answer.limits_size(), 2);
  EXPECT_EQ(answer.limits(0).host(), "n2");
  EXPECT_EQ(answer.limits(0).slots(), 1);
  EXPECT_EQ(answered().lease(), 0U) << "once";
  lsb->hosts.hosts.back().slots.reset();
  reads();
  answer = answered();
  EXPECT_EQ(answer.lease(), 5U) << "also that there is no limit any more";
  EXPECT_EQ(answer.limits_size(), 0);
}

}  // namespace
}  // namespace rollcall::mbatchd
