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
    if (const auto* holders = std::get_if<effect::KillHolders>(&each))
      all += "kill holders of " + std::to_string(holders->instances) + " " + holders->resource;
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
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(0, 0), kTerm)), "fence a") << "RES may hold it";
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
// The consumer says what it uses when it starts jobs, not when they end.
TEST(LeaseProvider, KillsNoJobThatFitsWhereTheConsumerSaidThatItUsedMore) {
  ProviderLease lease = active(4);
  step(lease, event::Acknowledged{lease.number, {{"a", 4}}}, host_now(4, 0), kTerm);
  EXPECT_EQ(text(step(lease, exports(2), host_now(1, 0), kTerm)), "tell, fence a");
  EXPECT_EQ(lease.phase, Phase::inactive);
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {{"a", 1}}}, host_now(1, 0), kTerm)),
            "freed 2, tell");
  EXPECT_EQ(lease.phase, Phase::active);
}
TEST(LeaseProvider, AHostThatItNeverHadGoesWithItsPolicy) {
  event::Exported both = exports(2);
  both.hosts.push_back({"dead", 2, {}, {}, false});
  ProviderLease lease = active(2);
  step(lease, both, host_now(0, 0), kTerm);
  ASSERT_EQ(lease.hosts.size(), 2U);
  step(lease, exports(2), host_now(0, 0), kTerm);
  ASSERT_EQ(lease.hosts.size(), 1U);
  EXPECT_EQ(lease.hosts[0].has.host, "a");
  EXPECT_EQ(lease.hosts[0].has.slots, 2);
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
// ---------------------------------------------------------------- hosts that leave a lease

// Two hosts with two slots each.
class LeaseOfTwoHosts : public testing::Test {
 protected:
  LeaseOfTwoHosts() {
    step(lease, both(), {}, kTerm);
    step(lease, event::Asked{}, {{"a", {0, 2, {}}}, {"b", {0, 2, {}}}}, kTerm);
    step(lease, event::Acknowledged{lease.number, {}}, {}, kTerm);
  }
  static event::Exported both() {
    event::Exported policy = exports(2);
    policy.hosts.push_back({"b", 2, {}, {}, false});
    return policy;
  }
  static HostsNow jobs_on_b(int used) { return {{"a", {0, 0, {}}}, {"b", {used, 0, {}}}}; }
  // b is taken with its jobs, and the consumer knows.
  void b_leaves() {
    step(lease, exports(2), jobs_on_b(2), kTerm);
    ASSERT_EQ(lease.phase, Phase::recalling);
    ASSERT_EQ(text(step(lease, event::Acknowledged{lease.number, {{"b", 2}}}, jobs_on_b(2), kTerm)), "tell");
  }
  std::string told() const {
    std::string all;
    for (const LeasedHost& host : told_hosts(lease))
      all += host.host + ":" + std::to_string(host.slots) + (host.whole ? " whole " : " ");
    return all;
  }
  std::string known() const {
    std::string all;
    for (const LeasedHost& host : told_hosts(lease))
      if (host.known()) all += host.host + " ";
    return all;
  }
  // TYPE=shared: the consumer is to have one slot of a, and none of b.
  static event::Exported divided() {
    event::Exported policy = exports(1);
    policy.hosts.push_back({"b", 0, {}, {}, false});
    return policy;
  }

  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
};

TEST(LeaseProvider, TellsThatAHostIsWholeOnceTheLastSlotOfItIsThere) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, event::Exported{{{"a", 4, {}, {}, true}}, {}, false}, host_now(0, 2), kTerm);
  step(lease, event::Asked{}, host_now(0, 2), kTerm);
  EXPECT_EQ(told_hosts(lease).at(0), (LeasedHost{"a", 2, {}, {}, false, true}))
      << "jobs of the provider are there";
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(0, 2), kTerm)), "tell");
  EXPECT_EQ(told_hosts(lease).at(0), (LeasedHost{"a", 4, {}, {}, true, true}));
}
// The slots are the same, but the number must rise: the consumer ignores hosts that come with a number it knows.
TEST(LeaseProvider, TellsThatAHostHasBecomeWholeByAnotherPolicy) {
  ProviderLease lease = active(3);
  const event::Exported whole{{{"a", 3, {}, {}, true}}, {}, false};
  EXPECT_EQ(text(step(lease, whole, host_now(0, 0), kTerm)), "tell");
  EXPECT_EQ(lease.number, (GrantNumber{kTerm, 2}));
  EXPECT_EQ(text(step(lease, whole, host_now(0, 0), kTerm)), "");
}
TEST_F(LeaseOfTwoHosts, TheOthersWaitForTheConsumerAloneWhenOneLeaves) {
  EXPECT_EQ(text(step(lease, exports(2), jobs_on_b(2), kTerm)), "tell, fence b, kill 2");
  EXPECT_EQ(lease.phase, Phase::recalling);
  EXPECT_EQ(told(), "a:2 b:2 ");
  step(lease, event::Acknowledged{lease.number, {{"b", 2}}}, jobs_on_b(2), kTerm);
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(told(), "a:2 b:0 ");
  EXPECT_TRUE(lease.may_start("a", 2, lease.number, 0));
  EXPECT_FALSE(lease.may_start("b", 1, lease.number, 0));
}
TEST_F(LeaseOfTwoHosts, SlotsOfOneThatHasLeftAreFreeWhenItsJobsAreOver) {
  b_leaves();
  const GrantNumber number = lease.number;
  EXPECT_EQ(lease.hosts[1].has.slots, 2) << "nobody else has them";
  EXPECT_EQ(text(step(lease, event::Changed{}, jobs_on_b(1), kTerm)), "freed 1, kill 1");
  EXPECT_EQ(text(step(lease, event::Changed{}, jobs_on_b(0), kTerm)), "freed 1");
  EXPECT_EQ(lease.hosts.size(), 1U);
  EXPECT_EQ(lease.number, number) << "the consumer knows already that it has none of them";
}
TEST_F(LeaseOfTwoHosts, OneThatHasLeftLeavesAgainAfterARestart) {
  b_leaves();
  lease.forget_what_was_said();
  EXPECT_EQ(told(), "a:2 b:0 ");
  EXPECT_EQ(text(step(lease, exports(2), jobs_on_b(2), kTerm)), "") << "mbatchd reads its files";
  EXPECT_EQ(lease.phase, Phase::active);
}
TEST_F(LeaseOfTwoHosts, OneThatComesBackIsToldAgain) {
  b_leaves();
  EXPECT_EQ(text(step(lease, both(), jobs_on_b(1), kTerm)), "tell");
  EXPECT_EQ(told(), "a:2 b:2 ");
  EXPECT_TRUE(lease.may_start("b", 1, lease.number, 1));
}
TEST_F(LeaseOfTwoHosts, AWithdrawnLeaseWaitsForJobsOnOneThatHasLeft) {
  b_leaves();
  const event::Exported gone{.hosts = {}, .resources = {}, .withdrawn = true};
  EXPECT_EQ(text(step(lease, gone, jobs_on_b(2), kTerm)), "tell, fence a, fence b, kill 2");
  EXPECT_EQ(lease.phase, Phase::recalling);
  step(lease, event::Acknowledged{lease.number, {{"b", 2}}}, jobs_on_b(2), kTerm);
  EXPECT_EQ(lease.phase, Phase::recalling);
  step(lease, event::Changed{}, jobs_on_b(0), kTerm);
  EXPECT_EQ(lease.phase, Phase::recalling) << "the consumer says that it uses them";
  step(lease, event::Acknowledged{lease.number, {}}, jobs_on_b(0), kTerm);
  EXPECT_EQ(lease.phase, Phase::returned);
}
TEST_F(LeaseOfTwoHosts, TheOnlyOneThatIsLeftWaitsForItsJobs) {
  b_leaves();
  step(lease, {event::Exported{.hosts = {}, .resources = {}, .withdrawn = false}},
       {{"a", {1, 0, {}}}, {"b", {2, 0, {}}}}, kTerm);
  step(lease, event::Acknowledged{lease.number, {{"a", 1}, {"b", 2}}}, {{"a", {1, 0, {}}}, {"b", {2, 0, {}}}},
       kTerm);
  EXPECT_EQ(lease.phase, Phase::recalling);
}

// ---------------------------------------------------------------- hosts without slots

// The consumer cannot tell from slots 0 whether the host is still in the lease.
TEST_F(LeaseOfTwoHosts, AHostWhoseSlotsWereDividedAwayStays) {
  step(lease, event::Divided{{{"b", 0}}}, jobs_on_b(0), kTerm);
  EXPECT_EQ(known(), "a b ");
  step(lease, event::Acknowledged{lease.number, {}}, jobs_on_b(0), kTerm);
  ASSERT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(told(), "a:2 b:0 ");
  EXPECT_EQ(known(), "a b ");
  step(lease, event::Divided{{{"b", 2}}}, {{"a", {0, 0, {}}}, {"b", {0, 2, {}}}}, kTerm);
  EXPECT_EQ(told(), "a:2 b:2 ");
}
TEST_F(LeaseOfTwoHosts, AHostThatHasLeftIsNotInTheLease) {
  b_leaves();
  EXPECT_EQ(told(), "a:2 b:0 ");
  EXPECT_EQ(known(), "a ");
  step(lease, both(), jobs_on_b(2), kTerm);
  EXPECT_EQ(known(), "a b ") << "it has come back";
}
// A shared lease has no slot for it. Its jobs end there, and it would be forgotten with them.
TEST_F(LeaseOfTwoHosts, AHostThatHasLeftComesBackWithoutSlots) {
  b_leaves();
  event::Exported none_of_b = exports(2);
  none_of_b.hosts.push_back({"b", 0, {}, {}, false});
  EXPECT_EQ(text(step(lease, none_of_b, jobs_on_b(1), kTerm)), "tell, fence b");
  step(lease, event::Acknowledged{lease.number, {{"b", 1}}}, jobs_on_b(1), kTerm);
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(told(), "a:2 b:1 ");
  step(lease, event::Divided{{{"b", 0}}}, jobs_on_b(0), kTerm);
  step(lease, event::Acknowledged{lease.number, {}}, jobs_on_b(0), kTerm);
  EXPECT_EQ(told(), "a:2 b:0 ");
  EXPECT_EQ(known(), "a b ");
}
// No slot moves, but the number must rise: the consumer ignores hosts that come with a number it knows.
TEST_F(LeaseOfTwoHosts, AHostWithoutSlotsThatComesOrGoesIsTold) {
  step(lease, event::Divided{{{"a", 1}, {"b", 0}}}, jobs_on_b(0), kTerm);
  step(lease, event::Acknowledged{lease.number, {}}, jobs_on_b(0), kTerm);
  ASSERT_EQ(told(), "a:1 b:0 ");
  EXPECT_EQ(text(step(lease, divided(), jobs_on_b(0), kTerm)), "") << "nothing is new";
  EXPECT_EQ(text(step(lease, exports(1), jobs_on_b(0), kTerm)), "tell");
  EXPECT_EQ(told(), "a:1 ");
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(text(step(lease, divided(), jobs_on_b(0), kTerm)), "tell");
  EXPECT_EQ(known(), "a b ");
}
TEST_F(LeaseOfTwoHosts, AHostThatComesOrGoesIsToldWhileTheLeaseHasNoSlot) {
  step(lease, event::Divided{{{"a", 0}, {"b", 0}}}, jobs_on_b(0), kTerm);
  step(lease, event::Acknowledged{lease.number, {}}, jobs_on_b(0), kTerm);
  ASSERT_EQ(lease.phase, Phase::requested);
  EXPECT_EQ(known(), "a b ");
  EXPECT_EQ(text(step(lease, exports(1), jobs_on_b(0), kTerm)), "tell");
  EXPECT_EQ(lease.phase, Phase::requested);
  EXPECT_EQ(known(), "a ");
}
TEST(LeaseProvider, TellsOfHostsWithoutSlotsOnceTheLeaseIsGranted) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  event::Exported policy = exports(1);
  policy.hosts.push_back({"b", 4, {}, {}, true});
  const HostsNow now{{"a", {0, 1, {}}}, {"b", {0, 0, {}}}};
  const auto known = [&] {
    std::string all;
    for (const LeasedHost& host : told_hosts(lease))
      if (host.known()) all += host.host + ":" + std::to_string(host.slots) + " ";
    return all;
  };
  step(lease, policy, now, kTerm);
  EXPECT_EQ(known(), "") << "nobody has asked";
  EXPECT_EQ(text(step(lease, event::Asked{}, now, kTerm)), "tell");
  EXPECT_EQ(known(), "a:1 b:0 ") << "jobs of the provider use b still";
  step(lease, event::Exported{.hosts = {}, .resources = {}, .withdrawn = true}, now, kTerm);
  EXPECT_EQ(known(), "a:1 ") << "until a's slot is acknowledged";
}
// The provider reads its files while the consumer has not acknowledged the division.
TEST_F(LeaseOfTwoHosts, AnExportDuringADivisionKillsNoJob) {
  step(lease, divided(), jobs_on_b(0), kTerm);
  step(lease, event::Acknowledged{lease.number, {}}, jobs_on_b(0), kTerm);
  step(lease, event::Divided{{{"b", 2}}}, {{"a", {0, 0, {}}}, {"b", {0, 2, {}}}}, kTerm);
  step(lease, event::Divided{{{"b", 0}}}, jobs_on_b(1), kTerm);
  ASSERT_EQ(lease.phase, Phase::inactive);
  EXPECT_EQ(text(step(lease, divided(), jobs_on_b(1), kTerm)), "fence b");
  step(lease, event::Acknowledged{lease.number, {{"b", 1}}}, jobs_on_b(1), kTerm);
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(told(), "a:1 b:1 ") << "the slot that is used stays";
}

// ---------------------------------------------------------------- instances of shared resources

event::Exported exports_with(int slots, int instances) {
  event::Exported exported = exports(slots);
  if (instances > 0) exported.resources = {{"lic", instances, {"a"}}};
  return exported;
}
ResourcesNow lic_now(int used, int free) { return {{"lic", {used, free}}}; }

ProviderLease active_with(int slots, int instances) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, exports_with(slots, instances), host_now(0, slots), kTerm, lic_now(0, instances));
  step(lease, event::Asked{}, host_now(0, slots), kTerm, lic_now(0, instances));
  step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm, lic_now(0, 0));
  return lease;
}

TEST(LeaseProvider, GrantsInstancesAsFarAsTheyAreFree) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, exports_with(2, 3), host_now(0, 2), kTerm, lic_now(0, 1));
  EXPECT_EQ(lease.resources[0].has.instances, 0) << "nobody has asked";
  EXPECT_EQ(text(step(lease, event::Asked{}, host_now(0, 2), kTerm, lic_now(0, 1))), "tell");
  EXPECT_EQ(lease.resources[0].has, (LeasedResource{"lic", 1, {"a"}}));
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(0, 0), kTerm, lic_now(1, 9))), "tell");
  EXPECT_EQ(lease.resources[0].has.instances, 3) << "jobs of the provider have ended";
  EXPECT_EQ(lease.number, (GrantNumber{kTerm, 2}));
}
TEST(LeaseProvider, GrantsNoInstanceWithoutASlot) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  step(lease, exports_with(2, 3), host_now(0, 0), kTerm, lic_now(0, 3));
  step(lease, event::Asked{}, host_now(0, 0), kTerm, lic_now(0, 3));
  EXPECT_EQ(lease.phase, Phase::requested);
  EXPECT_EQ(lease.resources[0].has.instances, 0);
}
TEST(LeaseProvider, TakesIdleInstancesWhenTheConsumerAcknowledges) {
  ProviderLease lease = active_with(2, 3);
  EXPECT_EQ(text(step(lease, exports_with(2, 1), host_now(1, 0), kTerm, lic_now(1, 0))), "tell, fence a");
  EXPECT_EQ(lease.phase, Phase::inactive);
  EXPECT_EQ(lease.resources[0].has.instances, 3) << "a start under the old number may be on its way";
  EXPECT_EQ(text(step(lease, event::Acknowledged{lease.number, {}}, host_now(1, 0), kTerm, lic_now(1, 0))),
            "tell");
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(lease.resources[0].has.instances, 1);
}
TEST(LeaseProvider, TakesInstancesByTheResOfAllHostsWhileTheConsumerIsAway) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  event::Exported two = exports_with(1, 2);
  two.hosts.push_back({"b", 1, {}, {}, false});
  const HostsNow free{{"a", {0, 1, {}}}, {"b", {0, 1, {}}}};
  step(lease, two, free, kTerm, lic_now(0, 2));
  step(lease, event::Asked{}, free, kTerm, lic_now(0, 2));
  two.resources[0].instances = 1;
  EXPECT_EQ(text(step(lease, two, {}, kTerm, lic_now(0, 0))), "tell, fence a, fence b");
  HostsNow fenced{{"a", {0, 0, lease.number}}};
  step(lease, event::Changed{}, fenced, kTerm, lic_now(0, 0));
  EXPECT_EQ(lease.resources[0].has.instances, 2) << "b may hold a job with an instance";
  fenced["b"].fenced = lease.number;
  step(lease, event::Changed{}, fenced, kTerm, lic_now(0, 0));
  EXPECT_EQ(lease.resources[0].has.instances, 1);
}
// b is dead, and so is the consumer: an administrator has to say so.
TEST(LeaseProvider, TakesInstancesOfADeadHostWhenTheConsumerIsWrittenOff) {
  ProviderLease lease{.id = {"east", 3}, .consumer = "west"};
  event::Exported two = exports_with(1, 3);
  two.hosts.push_back({"b", 1, {}, {}, false});
  const HostsNow free{{"a", {0, 1, {}}}, {"b", {0, 1, {}}}};
  step(lease, two, free, kTerm, lic_now(0, 3));
  step(lease, event::Asked{}, free, kTerm, lic_now(0, 3));
  step(lease, event::Acknowledged{lease.number, {{"b", 1}}}, free, kTerm);
  step(lease, exports_with(1, 1), {}, kTerm, lic_now(2, 0));
  const HostsNow fenced{{"a", {0, 0, lease.number}}, {"b", {0, 0, {}}}};
  step(lease, event::Changed{}, fenced, kTerm, lic_now(2, 0));
  ASSERT_EQ(lease.resources[0].has.instances, 3);
  ASSERT_EQ(lease.hosts.size(), 2U);
  lease.written_off = true;
  EXPECT_EQ(text(step(lease, event::WrittenOff{}, fenced, kTerm, lic_now(2, 0))),
            "freed 1, kill holders of 1 lic");
  EXPECT_EQ(lease.resources[0].has.instances, 2) << "two are held by jobs that are here";
  EXPECT_EQ(text(step(lease, event::Changed{}, fenced, kTerm, lic_now(1, 0))), "tell");
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(lease.resources[0].has.instances, 1);
  event::Exported gone{.hosts = {}, .resources = {}, .withdrawn = true};
  EXPECT_EQ(text(step(lease, gone, {}, kTerm, lic_now(0, 0))), "tell, freed 1, tell")
      << "what the policy takes later waits for nothing";
  EXPECT_EQ(lease.phase, Phase::returned);
  EXPECT_EQ(text(step(lease, event::Changed{}, {}, kTerm)), "forget");
}
TEST(LeaseProvider, KillsJobsThatHoldInstancesThatThePolicyTakes) {
  ProviderLease lease = active_with(3, 3);
  EXPECT_EQ(text(step(lease, exports_with(3, 1), host_now(3, 0), kTerm, lic_now(3, 0))),
            "tell, kill holders of 2 lic, fence a");
  EXPECT_EQ(lease.phase, Phase::recalling);
  step(lease, event::Acknowledged{lease.number, {{"a", 3}}}, host_now(3, 0), kTerm, lic_now(3, 0));
  EXPECT_EQ(lease.resources[0].has.instances, 3);
  EXPECT_EQ(text(step(lease, event::Changed{}, host_now(1, 0), kTerm, lic_now(1, 0))), "tell");
  EXPECT_EQ(lease.phase, Phase::active);
  EXPECT_EQ(lease.resources[0].has.instances, 1);
  EXPECT_EQ(lease.hosts[0].has.slots, 3) << "its slots stay";
}
TEST(LeaseProvider, AResourceThatIsExportedNoMoreIsForgotten) {
  ProviderLease lease = active_with(1, 2);
  step(lease, exports_with(1, 0), host_now(0, 0), kTerm, lic_now(0, 0));
  EXPECT_EQ(lease.resources[0].has.instances, 2);
  step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm, lic_now(0, 0));
  EXPECT_TRUE(lease.resources.empty());
  EXPECT_EQ(lease.phase, Phase::active);
}
TEST(LeaseProvider, InstancesComeBackWithTheLease) {
  ProviderLease lease = active_with(1, 2);
  event::Exported gone{.hosts = {}, .resources = {}, .withdrawn = true};
  step(lease, gone, host_now(0, 0), kTerm, lic_now(0, 0));
  EXPECT_EQ(lease.resources[0].has.instances, 2);
  step(lease, event::Acknowledged{lease.number, {}}, host_now(0, 0), kTerm, lic_now(0, 0));
  EXPECT_EQ(lease.phase, Phase::returned);
  EXPECT_TRUE(lease.resources.empty());
}
TEST(LeaseProvider, TellsWhereAResourceHasOtherHosts) {
  ProviderLease lease = active_with(1, 2);
  event::Exported moved = exports_with(1, 2);
  moved.hosts.push_back({"b", 1, {}, {}, false});
  moved.resources[0].hosts = {"a", "b"};
  EXPECT_EQ(text(step(lease, moved, host_now(0, 0), kTerm, lic_now(0, 0))), "tell");
  EXPECT_EQ(lease.resources[0].has.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(text(step(lease, moved, host_now(0, 0), kTerm, lic_now(0, 0))), "") << "once";
}
TEST(LeaseProvider, TellsOtherMemoryOfSlotsThatStay) {
  ProviderLease lease = active(1);
  event::Exported less = exports(1);
  less.hosts[0].memory_mb = 100;
  EXPECT_EQ(text(step(lease, less, host_now(0, 0), kTerm)), "tell");
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

}  // namespace
}  // namespace rollcall::sched::lease
