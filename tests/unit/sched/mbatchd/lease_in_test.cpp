// The consumer's side: when it asks, what it acknowledges, and what becomes of jobs on borrowed hosts.
#include "sched/mbatchd/lease_in.hpp"

#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

class LeaseInTest : public ForwardShellTest {
 protected:
  LeaseInTest() {
    const auto files = sched::book::site_files("", "HOSTS = all allremote\n");
    book = std::make_unique<sched::book::Book>();
    book->configure(files, now);
    book->set_term(1);
    book->rows().loaded(now);
    configuration = configuration_of(files);
    keeper.emplace(book->jobs(), book->hosts());
    keeper->configure(configuration->rules);
    in = std::make_unique<LeaseIn>(
        book->jobs(), book->hosts(), *keeper, log,
        LeaseIn::Handler{
            [this](const std::string&, wire::PeerMessage message) {
              said.push_back(std::move(message));
              return true;
            },
            [this](const std::string& host, const sched::HostReport& report) {
              if (std::holds_alternative<sched::report::HostCame>(report)) keeper->connected(host, true);
              tells(host, report);
            },
            [this](const std::string& host, const sched::HostReport& report) { tells(host, report); },
            [this](const std::string& host) { book->hosts().host_gone(host, now); }, [] {}, [] {},
            [this](const sched::Attempt& attempt) { return span_of(attempt); },
            [this](const std::string& host, const sched::Attempt&) { waiting.push_back(host); }, [] {}});
    in->configure(configuration);
  }
  void hear(const std::function<void(wire::PeerMessage&)>& fill) {
    wire::PeerMessage message;
    fill(message);
    const auto heard = in->heard("east", message);
    ASSERT_TRUE(heard) << heard.error().text;
    in->settle();
  }
  void stands(wire::LeaseStands::State state, std::uint64_t counter, int slots) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(state);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      for (const char* name : {"n2", "n3"}) {
        auto& host = *told.add_hosts();
        host.set_host(name);
        host.set_slots(slots);
      }
    });
  }
  void second_lease(std::uint64_t counter, wire::LeaseStands::State state = wire::LeaseStands::ACTIVE) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(6);
      told.set_state(state);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      auto& host = *told.add_hosts();
      host.set_host("n4");
      host.set_slots(2);
    });
  }
  // The number that each lease's answer acknowledges.
  std::map<std::uint64_t, std::uint64_t> acknowledged() {
    said.clear();
    in->flush();
    std::map<std::uint64_t, std::uint64_t> numbers;
    for (const auto& one : said)
      if (one.has_lease_answer())
        numbers[one.lease_answer().lease()] = one.lease_answer().acknowledged().counter();
    return numbers;
  }
  void held(const std::vector<sched::JobKey>& running = {}) {
    hear([&](auto& message) {
      message.mutable_held()->set_last(true);
      for (const auto key : running) *message.mutable_held()->add_running() = state_of(key).state();
    });
  }
  void connects(wire::LeaseStands::State state = wire::LeaseStands::ACTIVE) {
    in->serves("east");
    stands(state, 1, 2);
    hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
    held();
  }
  sched::JobKey dispatched() {
    const sched::JobKey key{submit(sched::book::plain_job()), 0};
    dispatch(key, {"n2@east"});
    orders();
    return key;
  }
  // The turn's orders leave.
  void orders() {
    for (const auto& one : std::exchange(effects, {}))
      book->hosts().carry_out(one, *in, [](const auto& asked) { return asked; });
  }
  wire::PeerMessage state_of(sched::JobKey key, wire::JobStatus status = wire::STATUS_RUN) {
    wire::PeerMessage message;
    auto& state = *message.mutable_state();
    sched::set_key(*state.mutable_attempt()->mutable_key(), key);
    state.mutable_attempt()->set_attempt(job(key).record.attempt());
    state.mutable_attempt()->set_lent_host("n2");
    state.mutable_job()->mutable_key()->set_id(77);
    state.mutable_job()->set_status(status);
    state.mutable_job()->set_pid(100);
    return message;
  }
  void over(sched::JobKey key, wire::ForwardOver::How how, int exit_status = 0) {
    hear([&](auto& message) {
      *message.mutable_over()->mutable_attempt() = state_of(key).state().attempt();
      message.mutable_over()->set_how(how);
      message.mutable_over()->set_exit_status(exit_status);
      message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
      message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
    });
  }
  wire::LeaseAnswer answered() {
    said.clear();
    in->flush();
    for (const auto& one : said)
      if (one.has_lease_answer()) return one.lease_answer();
    return {};
  }

  std::optional<wire::JobSpan> span_of(const sched::Attempt& attempt) {
    wire::JobSpan span;
    for (const auto& host : job(attempt.job).record.hosts()) {
      auto& place = *span.add_places();
      place.set_host(std::string(sched::HostId(host.name()).host()));
      place.set_cluster(std::string(sched::HostId(host.name()).cluster()));
      place.set_task_key("of " + place.cluster());
      if (sched::HostId(host.name()).ours()) place.add_addresses("10.0.0.1");
      if (const auto known = in->place_of(host.name())) place.add_addresses(known->addresses.front());
    }
    return span;
  }
  void tells_addresses(bool any = true) {
    hear([any](auto& message) {
      for (const char* name : {"n2", "n3", "n4"}) {
        auto& host = *message.mutable_lease_loads()->add_hosts();
        host.mutable_facts()->set_name(name);
        if (any) host.add_addresses("10.0.0.2");
        host.set_port(6883);
      }
    });
  }
  // A job whose part has been offered.
  sched::JobKey spans(const std::vector<std::string>& hosts = {"hostA", "n2@east", "n3@east"}) {
    tells("hostA", sched::report::HostCame{{}, true});
    const sched::JobKey key{submit(sched::book::plain_job()), 0};
    dispatch(key, hosts);
    expectations();
    return key;
  }
  // As the daemon: the jobs that have changed, then the orders, which leave behind the commit.
  void changed() {
    std::set<sched::JobKey> jobs;
    for (const auto& one : effects)
      if (const auto* save = std::get_if<sched::effect::SaveJob>(&one)) jobs.insert(save->key);
    in->changed(jobs);
    in->settle();
  }
  void expectations() {
    changed();
    for (const auto& one : std::exchange(effects, {})) {
      if (const auto* expect = std::get_if<sched::effect::OrderExpect>(&one))
        if (const auto order = book->hosts().expect_order(*expect);
            order && !sched::HostId(expect->host).ours())
          in->expect(expect->host, *order);
      if (const auto* release = std::get_if<sched::effect::OrderRelease>(&one))
        if (!sched::HostId(release->host).ours()) in->release(release->host, release->attempt);
    }
  }
  void prepared_here(sched::JobKey key) {
    tells("hostA", sched::report::Prepared{{{key, job(key).record.attempt()}}});
  }
  wire::PeerMessage part_state(sched::JobKey key, bool prepared) {
    wire::PeerMessage message = state_of(key);
    message.mutable_state()->mutable_attempt()->set_part(true);
    message.mutable_state()->set_prepared(prepared);
    for (const char* name : {"n2", "n3"}) {
      auto& host = *message.mutable_state()->mutable_job()->add_hosts();
      host.set_name(name);
      host.set_slots(1);
    }
    return message;
  }
  void part_over(sched::JobKey key, wire::ForwardOver::How how) {
    hear([&](auto& message) {
      *message.mutable_over()->mutable_attempt() = part_state(key, true).state().attempt();
      message.mutable_over()->set_how(how);
      message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
      message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
    });
    expectations();
  }
  bool go_is_given(sched::JobKey key) {
    return job(key).status() == wire::STATUS_RUN && job(key).launch.go_given;
  }

  std::shared_ptr<const Configuration> configuration;
  std::optional<sched::answers::SnapshotKeeper> keeper;
  std::unique_ptr<LeaseIn> in;
  std::vector<std::string> waiting;  // hosts whose orders wait until all hosts can be named
};

TEST_F(LeaseInTest, AsksOnlyWhenAPendingJobCouldUseTheLease) {
  connects(wire::LeaseStands::OFFERED);
  in->planned(keeper->snapshot());
  EXPECT_FALSE(answered().wants());
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  keeper->job(key);
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

// lsf.shared here has lic, of which only leases have instances.
class LentLicences : public LeaseInTest {
 protected:
  LentLicences() {
    auto files = sched::book::site_files("", "HOSTS = all allremote\n");
    auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
    cluster->indices.add({.name = "lic", .type = ResourceType::numeric});
    files.cluster = std::move(cluster);
    book->configure(files, now);
    configuration = configuration_of(files);
    keeper->configure(configuration->rules);
    in->configure(configuration);
    connects();
    stands_with(2, 3);
  }
  void stands_with(std::uint64_t counter, int instances) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(wire::LeaseStands::ACTIVE);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      for (const char* name : {"n2", "n3"}) {
        auto& host = *told.add_hosts();
        host.set_host(name);
        host.set_slots(2);
      }
      if (instances == 0) return;
      auto& resource = *told.add_resources();
      resource.set_name("lic");
      resource.set_instances(instances);
      resource.add_hosts("n2");
    });
  }
  sched::JobKey starts(double amount) {
    const sched::JobKey key{submit(sched::book::plain_job()), 0};
    auto plan = sched::book::on_hosts({"n2@east"});
    plan.placement.reservations = {{"lic", sched::HostId("n2@east"), amount, {}, false},
                                   {"mem", sched::HostId("n2@east"), 100, {}, false}};
    effects = book->hosts().dispatch(key, plan, now);
    orders();
    return key;
  }
  // What the consumer's cycle has of it.
  std::optional<double> instances() const {
    const auto& rules = keeper->snapshot().rules();
    const auto host = rules.host("n2@east");
    const auto place = host ? rules.instance_of(*rules.indices().find("lic"), *host) : std::nullopt;
    return place ? std::optional(keeper->snapshot().shared_number(*place)) : std::nullopt;
  }
};

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

TEST_F(LeaseInTest, APartHasHostsOfTwoLeases) {
  connects();
  second_lease(3);
  tells_addresses();
  const sched::JobKey key = spans({"hostA", "n2@east", "n4@east"});
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
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 1, 2);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  hear([&](auto& message) {
    message.mutable_held()->set_last(true);
    *message.mutable_held()->add_running() = part_state(failed, true).state();
    auto& ends_it = *message.mutable_held()->add_running();
    ends_it = part_state(recalled, false).state();
    ends_it.mutable_job()->set_why("its slots are taken back from the lease");
  });
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
  EXPECT_EQ(
      job(key).record.start_failure(),
      "a job whose first host is borrowed, on hosts of several clusters, is not started in this release");
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
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 1, 2);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  hear([&](auto& message) {
    message.mutable_held()->set_last(true);
    *message.mutable_held()->add_running() = part_state(key, true).state();
  });
  expectations();
  EXPECT_EQ(count(What::kRecall), 1);
  in->settle();
  EXPECT_EQ(keeper->snapshot().slots(*keeper->snapshot().rules().host("n3@east")), 1);
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
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 1, 2);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  hear([&](auto& message) {
    message.mutable_held()->set_last(true);
    *message.mutable_held()->add_running() = part_state(key, true).state();
  });
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
  in->lost("east");
  connects();
  const sched::JobKey early = spans();
  EXPECT_TRUE(job(early).record.starting()) << "the provider has not told of its hosts yet";
  EXPECT_THAT(waiting, testing::ElementsAre("n2@east"));
  tells_addresses(false);
  const sched::JobKey unreachable = spans();
  EXPECT_EQ(status(unreachable), wire::STATUS_PEND) << "the provider has told no address: an older release";
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

TEST_F(LeaseInTest, AnInteractiveJobWithFilesIsPlannedAgain) {
  connects();
  auto asked = sched::book::plain_job();
  asked.set_interactive(wire::Submission::PLAIN);
  asked.set_output_file("/tmp/out");
  const sched::JobKey key{submit(asked), 0};
  dispatch(key, {"n2@east"});
  said.clear();
  orders();
  EXPECT_TRUE(std::none_of(said.begin(), said.end(), [](const auto& one) { return one.has_offer(); }));
  EXPECT_NE(status(key), wire::STATUS_RUN);
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

TEST_F(LeaseInTest, TheHostsOfAllLeasesOfAProviderAreBounded) {
  connects();
  const auto told = [this](std::uint64_t lease, std::uint64_t counter, std::size_t hosts) {
    wire::PeerMessage message;
    auto& stands = *message.mutable_lease_stands();
    stands.set_lease(lease);
    stands.set_state(wire::LeaseStands::ACTIVE);
    stands.mutable_number()->set_term(7);
    stands.mutable_number()->set_counter(counter);
    for (std::size_t i = 0; i < hosts; ++i) {
      auto& host = *stands.add_hosts();
      host.set_host("h" + std::to_string(lease) + "." + std::to_string(i));
      host.set_slots(1);
    }
    return in->heard("east", message).has_value();
  };
  const std::size_t most = sched::peers::kMostLeasedHosts;
  for (const std::uint64_t lease : {11U, 12U, 13U}) EXPECT_TRUE(told(lease, 1, 0)) << "leases without hosts";
  EXPECT_TRUE(told(11, 2, most));
  EXPECT_TRUE(told(12, 2, most - 2)) << "two are on the first lease";
  EXPECT_FALSE(told(13, 2, 1)) << "a lease that is known grows";
  EXPECT_TRUE(told(11, 3, most)) << "it has them already";
}

// Its own parts that were left over are asked back, however many another one makes up.
TEST_F(LeaseInTest, PartsThatNeverWereAreNotedUpToABoundAndAllAskedBack) {
  connects();
  tells_addresses();
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  auto strange = part_state(key, true);
  constexpr int kMany = 10'005;
  said.clear();
  for (int number = 1; number <= kMany; ++number) {
    strange.mutable_state()->mutable_attempt()->set_attempt(static_cast<std::uint32_t>(100 + number));
    ASSERT_TRUE(in->heard("east", strange));
  }
  EXPECT_EQ(count(What::kRecall), kMany);
}

TEST_F(LeaseInTest, AnEndThatIsToldAgainAndAgainIsAcknowledgedOnce) {
  connects();
  said.clear();
  for (int times = 0; times < 3; ++times)
    hear([](auto& message) {
      auto& attempt = *message.mutable_over()->mutable_attempt();
      attempt.mutable_key()->set_id(9);
      attempt.set_attempt(1);
      attempt.set_made(5);
      attempt.set_lent_host("n2");
      message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
      message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
    });
  in->flush();
  ASSERT_EQ(count(What::kAcknowledge), 1);
  for (const auto& one : said)
    if (one.has_acknowledge())
      EXPECT_EQ(one.acknowledge().attempt().made(), 5U) << "by the name it was told with";
}

}  // namespace
}  // namespace rollcall::mbatchd
