// ForwardedCounts, event by event.
#include "sched/policy/forward/forwarded_counts.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::forward {
namespace {

using Outcome = ForwardedCounts::Outcome;

Update update(std::uint64_t number, std::uint64_t accounts_for, int pending, std::uint64_t connection = 1) {
  return {{connection, number}, accounts_for, {{100, 50, 50, pending, 20}, 10, 40}};
}
int pending(const ForwardedCounts& counts) { return counts.figures()->slots.pending; }

TEST(ForwardedCounts, HasNoFiguresBeforeTheFirstUpdate) {
  ForwardedCounts counts;
  counts.forwarded(4);
  EXPECT_FALSE(counts.figures());
  EXPECT_EQ(counts.updated(update(1, 0, 7)), Outcome::taken);
  EXPECT_EQ(pending(counts), 11);
}

TEST(ForwardedCounts, ForwardsAreAddedUntilAnUpdateAccountsForThem) {
  ForwardedCounts counts;
  counts.updated(update(1, 0, 7));
  EXPECT_EQ(counts.forwarded(4), 1U);
  EXPECT_EQ(counts.forwarded(2), 2U);
  EXPECT_EQ(counts.figures(), (Figures{{100, 50, 50, 13, 20}, 8, 34}));
  counts.updated(update(2, 1, 11));  // the second is still on its way
  EXPECT_EQ(counts.figures(), (Figures{{100, 50, 50, 13, 20}, 9, 38}));
  counts.updated(update(3, 2, 13));
  EXPECT_EQ(counts.figures(), (Figures{{100, 50, 50, 13, 20}, 10, 40}));
}

TEST(ForwardedCounts, RefusedForwardIsNoLongerCounted) {
  ForwardedCounts counts;
  counts.updated(update(1, 0, 7));
  const auto first = counts.forwarded(4), second = counts.forwarded(2);
  counts.gone(first);
  counts.gone(first);
  counts.gone(99);
  EXPECT_EQ(pending(counts), 9);
  EXPECT_EQ(counts.figures()->job_room, 9);
  counts.updated(update(2, 2, 9));
  counts.gone(second);  // in the update: it stays until the next one
  EXPECT_EQ(pending(counts), 9);
}

TEST(ForwardedCounts, LateAndRepeatedUpdatesAreIgnored) {
  ForwardedCounts counts;
  counts.forwarded(4);
  EXPECT_EQ(counts.updated(update(5, 1, 4)), Outcome::taken);
  EXPECT_EQ(counts.updated(update(5, 1, 4)), Outcome::outdated);
  EXPECT_EQ(counts.updated(update(4, 0, 90)), Outcome::outdated);
  EXPECT_EQ(pending(counts), 4);
  EXPECT_EQ(counts.updated(update(1, 1, 3, 2)), Outcome::taken);  // numbers begin anew with a connection
  EXPECT_EQ(pending(counts), 3);
}

// A cluster whose store was restored accounts for less than before: its lost jobs are counted again.
TEST(ForwardedCounts, UpdateThatAccountsForLessAddsForwardsAgain) {
  ForwardedCounts counts;
  counts.forwarded(4);
  counts.updated(update(5, 1, 4));
  counts.updated(update(1, 0, 0, 2));
  EXPECT_EQ(pending(counts), 4);
}

TEST(ForwardedCounts, ForwardsOfBeforeARestartAreCountedUntilAnUpdateContainsThem) {
  ForwardedCounts counts(100);
  counts.restored(7, 4);
  counts.restored(9, 2);
  counts.restored(9, 2);
  counts.updated(update(1, 7, 5));  // the second offer was on its way when mbatchd ended
  EXPECT_EQ(counts.figures(), (Figures{{100, 50, 50, 7, 20}, 9, 38}));
  counts.restored(6, 1);  // in that update
  EXPECT_EQ(pending(counts), 7);
  counts.gone(9);
  EXPECT_EQ(pending(counts), 5);
  EXPECT_EQ(counts.forwarded(1), 100U);
}

TEST(ForwardedCounts, NumbersGoOnAboveRestoredOnesWhereTheClockWentBack) {
  ForwardedCounts counts(100);
  counts.restored(200, 1);
  EXPECT_EQ(counts.forwarded(1), 201U);
}

TEST(ForwardedCounts, ImpossibleUpdatesAreRefused) {
  ForwardedCounts counts;
  counts.forwarded(4);
  EXPECT_EQ(counts.updated(update(1, 2, 0)), Outcome::invalid);
  EXPECT_EQ(counts.updated(update(1, 1, -1)), Outcome::invalid);
  Update no_room = update(1, 1, 0);
  no_room.figures.job_room = -1;
  EXPECT_EQ(counts.updated(no_room), Outcome::invalid);
  EXPECT_FALSE(counts.figures());
}

TEST(ForwardedCounts, FiguresStayInRange) {
  ForwardedCounts counts;
  counts.updated(update(1, 0, 2'000'000'000));
  for (int i = 0; i < 12; ++i) counts.forwarded(500'000'000);
  EXPECT_EQ(pending(counts), 2'147'483'647);
  EXPECT_EQ(counts.figures()->job_room, 0);
  EXPECT_EQ(counts.figures()->slot_room, 0);
}

TEST(ForwardedCounts, NumbersGoOnAfterARestart) {
  ForwardedCounts counts(1000);
  EXPECT_EQ(counts.updated(update(1, 999, 5)), Outcome::taken);
  EXPECT_EQ(counts.forwarded(1), 1000U);
  EXPECT_EQ(pending(counts), 6);
}

}  // namespace
}  // namespace rollcall::sched::forward
