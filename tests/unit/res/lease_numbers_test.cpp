// What RES says to a start under a grant of a lease.
#include "res/policy/lease_numbers.hpp"

#include <gtest/gtest.h>

#include "res/policy/lease_orders.hpp"

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
TEST(ResLeaseNumbers, SurviveTheFile) {
  LeaseNumbers numbers;
  numbers.named(5, {7, 4});
  numbers.named(~std::uint64_t{0}, {~std::uint64_t{0}, ~std::uint64_t{0}});
  EXPECT_EQ(LeaseNumbers::of_lines("12\n" + numbers.lines()).known(), numbers.known());
}
TEST(ResLeaseNumbers, IgnoreALineThatCannotBeRead) {
  const auto known = LeaseNumbers::of_lines("12\nlease 5 7\nlease 6 7 1\nlease 7 7 1 1\nlease 8 7 1").known();
  EXPECT_EQ(known.size(), 1U);
  EXPECT_TRUE(known.contains(6));
}
TEST(ResLeaseNumbers, KeepNoMoreLeasesThanTheFileHolds) {
  LeaseNumbers numbers;
  for (std::uint64_t lease = 1; lease <= kMostLeases + 1; ++lease) numbers.named(lease, {1, 1});
  EXPECT_EQ(numbers.size(), kMostLeases);
  EXPECT_TRUE(numbers.named(1, {1, 2}));
}

class ResLeaseOrders : public testing::Test {
 protected:
  void add(LeaseGrants& grants, std::uint64_t lease, std::uint64_t term, std::uint64_t counter) {
    auto& grant = *grants.Add();
    grant.set_lease(lease);
    grant.set_term(term);
    grant.set_counter(counter);
  }
  LeaseNumbers numbers_;
  LeaseGrants grants_;
};
TEST_F(ResLeaseOrders, RaiseNoNumberWhereOneGrantOfAStartIsRefused) {
  numbers_.named(5, {7, 4});
  numbers_.named(6, {7, 4});
  add(grants_, 5, 7, 5);
  add(grants_, 6, 7, 3);
  const GrantCheck check = check_grants(grants_, numbers_);
  EXPECT_EQ(check.why, "the start is under grant 7.3 of lease 6, and this host has seen grant 7.4");
  EXPECT_EQ(check.newest.lease(), 6U);
  EXPECT_EQ(check.newest.counter(), 4U);
  EXPECT_FALSE(check.changed);
  EXPECT_EQ(numbers_.newest(5), (LeaseGrant{7, 4}));
}
TEST_F(ResLeaseOrders, RaiseAllNumbersOfAStartThatIsTaken) {
  numbers_.named(5, {7, 4});
  numbers_.named(6, {7, 4});
  add(grants_, 5, 7, 5);
  add(grants_, 6, 7, 4);
  const GrantCheck check = check_grants(grants_, numbers_);
  EXPECT_EQ(check.why, "");
  EXPECT_TRUE(check.changed);
  EXPECT_EQ(numbers_.newest(5), (LeaseGrant{7, 5}));
}
TEST_F(ResLeaseOrders, RefuseALeaseThatIsNotNamed) {
  add(grants_, 5, 7, 4);
  const GrantCheck check = check_grants(grants_, numbers_);
  EXPECT_EQ(
      check.why,
      "the start is under grant 7.4 of lease 5, and this host has not been told the number of the lease");
  EXPECT_EQ(check.newest.lease(), 5U);
  EXPECT_EQ(check.newest.term(), 0U);
}
TEST_F(ResLeaseOrders, ForgetLeasesThatAreOverUnlessAJobHasThem) {
  numbers_.named(5, {7, 4});
  numbers_.named(6, {7, 4});
  wire::ToRes::NameGrants order;
  order.add_over(5);
  order.add_over(6);
  EXPECT_TRUE(name_grants(order, {6}, numbers_).changed);
  EXPECT_FALSE(numbers_.known().contains(5));
  EXPECT_TRUE(numbers_.known().contains(6));
  EXPECT_FALSE(name_grants(order, {6}, numbers_).changed);
}
TEST_F(ResLeaseOrders, ChangeNothingWhereALeaseIsTooMany) {
  for (std::uint64_t lease = 1; lease <= kMostLeases; ++lease) numbers_.named(lease, {1, 1});
  wire::ToRes::NameGrants order;
  add(*order.mutable_newest(), 1, 1, 2);
  add(*order.mutable_newest(), kMostLeases + 1, 1, 1);
  EXPECT_EQ(name_grants(order, {}, numbers_).why_not, "more than 10000 leases of one host");
  EXPECT_EQ(numbers_.newest(1), (LeaseGrant{1, 1}));
}

}  // namespace
}  // namespace rollcall::res
