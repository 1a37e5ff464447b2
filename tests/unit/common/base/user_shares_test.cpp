// Shares of users (common/base/user_shares.hpp).
#include "common/base/user_shares.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

TEST(UserShares, OneUserHasNoMoreThanTheMostAndLeavesOthersTheirs) {
  UserShares shares(2);
  EXPECT_TRUE(shares.take(5));
  EXPECT_TRUE(shares.take(5));
  EXPECT_FALSE(shares.take(5));
  EXPECT_EQ(shares.held(5), 2U) << "a refused amount is not counted";
  EXPECT_TRUE(shares.take(9));
  shares.give(5);
  EXPECT_TRUE(shares.take(5));
}

TEST(UserShares, RootHasNoLimitAndNoneMeansNone) {
  UserShares shares(1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(shares.take(0));
  UserShares any(0);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(any.take(5));
}

TEST(UserShares, UserThatHoldsNothingIsForgotten) {
  UserShares shares(4);
  for (UserShares::User user = 1; user <= 1000; ++user) {
    shares.take(user);
    shares.give(user);
    shares.give(user);  // once too often
  }
  EXPECT_EQ(shares.users(), 0U);
}

TEST(UserShares, AmountsCountTogether) {
  UserShares shares(100);
  EXPECT_TRUE(shares.take(5, 60));
  EXPECT_FALSE(shares.take(5, 41));
  EXPECT_FALSE(shares.take(5, static_cast<std::size_t>(-1)));
  EXPECT_TRUE(shares.take(5, 40));
  EXPECT_TRUE(shares.take(9, 100));
  EXPECT_FALSE(shares.take(9, 1));
  shares.give(5, 30);
  EXPECT_EQ(shares.held(5), 70U);
  shares.give(5, 1000);
  shares.give(9, 100);
  EXPECT_TRUE(shares.take(7, 0));
  EXPECT_EQ(shares.users(), 0U);
}

TEST(UserShares, ALowerMostCountsFromTheNextOne) {
  UserShares shares(10);
  for (int i = 0; i < 5; ++i) shares.take(5);
  shares.set_most(2);
  EXPECT_FALSE(shares.take(5));
  EXPECT_EQ(shares.held(5), 5U);
}

}  // namespace
}  // namespace rollcall
