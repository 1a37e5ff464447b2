// The answers about leases: bclusters has both directions, bhosts -e the exported ones alone, narrowed by names.
#include "sched/policy/answers/lease_rows.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::answers {
namespace {

lease::LeaseReport exported(std::uint64_t number, const std::string& host) {
  lease::LeaseReport lease;
  lease.id = {"east", number};
  lease.cluster = "west";
  lease.connected = true;
  lease.phase = lease::Phase::active;
  lease.number = {7, 12};
  lease.hosts = {{host, 4, {host, 3, 100, {}, false}, {.jobs = 2, .running = 1, .ssusp = 1}}};
  lease.resources = {{{"licence", 5, {host}}, 1.5}};
  return lease;
}

TEST(LeaseRows, GiveTheRowOfALease) {
  lease::LeaseReport lease = exported(3, "a");
  lease.shared = true;
  lease.reason = "as told";
  const auto row = lease_row(lease, true);
  EXPECT_EQ(row.lease(), "east#3");
  EXPECT_EQ(row.cluster(), "west");
  EXPECT_EQ(row.status(), "ok");
  EXPECT_EQ(row.state(), "active");
  EXPECT_EQ(row.grant(), "7.12");
  EXPECT_EQ(row.reason(), "as told");
  EXPECT_TRUE(row.shared());
  ASSERT_EQ(row.hosts_size(), 1);
  EXPECT_EQ(row.hosts(0).exported(), 4);
  EXPECT_EQ(row.hosts(0).slots(), 3);
  EXPECT_EQ(row.hosts(0).memory_mb(), 100);
  EXPECT_FALSE(row.hosts(0).has_swap_mb());
  EXPECT_EQ(row.hosts(0).counts().jobs(), 2U);
  EXPECT_EQ(row.hosts(0).counts().ssusp(), 1U);
  EXPECT_EQ(row.resources(0).instances(), 5);
  EXPECT_EQ(row.resources(0).used(), 1.5);
  EXPECT_EQ(lease_row(lease, false).hosts_size(), 0);
}

TEST(LeaseRows, GiveNoNumberBeforeTheFirstGrant) {
  lease::LeaseReport lease = exported(3, "a");
  lease.number = {};
  EXPECT_EQ(lease_row(lease, false).grant(), "");
}

TEST(LeaseRows, CountSlotsByWhatTheirJobsDo) {
  lease::SlotCounts counts;
  count(counts, wire::STATUS_RUN, 2);
  count(counts, wire::STATUS_USUSP, 1);
  count(counts, wire::STATUS_SSUSP, 3);
  count(counts, wire::STATUS_UNKWN, 1);
  EXPECT_EQ(counts.jobs, 7);
  EXPECT_EQ(counts.running, 3);
  EXPECT_EQ(counts.ususp, 1);
  EXPECT_EQ(counts.ssusp, 3);
}

TEST(LeaseRows, BhostsShowsExportedLeasesOfTheHostsThatWereNamed) {
  lease::LeaseReport borrowed = exported(9, "z");
  borrowed.imports = true;
  const std::vector<lease::LeaseReport> leases{exported(1, "a"), exported(2, "b"), borrowed};
  wire::AskBatchHosts ask;
  EXPECT_EQ(exported_leases(leases, ask).rows_size(), 2);
  ask.add_hosts("b");
  ASSERT_EQ(exported_leases(leases, ask).rows_size(), 1);
  EXPECT_EQ(exported_leases(leases, ask).rows(0).lease(), "east#2");
  ask.clear_hosts();
  ask.set_shared(true);
  ask.add_resources("none");
  EXPECT_EQ(exported_leases(leases, ask).rows_size(), 0);
}

TEST(LeaseRows, BhostsShowsEachExportedResourceWithTheHostsThatHaveIt) {
  lease::LeaseReport one = exported(1, "a");
  one.hosts.push_back({"b", 1, {"b", 1, {}, {}, false}, {}});
  one.resources.push_back({{"other", 2, {"a", "b"}}, 0});
  wire::AskBatchHosts ask;
  ask.set_shared(true);
  const auto answer = exported_leases({one}, ask);
  ASSERT_EQ(answer.rows_size(), 2);
  EXPECT_EQ(answer.rows(0).resources(0).resource(), "licence");
  EXPECT_EQ(answer.rows(0).hosts_size(), 1);
  EXPECT_EQ(answer.rows(1).resources(0).resource(), "other");
  EXPECT_EQ(answer.rows(1).hosts_size(), 2);
}

}  // namespace
}  // namespace rollcall::sched::answers
