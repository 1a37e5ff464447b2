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

TEST(LeaseReport, SaysWhatALeaseWaitsForWhoseSlotsAreTakenBack) {
  ProviderLease lease;
  lease.consumer = "west";
  lease.number = {1, 4};
  lease.phase = Phase::active;
  lease.hosts = {{{"n3", 2, {}, {}, false}, 0, true}, {{"n4", 2, {}, {}, false}, 2}};
  EXPECT_EQ(taking_reason(lease, {{"n3", {2, 0, {}}}}),
            "its jobs on n3 are being ended: the host is no longer exported");
  lease.phase = Phase::recalling;
  EXPECT_EQ(taking_reason(lease, {{"n3", {2, 0, {}}}}),
            "waits for its jobs on n3 to end: slots are taken back");
  EXPECT_EQ(taking_reason(lease, {}), "waits for cluster west, or RES of n3: slots are taken back");
  EXPECT_EQ(taking_reason(lease, {{"n3", {0, 0, {1, 4}}}}), "") << "its RES has the number";
  lease.acknowledged = lease.number;
  EXPECT_EQ(taking_reason(lease, {}), "");
}

}  // namespace
}  // namespace rollcall::sched::lease
