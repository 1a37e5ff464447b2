// The quota method: the printed examples, the case in which largest remainder fails, and what holds of every division, against a
// brute force that is written from the definition with fractions.
#include "sched/policy/lease/distribution.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace rollcall::sched::lease {
namespace {

using Parts = std::vector<std::int64_t>;

TEST(LeaseDistribution, GivesThePrintedExamples) {
  EXPECT_EQ(divide(2, {1, 1}), (Parts{1, 1}));
  EXPECT_EQ(divide(10, {30, 70}), (Parts{3, 7}));
  EXPECT_EQ(divide(1, {1}), Parts{1});
}

TEST(LeaseDistribution, GivesEqualSharesInListOrder) {
  EXPECT_EQ(divide(1, {1, 1}), (Parts{1, 0}));
  EXPECT_EQ(divide(5, {2, 2, 2}), (Parts{2, 2, 1}));
  EXPECT_EQ(deal(4, {1, 1}), (std::vector<std::size_t>{0, 1, 0, 1}));
}

// Largest remainder gives 4 4 2 of 10 and 5 5 1 of 11.
TEST(LeaseDistribution, TakesNothingAwayWhenTheWholeGrows) {
  const Parts ten = divide(10, {6, 6, 2}), eleven = divide(11, {6, 6, 2});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(eleven[i], ten[i]) << "consumer " << i;
}

TEST(LeaseDistribution, DealsTheSlotsOfEachNamedHost) {
  EXPECT_EQ(divide_hosts({2, 2}, {1, 1}), (std::vector<Parts>{{1, 1}, {1, 1}}));
}

// Else the first consumer would have two of three slots on every host.
TEST(LeaseDistribution, GoesOnWhereTheHostBeforeEnded) {
  EXPECT_EQ(divide_hosts({3, 3}, {1, 1}), (std::vector<Parts>{{2, 1}, {1, 2}}));
}

TEST(LeaseDistribution, OfNothingIsNothing) {
  EXPECT_EQ(divide(0, {3, 4}), (Parts{0, 0}));
  EXPECT_TRUE(deal(3, {}).empty());
}

Parts random_shares() {
  const auto most = *rc::gen::element<std::int64_t>(1, 3, 20, kMostShares);
  return *rc::gen::resize(
      8, rc::gen::nonEmpty(rc::gen::container<Parts>(rc::gen::inRange<std::int64_t>(1, most + 1))));
}
std::int64_t sum_of(const Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

// From the definition: of those below their quota of what is dealt with the next one, the largest shares / (has + 1).
Parts brute_force(std::int64_t whole, const Parts& shares) {
  const auto sum = static_cast<__int128>(sum_of(shares));
  Parts has(shares.size(), 0);
  for (__int128 house = 1; house <= whole; ++house) {
    std::size_t best = shares.size();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const __int128 upper_quota = (house * shares[i] + sum - 1) / sum;
      if (has[i] + 1 > upper_quota) continue;
      if (best == shares.size() || static_cast<__int128>(shares[i]) * (has[best] + 1) >
                                       static_cast<__int128>(shares[best]) * (has[i] + 1))
        best = i;
    }
    ++has[best];
  }
  return has;
}

RC_GTEST_PROP(LeaseDistributionProperty, AgreesWithTheDefinition, ()) {
  const Parts shares = random_shares();
  const auto whole = *rc::gen::inRange<std::int64_t>(0, 60);
  RC_ASSERT(divide(whole, shares) == brute_force(whole, shares));
}

RC_GTEST_PROP(LeaseDistributionProperty, SumsToTheWholeWithinQuotaAndNeverFalls, ()) {
  const Parts shares = random_shares();
  const std::int64_t sum = sum_of(shares);
  Parts before(shares.size(), 0);
  for (std::int64_t whole = 0; whole < 60; ++whole) {
    const Parts parts = divide(whole, shares);
    RC_ASSERT(sum_of(parts) == whole);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      RC_ASSERT(parts[i] >= whole * shares[i] / sum);
      RC_ASSERT(parts[i] <= (whole * shares[i] + sum - 1) / sum);
      RC_ASSERT(parts[i] >= before[i]);
    }
    before = parts;
  }
}

// Hosts that continue one sequence give each consumer, over all hosts, what the division of all slots gives.
RC_GTEST_PROP(LeaseDistributionProperty, OfHostsIsThatOfAllTheirSlots, ()) {
  const Parts shares = random_shares();
  const Parts slots = *rc::gen::container<Parts>(rc::gen::inRange<std::int64_t>(0, 9));
  Parts all(shares.size(), 0);
  const auto parts = divide_hosts(slots, shares);
  for (std::size_t host = 0; host < slots.size(); ++host) {
    RC_ASSERT(sum_of(parts[host]) == slots[host]);
    for (std::size_t i = 0; i < shares.size(); ++i) all[i] += parts[host][i];
  }
  RC_ASSERT(all == divide(sum_of(slots), shares));
}

}  // namespace
}  // namespace rollcall::sched::lease
