#include "sched/policy/forward/refusals.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::forward {
namespace {

using Scope = Refusals::Scope;
const conf::RemoteQueue kEast{"guests", "east"};
const conf::RemoteQueue kOther{"other", "east"};
const conf::RemoteQueue kWest{"guests", "west"};

TEST(Refusals, OfAJobSayNothingOfOthers) {
  Refusals refusals;
  EXPECT_FALSE(refusals.any());
  refusals.refused(kEast, "ann", Scope::job, "too long");
  EXPECT_TRUE(refusals.any());
  EXPECT_EQ(refusals.closed(kEast), "");
  EXPECT_FALSE(refusals.refuses(kEast, "ann"));
}

TEST(Refusals, OfAUserHoldForTheUserAndTheQueue) {
  Refusals refusals;
  refusals.refused(kEast, "ann", Scope::user, "not known");
  EXPECT_TRUE(refusals.refuses(kEast, "ann"));
  EXPECT_FALSE(refusals.refuses(kEast, "bob"));
  EXPECT_FALSE(refusals.refuses(kWest, "ann"));
  EXPECT_EQ(refusals.closed(kEast), "");
}

TEST(Refusals, OfAQueueHoldUntilItsClusterTellsOfIt) {
  Refusals refusals;
  refusals.refused(kEast, "ann", Scope::queue, "it is full");
  EXPECT_EQ(refusals.closed(kEast), "it has refused an offer in this MBD_SLEEP_TIME: it is full");
  EXPECT_EQ(refusals.closed(kOther), "");
  refusals.told(kOther);
  EXPECT_NE(refusals.closed(kEast), "");
  refusals.told(kEast);
  EXPECT_EQ(refusals.closed(kEast), "");
}

TEST(Refusals, OfAClusterHoldForAllItsQueuesInTheSession) {
  Refusals refusals;
  refusals.refused(kEast, "ann", Scope::cluster, "it has too many jobs");
  for (const auto& queue : {kEast, kOther}) {
    refusals.told(queue);
    EXPECT_EQ(refusals.closed(queue),
              "its cluster has refused an offer in this MBD_SLEEP_TIME: it has too many jobs");
  }
  EXPECT_EQ(refusals.closed(kWest), "");
  refusals.begin_session();
  EXPECT_EQ(refusals.closed(kEast), "");
  EXPECT_FALSE(refusals.any());
}

TEST(Refusals, TooManyCloseTheCluster) {
  Refusals refusals;
  for (int i = 1; i < Refusals::kMost; ++i) refusals.refused(kEast, "ann", Scope::job, "no");
  EXPECT_FALSE(refusals.too_many("east"));
  refusals.refused(kOther, "bob", Scope::job, "no");
  EXPECT_TRUE(refusals.too_many("east"));
  EXPECT_EQ(refusals.closed(kEast), "its cluster has refused 1000 offers in this MBD_SLEEP_TIME");
  EXPECT_FALSE(refusals.too_many("west"));
}

}  // namespace
}  // namespace rollcall::sched::forward
