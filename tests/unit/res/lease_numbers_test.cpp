// What RES says to a start under a grant of a lease.
#include "res/policy/lease_numbers.hpp"

#include <gtest/gtest.h>

namespace rollcall::res {
namespace {

using Answer = LeaseNumbers::Answer;

TEST(ResLeaseNumbers, RefuseAStartOfALeaseThatNobodyNamed) {
  LeaseNumbers numbers;
  bool changed = false;
  EXPECT_EQ(numbers.start(5, {7, 1}, changed), Answer::unnamed);
  EXPECT_TRUE(numbers.named(5, {7, 1}));
  EXPECT_EQ(numbers.start(5, {7, 1}, changed), Answer::accepted);
  EXPECT_FALSE(changed);
}
TEST(ResLeaseNumbers, RefuseAnOlderNumber) {
  LeaseNumbers numbers;
  bool changed = false;
  numbers.named(5, {7, 4});
  EXPECT_EQ(numbers.start(5, {7, 3}, changed), Answer::older);
  EXPECT_EQ(numbers.start(5, {6, 9}, changed), Answer::older);
  EXPECT_FALSE(numbers.named(5, {7, 3}));
}
TEST(ResLeaseNumbers, KeepALargerNumberOfAStart) {
  LeaseNumbers numbers;
  bool changed = false;
  numbers.named(5, {7, 4});
  EXPECT_EQ(numbers.start(5, {8, 1}, changed), Answer::accepted);
  EXPECT_TRUE(changed);
  EXPECT_EQ(numbers.start(5, {7, 4}, changed), Answer::older);
}
TEST(ResLeaseNumbers, HaveANumberForEachLease) {
  LeaseNumbers numbers;
  bool changed = false;
  numbers.named(5, {7, 4});
  numbers.named(6, {7, 1});
  EXPECT_EQ(numbers.start(6, {7, 1}, changed), Answer::accepted);
  EXPECT_TRUE(numbers.forget(6));
  EXPECT_EQ(numbers.start(6, {7, 1}, changed), Answer::unnamed);
}

}  // namespace
}  // namespace rollcall::res
