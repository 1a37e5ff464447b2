// The consumer's side: what a provider can cost that tells much, again and again.
#include "tests/unit/sched/mbatchd/lease_in_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

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

// One report has the loads of all leases.
TEST_F(LeaseInTest, LoadsAreTakenOfAsManyHostsAsAllLeasesMayHave) {
  connects();
  const auto told = [this](int hosts, bool more) {
    wire::PeerMessage message;
    auto& loads = *message.mutable_lease_loads();
    for (int i = 0; i < hosts; ++i) loads.add_hosts()->mutable_facts()->set_name("h" + std::to_string(i));
    loads.set_more(more);
    return in->heard("east", message).has_value();
  };
  const int most = sched::peers::kMostLeasedHosts;
  EXPECT_TRUE(told(most, true));
  EXPECT_TRUE(told(most, false));
  EXPECT_TRUE(told(most, true));
  EXPECT_TRUE(told(most, true));
  EXPECT_FALSE(told(1, false));
}

// A host may have 64 KB of facts and thousands of indices.
TEST_F(LeaseInTest, LoadsThatNeverEndAreKeptUpToABoundInBytes) {
  connects();
  std::size_t bytes = 0;
  const auto told = [&](bool more) {
    wire::PeerMessage message;
    auto& loads = *message.mutable_lease_loads();
    for (int i = 0; i < 100; ++i) {
      auto& host = *loads.add_hosts();
      host.mutable_facts()->set_name("h" + std::to_string(i));
      host.mutable_facts()->set_model(std::string(60'000, 'm'));
    }
    loads.set_more(more);
    bytes += message.ByteSizeLong();
    return in->heard("east", message).has_value();
  };
  constexpr std::size_t kMany = std::size_t{70} << 20;
  for (int report = 0; report < 2; ++report) {
    for (bytes = 0; bytes < kMany;) ASSERT_TRUE(told(true)) << bytes;
    ASSERT_TRUE(told(false)) << "each report counts by itself: " << report;
  }
  for (bytes = 0; told(true);) ASSERT_LT(bytes, 3 * kMany);
  EXPECT_GT(bytes, kMany);
}

TEST_F(LeaseInTest, HostsThatNoLeaseAndNoJobHasAreGone) {
  connects();
  second_lease(1);
  EXPECT_TRUE(book->hosts().connected("n4@east"));
  const sched::JobKey key = dispatched();
  hear([](auto& message) { message.mutable_lease_over()->set_lease(6); });
  hear([](auto& message) { message.mutable_lease_over()->set_lease(5); });
  EXPECT_FALSE(book->hosts().connected("n4@east"));
  EXPECT_FALSE(book->hosts().connected("n3@east"));
  EXPECT_TRUE(book->hosts().connected("n2@east")) << "a job is there";
  over(key, wire::ForwardOver::ENDED);
  second_lease(2);
  EXPECT_FALSE(book->hosts().connected("n2@east"));
  EXPECT_TRUE(book->hosts().connected("n4@east")) << "it is lent again";
}

TEST_F(LeaseInTest, AHostOfTwoLeasesIsThereUntilBothAreOver) {
  connects();
  second_lease(1);
  for (const std::uint64_t lease : {7U, 8U})
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(lease);
      told.set_state(wire::LeaseStands::ACTIVE);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(1);
      auto& host = *told.add_hosts();
      host.set_host("n4");
      host.set_slots(1);
    });
  for (const std::uint64_t lease : {6U, 8U, 7U}) {
    EXPECT_TRUE(book->hosts().connected("n4@east")) << lease;
    hear([&](auto& message) { message.mutable_lease_over()->set_lease(lease); });
  }
  EXPECT_FALSE(book->hosts().connected("n4@east"));
}

// Another cluster must not have us look at the hosts of all leases as often as it likes.
TEST_F(LeaseInTest, WhatIsToldOfALeaseCostsNothingForTheHostsOfOthers) {
  connects();
  second_lease(1);
  const auto noted = in->hosts_noted();
  const sched::JobKey key = dispatched();
  for (std::uint64_t counter = 2; counter < 1000; ++counter) {
    second_lease(counter, counter % 2 == 0 ? wire::LeaseStands::INACTIVE : wire::LeaseStands::ACTIVE);
    hear([&](auto& message) { message = state_of(key); });
  }
  EXPECT_EQ(in->hosts_noted(), noted) << "it has the same host";
  hear([](auto& message) { message.mutable_lease_over()->set_lease(6); });
  EXPECT_EQ(in->hosts_noted(), noted + 1);
}

TEST_F(LeaseInTest, WhatIsToldAgainOfALeaseIsAnsweredAndCostsNothingMore) {
  connects();
  const auto tells = [this](std::uint64_t counter) {
    wire::PeerMessage message;
    auto& told = *message.mutable_lease_stands();
    told.set_lease(5);
    told.set_state(wire::LeaseStands::ACTIVE);
    told.mutable_number()->set_term(7);
    told.mutable_number()->set_counter(counter);
    ASSERT_TRUE(in->heard("east", message));
  };
  tells(1);
  EXPECT_FALSE(in->unsettled());
  EXPECT_EQ(answered().acknowledged().counter(), 1U);
  EXPECT_TRUE(keeper->snapshot().rules().host("n2@east")) << "a number has one meaning";
  tells(2);
  EXPECT_TRUE(in->unsettled());
  in->settle();
  tells(1);
  EXPECT_FALSE(in->unsettled()) << "an older number";
}

TEST_F(LeaseInTest, AnOfferOfALeaseThatIsToldAgainCostsNothingMore) {
  connects();
  const auto offers = [this](int slots) {
    wire::PeerMessage message;
    auto& told = *message.mutable_lease_stands();
    told.set_lease(6);
    auto& host = *told.add_hosts();
    host.set_host("n4");
    host.set_slots(slots);
    ASSERT_TRUE(in->heard("east", message));
  };
  offers(2);
  in->settle();
  offers(2);
  EXPECT_FALSE(in->unsettled()) << "no grant has a number yet";
  offers(1);
  EXPECT_TRUE(in->unsettled()) << "it offers another number of slots";
}

// Its own parts that were left over are asked back, however many another one makes up.
TEST_F(LeaseInTest, PartsThatNeverWereAreNotedUpToABoundAndAllAskedBack) {
  connects();
  tells_addresses();
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  auto strange = part_state(key, true);
  constexpr int kMany = 60'000;
  said.clear();
  for (int number = 1; number <= kMany; ++number) {
    strange.mutable_state()->mutable_attempt()->set_attempt(static_cast<std::uint32_t>(100 + number));
    ASSERT_TRUE(in->heard("east", strange));
  }
  EXPECT_EQ(count(What::kRecall), kMany);
  EXPECT_LT(in->parts_noted(), 60'000U);
}

// Of what a provider says that it holds no more is kept than we have started there, however much it tells.
TEST_F(LeaseInTest, AGreetingIsKeptAsFarAsItsAttemptsAreOurs) {
  connects();
  const sched::JobKey key = dispatched();
  const auto mine = state_of(key).state();
  const sched::JobKey here{submit(sched::book::plain_job()), 0};
  tells("hostA", sched::report::HostCame{});
  dispatch(here);
  in->lost("east");
  in->serves("east");
  stands(wire::LeaseStands::ACTIVE, 1, 2);
  hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
  said.clear();
  constexpr int kParts = 20, kEach = 100;
  for (int part = 0; part < kParts; ++part)
    hear([&](auto& message) {
      auto& held = *message.mutable_held();
      *held.add_running() = mine;  // again and again
      *held.add_over()->mutable_attempt() = mine.attempt();
      auto& of_here = *held.add_running() = mine;
      of_here.mutable_attempt()->mutable_key()->set_id(here.id);
      for (int i = 0; i < kEach; ++i) {
        auto& unknown = *held.add_running() = mine;
        unknown.mutable_attempt()->mutable_key()->set_id(1000 + part * kEach + i);
        auto& later = *held.add_running() = mine;
        later.mutable_attempt()->set_attempt(static_cast<std::uint32_t>(100 + part * kEach + i));
        auto& over = *held.add_over() = {};
        *over.mutable_attempt() = unknown.attempt();
      }
    });
  EXPECT_EQ(in->kept_of("east"), 1U);
  EXPECT_EQ(count(What::kSignal), kParts * (2 * kEach + 1)) << "the others are killed there";
  held();
  in->flush();
  EXPECT_EQ(count(What::kAcknowledge), kParts * kEach) << "and their ends are not told again";
  EXPECT_EQ(status(key), wire::STATUS_RUN);
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
    if (one.has_acknowledge()) {
      EXPECT_EQ(one.acknowledge().attempt().made(), 5U) << "by the name it was told with";
    }
}

}  // namespace
}  // namespace rollcall::mbatchd
