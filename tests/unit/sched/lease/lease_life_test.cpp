// The rows of the steppers' tables, one test each; what holds of all of them together is in tests/sim/lease_sim_test.cpp.
#include "sched/policy/lease/lease_life.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::lease {
namespace {

constexpr std::uint64_t kTerm = 7;

std::string text(const ProviderEffects& effects) {
  std::string all;
  for (const ProviderEffect& each : effects) {
    if (!all.empty()) all += ", ";
    if (std::holds_alternative<effect::Tell>(each)) all += "tell";
    if (std::holds_alternative<effect::Forget>(each)) all += "forget";
    if (const auto* fence = std::get_if<effect::Fence>(&each)) all += "fence " + fence->host;
    if (const auto* kill = std::get_if<effect::Kill>(&each)) all += "kill " + std::to_string(kill->slots);
    if (const auto* freed = std::get_if<effect::Freed>(&each)) all += "freed " + std::to_string(freed->slots);
  }
  return all;
}

event::Exported exports(int slots) {
  return {.hosts = {{"a", slots, {}, {}, false}}, .resources = {}, .withdrawn = false};
}
HostsNow host_now(int used, int free, GrantNumber fenced = {}) { return {{"a", {used, free, fenced}}}; }

ProviderLease active(int slots) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, exports(slots), host_now(0, slots), kTerm);
  step(lease, event::Asked{}, host_now(0, slots), kTerm);
  step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm);
  return lease;
}

TEST(LeaseProvider, GrantsNothingBeforeItIsAsked) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  EXPECT_EQ(text(step(lease, exports(2), host_now(0, 2), kTerm)), "");
  EXPECT_EQ(lease.phase, Phase::offered);
  EXPECT_EQ(text(step(lease, event::Asked{}, host_now(0, 2), kTerm)), "tell");
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(lease.number, (GrantNumber{kTerm, 1}));
}
TEST(LeaseProvider, WaitsForAFreeSlotBeforeItGrants) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, exports(2), host_now(0, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Asked{}, host_now(0, 0), kTerm)), "");
  EXPECT_EQ(lease.phase, Phase::requested);
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(0, 1), kTerm)), "tell");
  EXPECT_EQ(lease.hosts[0].has.slots, 1);
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(1, 5), kTerm)), "tell");
  EXPECT_EQ(lease.hosts[0].has.slots, 2);
}
TEST(LeaseProvider, TakesIdleSlotsWhenTheConsumerAcknowledges) {
  ProviderLease lease = active(3);
  EXPECT_EQ(text(step(lease, event::Divided{{{"a", 1}}}, host_now(1, 0), kTerm)), "tell, fence a");
  EXPECT_EQ(lease.phase, Phase::inactive);
  EXPECT_FALSE(lease.may_start("a", 1, lease.number, 1));
  EXPECT_EQ(text(step(lease, event::Acknowledged{{kTerm, 1}, {}}, host_now(1, 0), kTerm)), "");
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {{"a", 1}}}, host_now(1, 0), kTerm)),
            "freed 2, tell");
  EXPECT_EQ(lease.phase, Phase::active);
}
TEST(LeaseProvider, TakesIdleSlotsByResAloneWhileTheConsumerIsAway) {
  ProviderLease lease = active(3);
  step(lease, event::Divided{{{"a", 1}}}, host_now(1, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(1, 0, lease.number), kTerm)), "freed 2, tell");
}
TEST(LeaseProvider, WhatACutOffConsumerSaidLastKeepsNoSlot) {
  ProviderLease lease = active(1);
  step(lease, event::Acknowledged{lease.number, {{"a", 1}}}, host_now(1, 0), kTerm);
  step(lease, {event::Exported{.hosts = {}, .resources = {}, .withdrawn = true}}, host_now(1, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(0, 0), kTerm)), "fence a, kill 1")
      << "RES may hold it";
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(0, 0, lease.number), kTerm)), "freed 1, tell");
}
TEST(LeaseProvider, LeavesSlotsThatTheConsumerSaysItUses) {
  ProviderLease lease = active(3);
  step(lease, event::Divided{{{"a", 1}}}, host_now(0, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {{"a", 2}}}, host_now(0, 0), kTerm)),
            "freed 1, tell");
  EXPECT_EQ(lease.hosts[0].has.slots, 2);
}
TEST(LeaseProvider, KillsJobsOfSlotsThatThePolicyTakes) {
  ProviderLease lease = active(3);
  EXPECT_EQ(text(step(lease, exports(1), host_now(3, 0), kTerm)), "tell, fence a, kill 2");
  EXPECT_EQ(lease.phase, Phase::recalling);
  step(lease, event::Acknowledged{lease.number, {{"a", 3}}}, host_now(3, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(3, 0), kTerm)), "kill 2");
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {{"a", 1}}}, host_now(1, 0), kTerm)),
            "freed 2, tell");
  EXPECT_EQ(lease.phase, Phase::active);
}
// Jobs that nobody asks about may run for days, and no other event comes.
TEST(LeaseProvider, ASecondPolicyChangeDuringARecallKillsWhatItTakesToo) {
  ProviderLease lease = active(3);
  step(lease, exports(2), host_now(3, 0), kTerm);
  ASSERT_EQ(lease.phase, Phase::recalling);
  EXPECT_EQ(text(step(lease, exports(1), host_now(3, 0), kTerm)), "fence a, kill 2");
}
TEST(LeaseProvider, APolicyChangeDuringAReclaimKillsOnce) {
  ProviderLease lease = active(3);
  step(lease, event::Divided{{{"a", 2}}}, host_now(3, 0), kTerm);
  ASSERT_EQ(lease.phase, Phase::inactive);
  EXPECT_EQ(text(step(lease, exports(1), host_now(3, 0), kTerm)), "tell, fence a, kill 2");
  EXPECT_EQ(lease.phase, Phase::recalling);
}
TEST(LeaseProvider, ASecondDivisionDuringAReclaimAsksForItsHosts) {
  event::Exported policy = exports(2);
  policy.hosts.push_back({"b", 2, {}, {}, false});
  const HostsNow used{{"a", {2, 0, {}}}, {"b", {0, 0, {}}}};
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, policy, {}, kTerm);
  step(lease, event::Asked{}, {{"a", {0, 2, {}}}, {"b", {0, 2, {}}}}, kTerm);
  ASSERT_EQ(text(step(lease, event::Divided{{{"a", 1}}}, used, kTerm)), "tell, fence a");
  EXPECT_EQ(text(step(lease, event::Divided{{{"b", 0}}}, used, kTerm)), "fence a, fence b");
}
TEST(LeaseProvider, ReclaimKillsNothing) {
  ProviderLease lease = active(3);
  EXPECT_EQ(text(step(lease, event::Divided{{{"a", 0}}}, host_now(3, 0), kTerm)), "tell, fence a");
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {{"a", 3}}}, host_now(3, 0), kTerm)), "tell");
  EXPECT_EQ(lease.hosts[0].has.slots, 3);
}
TEST(LeaseProvider, EndsAWithdrawnLeaseWhenTheConsumerKnows) {
  ProviderLease lease = active(1);
  event::Exported gone{.hosts = {}, .resources = {}, .withdrawn = true};
  step(lease, gone, host_now(0, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm)), "freed 1, tell");
  EXPECT_EQ(lease.phase, Phase::returned);
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm)), "forget");
}
TEST(LeaseProvider, IgnoresAnAcknowledgedNumberThatItNeverTold) {
  ProviderLease lease = active(3);
  step(lease, event::Divided{{{"a", 1}}}, host_now(0, 0), kTerm);
  EXPECT_EQ(text(step(lease, event::Acknowledged{{kTerm + 1, 0}, {}}, host_now(0, 0), kTerm)), "");
  EXPECT_EQ(lease.phase, Phase::inactive);
}
// Another master told it in an older term, and the store does not have it: without a larger one the consumer would never acknowledge.
TEST(LeaseProvider, RaisesItsNumberAboveThatOfAnotherMaster) {
  ProviderLease lease = active(3);
  step(lease, event::Divided{{{"a", 1}}}, host_now(0, 0), kTerm);
  const GrantNumber others{kTerm + 1, 9};
  EXPECT_EQ(text(step(lease, event::Acknowledged{others, {}}, host_now(0, 0), kTerm + 2)), "tell, fence a");
  EXPECT_GT(lease.number, others);
  EXPECT_EQ(lease.phase, Phase::inactive);
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm + 2)),
            "freed 2, tell");
}
TEST(LeaseProvider, RaisesItsNumberAboveOneThatResHasOfAnotherMaster) {
  ProviderLease lease = active(3);
  const GrantNumber others{kTerm + 1, 9};
  EXPECT_EQ(text(step(lease, event::OnDisk{others}, host_now(0, 0), kTerm + 1)), "")
      << "of our own term it is a lie";
  EXPECT_EQ(text(step(lease, event::OnDisk{others}, host_now(0, 0), kTerm + 2)), "tell");
  EXPECT_GT(lease.number, others);
  EXPECT_EQ(text(step(lease, event::OnDisk{others}, host_now(0, 0), kTerm + 2)), "");
}
TEST(LeaseProvider, StartsNothingBeforeResHasReported) {
  const ProviderLease lease = active(2);
  EXPECT_FALSE(lease.may_start("a", 1, lease.number, std::nullopt));
}
TEST(LeaseProvider, StartsUnderTheNewestNumberWithinTheGrantOnly) {
  const ProviderLease lease = active(2);
  EXPECT_TRUE(lease.may_start("a", 2, lease.number, 0));
  EXPECT_FALSE(lease.may_start("a", 2, lease.number, 1));
  EXPECT_FALSE(lease.may_start("a", 1, {kTerm, 0}, 0));
  EXPECT_FALSE(lease.may_start("b", 1, lease.number, 0));
  EXPECT_FALSE(lease.may_start("a", -1, lease.number, 0));
}

TEST(LeaseConsumer, AcknowledgesWhenNoOlderStartIsUnanswered) {
  ConsumerLease lease{.id = {"east", 3}};
  step(lease, event::Told{Phase::active, {kTerm, 2}, {{"a", 1, {}, {}, false}}, {}}, {});
  EXPECT_TRUE(lease.placeable());
  EXPECT_EQ(acknowledges(lease, {.unanswered = true, .any = true}), GrantNumber{});
  EXPECT_EQ(acknowledges(lease, {.unanswered = false, .any = true}), (GrantNumber{kTerm, 2}));
}
TEST(LeaseConsumer, IgnoresASmallerNumber) {
  ConsumerLease lease{.id = {"east", 3}};
  step(lease, event::Told{Phase::inactive, {kTerm, 3}, {}, {}}, {});
  step(lease, event::Told{Phase::active, {kTerm, 2}, {{"a", 1, {}, {}, false}}, {}}, {});
  EXPECT_EQ(lease.phase, Phase::inactive);
}
TEST(LeaseConsumer, KeepsAskingWhileTheProviderDoesNotKnow) {
  ConsumerLease lease{.id = {"east", 3}};
  step(lease, event::Wanted{}, {});
  step(lease, event::Told{Phase::offered, {}, {}, {}}, {});
  EXPECT_EQ(lease.phase, Phase::requested);
}
TEST(LeaseConsumer, ForgetsAReturnedLeaseWhenNoJobHasIt) {
  ConsumerLease lease{.id = {"east", 3}};
  EXPECT_EQ(step(lease, event::Unlisted{}, {.unanswered = false, .any = true}).size(), 0u);
  const auto effects = step(lease, event::Answered{}, {});
  EXPECT_TRUE(std::holds_alternative<effect::Forget>(effects.back()));
}

TEST(LeaseValues, ABorrowedHostHasTheProvidersName) {
  const auto hosts = borrowed_hosts({{"east", 3}, {kTerm, 1}, {{"a", 2, {}, {}, true}}, {}}, true);
  ASSERT_EQ(hosts.size(), 1u);
  EXPECT_EQ(hosts[0].host.text(), "a@east");
  EXPECT_EQ(text(hosts[0].lease) + " " + text(hosts[0].grant), "east#3 7.1");
}

}  // namespace
}  // namespace rollcall::sched::lease
