// The word of bclusters for a lease.
#include "sched/policy/lease/lease_report.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::lease {
namespace {

LeaseReport of(Phase phase, bool connected = true) {
  LeaseReport lease;
  lease.id = {"east", 3};
  lease.cluster = "west";
  lease.connected = connected;
  lease.phase = phase;
  return lease;
}

TEST(LeaseReport, SaysOkOnlyWhereTheLeaseIsMadeAndTheClustersAreConnected) {
  for (const Phase made : {Phase::active, Phase::inactive, Phase::recalling})
    EXPECT_EQ(status(of(made)), "ok");
  for (const Phase open : {Phase::offered, Phase::requested, Phase::returned})
    EXPECT_EQ(status(of(open)), "conn");
  EXPECT_EQ(status(of(Phase::active, false)), "disc");
  EXPECT_EQ(status(of(Phase::offered, false)), "disc");
}

}  // namespace
}  // namespace rollcall::sched::lease
