#include "sched/policy/forward/refusals.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::forward {
namespace {

using Scope = Refusals::Scope;
const conf::RemoteQueue kEastGuests{"guests", "east"};
const conf::RemoteQueue kEastOther{"other", "east"};
const conf::RemoteQueue kWestGuests{"guests", "west"};

TEST(Refusals, OfAJobSayNothingOfOthers) {
  Refusals refusals;
  EXPECT_FALSE(refusals.any());
  refusals.refused(kEastGuests, "ann", Scope::job, "too long");
  EXPECT_TRUE(refusals.any());
  EXPECT_EQ(refusals.closed(kEastGuests), "");
  EXPECT_TRUE(refusals.to_user("ann").empty());
}

TEST(Refusals, OfAUserHoldForTheUserAndTheQueue) {
  Refusals refusals;
  refusals.refused(kEastGuests, "ann", Scope::user, "not known");
  const auto told = refusals.to_user("ann");
  ASSERT_EQ(told.size(), 1U) << "and no other queue";
  EXPECT_EQ(told[0].first, kEastGuests);
  EXPECT_EQ(told[0].second, "it has refused jobs of user ann in this MBD_SLEEP_TIME: not known");
  EXPECT_TRUE(refusals.to_user("bob").empty());
  EXPECT_EQ(refusals.closed(kEastGuests), "");
}

TEST(Refusals, OfAQueueHoldUntilItsClusterTellsOfIt) {
  Refusals refusals;
  refusals.refused(kEastGuests, "ann", Scope::queue, "it is full");
  EXPECT_EQ(refusals.closed(kEastGuests), "it has refused an offer in this MBD_SLEEP_TIME: it is full");
  EXPECT_EQ(refusals.closed(kEastOther), "");
  refusals.told(kEastOther);
  EXPECT_NE(refusals.closed(kEastGuests), "");
  refusals.told(kEastGuests);
  EXPECT_EQ(refusals.closed(kEastGuests), "");
}

TEST(Refusals, OfAClusterHoldForAllItsQueuesInTheSession) {
  Refusals refusals;
  refusals.refused(kEastGuests, "ann", Scope::cluster, "it has too many jobs");
  for (const auto& queue : {kEastGuests, kEastOther}) {
    refusals.told(queue);
    EXPECT_EQ(refusals.closed(queue),
              "its cluster has refused an offer in this MBD_SLEEP_TIME: it has too many jobs");
  }
  EXPECT_EQ(refusals.closed(kWestGuests), "");
  refusals.begin_session();
  EXPECT_EQ(refusals.closed(kEastGuests), "");
  EXPECT_FALSE(refusals.any());
}

TEST(Refusals, TooManyCloseTheCluster) {
  Refusals refusals;
  for (int i = 1; i < Refusals::kMost; ++i) refusals.refused(kEastGuests, "ann", Scope::job, "no");
  EXPECT_FALSE(refusals.too_many("east"));
  refusals.refused(kEastOther, "bob", Scope::job, "no");
  EXPECT_TRUE(refusals.too_many("east"));
  EXPECT_EQ(refusals.closed(kEastGuests), "its cluster has refused 1000 offers in this MBD_SLEEP_TIME");
  EXPECT_FALSE(refusals.too_many("west"));
}

}  // namespace
}  // namespace rollcall::sched::forward
