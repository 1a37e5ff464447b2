// Two consumers of one provider, which lends slots of the same hosts to both: no slot is ever in two hands, whatever happens to either; and
// when the faults stop each has its share.
#include <gtest/gtest.h>

#include "tests/sim/lease_sim.hpp"

namespace rollcall::sched::lease {
namespace {

constexpr Lends kToTwoConsumers[] = {Lends::whole_hosts, Lends::shared_hosts, Lends::slots_per_host,
                                     Lends::shared_slots};

Lends any_of_two(std::uint64_t seed) { return kToTwoConsumers[seed % std::size(kToTwoConsumers)]; }

class LeaseSimConsumers : public testing::TestWithParam<Lends> {};

TEST_P(LeaseSimConsumers, NoSlotIsInTwoHands) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
    ASSERT_EQ(run(seed, Fault::none, GetParam()), "") << "seed " << seed;
}

TEST_P(LeaseSimConsumers, NoLicenceIsInTwoHands) {
  for (const Licences licences : {Licences::fixed, Licences::reported})
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
      ASSERT_EQ(run(seed, Fault::none, GetParam(), licences), "")
          << (licences == Licences::fixed ? "fixed " : "reported ") << "seed " << seed;
}

TEST_P(LeaseSimConsumers, EachHasItsShareWhenTheFaultsStop) {
  for (const Licences licences : {Licences::none, Licences::fixed, Licences::reported})
    for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
      LeaseWorld world(seed, Fault::none, GetParam(), licences);
      for (int i = 0; i < kStepsOfTwo; ++i) world.step();
      world.quiet(false);
      ASSERT_EQ(world.broken, "") << "seed " << seed;
      ASSERT_EQ(world.wrong_shares(), "") << "seed " << seed << ": " << world.text();
    }
}

TEST_P(LeaseSimConsumers, WithdrawnPoliciesEndTheLeasesOfBoth) {
  for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
    LeaseWorld world(seed, Fault::none, GetParam(), seed % 2 == 0 ? Licences::fixed : Licences::none);
    for (int i = 0; i < kStepsOfTwo; ++i) world.step();
    world.quiet(true);
    ASSERT_EQ(world.broken, "") << "seed " << seed;
    ASSERT_TRUE(world.gone()) << "seed " << seed << ": " << world.text();
  }
}

// Else the tests above could pass because nothing happens.
TEST_P(LeaseSimConsumers, SlotsMoveBetweenThem) {
  int started = 0, moved = 0, passed_on = 0, asked_anew = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    LeaseWorld world(seed, Fault::none, GetParam());
    for (int i = 0; i < kStepsOfTwo; ++i) world.step();
    started += world.started, moved += world.moved, passed_on += world.passed_on,
        asked_anew += world.asked_anew;
  }
  EXPECT_GT(started, 250);
  EXPECT_GT(moved, 250);
  EXPECT_GT(passed_on, 60);
  EXPECT_GT(asked_anew, 80);
}

INSTANTIATE_TEST_SUITE_P(All, LeaseSimConsumers, testing::ValuesIn(kToTwoConsumers),
                         [](const auto& lends) { return text(lends.param); });

class LeaseSimSharedByTwo : public testing::TestWithParam<Lends> {};

// Each lease by itself has its own idle slots divided.
TEST_P(LeaseSimSharedByTwo, IdleSlotsOfEachLeaseGoToOneSideWhenTheFaultsStop) {
  for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
    LeaseWorld world(seed, Fault::none, GetParam());
    for (int i = 0; i < kStepsOfTwo; ++i) world.step();
    world.quiet(false);
    for (const int again : {1, 2}) {
      const auto before = world.slots_of_leases();
      world.reclaim_idle();
      ASSERT_EQ(world.broken, "") << "seed " << seed;
      ASSERT_EQ(world.wrong_shares(), "") << "seed " << seed << ": " << world.text();
      ASSERT_EQ(world.wrong_reclaim(before), "")
          << "seed " << seed << ", time " << again << ": " << world.text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LeaseSimSharedByTwo, testing::Values(Lends::shared_hosts, Lends::shared_slots),
                         [](const auto& lends) { return text(lends.param); });

// Faults that one consumer cannot show: what the leases of another one have is forgotten.
class LeaseSimConsumersFault : public testing::TestWithParam<Fault> {};

TEST_P(LeaseSimConsumersFault, IsFound) { EXPECT_NE(finds(1, 3000, GetParam(), any_of_two), 0u); }
INSTANTIATE_TEST_SUITE_P(All, LeaseSimConsumersFault,
                         testing::Values(Fault::slots_of_other_leases_are_not_counted,
                                         Fault::other_leases_count_as_they_are_to_be,
                                         Fault::slots_that_policies_add_are_not_counted));

TEST(LeaseSimConsumersFaults, InstancesOfOtherLeasesAreNotCounted) {
  EXPECT_NE(finds(1, 3000, Fault::instances_of_other_leases_are_not_counted, any_of_two, Licences::fixed,
                  "licences"),
            0u);
}

TEST(LeaseSimConsumersFaults, NeedASecondConsumer) {
  for (const Fault fault :
       {Fault::slots_of_other_leases_are_not_counted, Fault::other_leases_count_as_they_are_to_be,
        Fault::slots_that_policies_add_are_not_counted, Fault::instances_of_other_leases_are_not_counted})
    for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed)
      ASSERT_EQ(run(seed, fault, parts_or_shared(seed), Licences::fixed), "") << "seed " << seed;
}

}  // namespace
}  // namespace rollcall::sched::lease
