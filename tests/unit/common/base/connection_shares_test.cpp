// Which connection goes when there are too many (common/base/connection_shares.hpp).
#include "common/base/connection_shares.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rollcall {
namespace {

using Id = ConnectionShares::Id;

const ConnectionHolder kAda{"uid 1000", false}, kBob{"uid 1001", false}, kRoot{"uid 0", true};
ConnectionHolder host(int number) { return {"10.0.0." + std::to_string(number), false}; }

// Adds as a daemon does: whatever is surplus goes. Gives the id.
Id come(ConnectionShares& shares, const ConnectionHolder& holder) {
  static Id next = 1;
  shares.add(next, holder);
  if (const auto out = shares.surplus(next)) shares.remove(*out);
  return next++;
}

TEST(ConnectionShares, HolderOverItsShareLosesItsOldestConnection) {
  ConnectionShares shares({.all = 100, .each = 3});
  const Id other = come(shares, kBob);
  const Id oldest = come(shares, kAda);
  const Id second = come(shares, kAda);
  come(shares, kAda);
  const Id newest = come(shares, kAda);
  EXPECT_FALSE(shares.has(oldest));
  EXPECT_TRUE(shares.has(second));
  EXPECT_TRUE(shares.has(newest));
  EXPECT_TRUE(shares.has(other));
  EXPECT_EQ(shares.held(kAda.name), 3U);
}

TEST(ConnectionShares, RenewedConnectionBecomesTheYoungest) {
  ConnectionShares shares({.all = 100, .each = 2});
  const Id asks = come(shares, kAda);
  const Id silent = come(shares, kAda);
  shares.renew(asks);
  come(shares, kAda);
  EXPECT_TRUE(shares.has(asks));
  EXPECT_FALSE(shares.has(silent));
}

TEST(ConnectionShares, RootHasNoShareAndLosesItsConnectionsLast) {
  ConnectionShares shares({.all = 40, .each = 10});
  for (int i = 0; i < 30; ++i) come(shares, kRoot);
  EXPECT_EQ(shares.held(kRoot.name), 30U);
  for (int i = 0; i < 100; ++i) come(shares, kAda);
  EXPECT_EQ(shares.held(kRoot.name), 30U);
  EXPECT_LE(shares.held(kAda.name), 10U);
  come(shares, kRoot);
  EXPECT_EQ(shares.held(kRoot.name), 31U);
  EXPECT_EQ(shares.oldest_of_most().has_value(), true);
}

TEST(ConnectionShares, CrowdOfOneHolderLeavesRoomForOthers) {
  ConnectionShares shares({.all = 100, .each = 90});
  for (int i = 0; i < 1000; ++i) come(shares, kAda);
  EXPECT_FALSE(shares.full());
  const Id other = come(shares, kBob);
  EXPECT_TRUE(shares.has(other));
  for (int i = 0; i < 1000; ++i) come(shares, kAda);
  EXPECT_TRUE(shares.has(other)) << "the holder with the most connections loses one";
}

TEST(ConnectionShares, CrowdOfManyAddressesLeavesRoomForOthers) {
  ConnectionShares shares({.all = 1000, .each = 250});
  for (int i = 0; i < 10'000; ++i) come(shares, host(i % 8));
  EXPECT_FALSE(shares.full());
  const Id other = come(shares, kBob);
  for (int i = 0; i < 10'000; ++i) come(shares, host(i % 8));
  EXPECT_TRUE(shares.has(other));
}

// After a master has changed, thousands of hosts dial at once. None loses its place: the daemon accepts further ones later.
TEST(ConnectionShares, ManyHostsWithOneConnectionEachKeepTheirs) {
  ConnectionShares shares({.all = 1000, .each = 250});
  for (int i = 0; i < 1000; ++i) come(shares, host(i));
  EXPECT_EQ(shares.size(), 1000U);
  EXPECT_TRUE(shares.full());
}

TEST(ConnectionShares, OldestOfMostIsOfTheHolderWithTheMost) {
  ConnectionShares shares({.all = 100, .each = 50});
  EXPECT_FALSE(shares.oldest_of_most());
  come(shares, kBob);
  const Id first = come(shares, kAda);
  come(shares, kAda);
  EXPECT_EQ(shares.oldest_of_most(), first);
}

TEST(ConnectionShares, ForgetsHoldersWithoutConnectionsAndToleratesUnknownIds) {
  ConnectionShares shares({.all = 5000, .each = 1000});
  std::mt19937 random(7);
  std::vector<Id> open;
  for (int i = 0; i < 5000; ++i) {
    open.push_back(come(shares, host(static_cast<int>(random() % 50))));
    if (random() % 2 == 0) shares.renew(open[random() % open.size()]);
    if (random() % 3 == 0) shares.remove(open[random() % open.size()]);
    ASSERT_LE(shares.size(), 5000U);
    ASSERT_LE(shares.holders(), 50U);
  }
  for (const Id id : open) shares.remove(id);
  for (const Id id : open) shares.renew(id);
  EXPECT_EQ(shares.size(), 0U);
  EXPECT_EQ(shares.holders(), 0U);
  EXPECT_FALSE(shares.surplus(1));
}

}  // namespace
}  // namespace rollcall
