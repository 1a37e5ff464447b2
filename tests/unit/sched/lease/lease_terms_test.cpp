// Which policy a lease is of, which slots are free, and what is left of a host for its own cluster.
#include "sched/policy/lease/lease_terms.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rollcall::sched::lease {
namespace {

ExportPolicy named(std::vector<std::string> hosts, int slots, std::vector<Consumer> consumers) {
  ExportPolicy policy;
  policy.hosts = std::move(hosts);
  policy.slots = slots;
  policy.consumers = std::move(consumers);
  return policy;
}
ExportPolicy chosen(std::string select, std::vector<Consumer> consumers) {
  ExportPolicy policy;
  policy.select = std::move(select);
  policy.most_hosts = 2;
  policy.consumers = std::move(consumers);
  return policy;
}
LeaseOfPolicy lease_for(std::uint64_t number, const std::string& consumer, const ExportPolicy& policy) {
  LeaseOfPolicy of;
  of.lease.id = {"east", number};
  of.lease.consumer = consumer;
  of.policy = policy_name(policy);
  of.terms = policy_terms(policy);
  return of;
}
LentHost lent(const std::string& host, int has, int wanted, bool whole = false) {
  LentHost one;
  one.has = {host, has, {}, {}, whole};
  one.wanted = wanted;
  return one;
}

TEST(LeaseTerms, APolicyIsFoundByItsHostsOrItsRequirement) {
  const ExportPolicy a = named({"a"}, 2, {{"west", 1}}), b = named({"b"}, 2, {{"west", 1}, {"north", 1}});
  const LeaseOfPolicy of_a = lease_for(1, "west", a), of_b = lease_for(2, "west", b),
                      north = lease_for(3, "north", b);
  const auto of = policies_of({&of_a, &of_b, &north}, {b, a});
  EXPECT_EQ(of[0], 1U);
  EXPECT_EQ(of[1], 0U);
  EXPECT_EQ(of[2], 0U) << "one policy makes a lease with each consumer";
}
TEST(LeaseTerms, AChangedPolicyIsTheNextOneOfItsKind) {
  const LeaseOfPolicy of_a = lease_for(1, "west", named({"a"}, 2, {{"west", 1}}));
  const ExportPolicy c = named({"c"}, 1, {{"west", 1}}), select = chosen("type==any", {{"west", 1}});
  EXPECT_EQ(policies_of({&of_a}, {select, c})[0], 1U);
  EXPECT_FALSE(policies_of({&of_a}, {select})[0]) << "another kind";
  EXPECT_FALSE(policies_of({&of_a}, {named({"a"}, 2, {{"north", 1}})})[0]) << "its consumer is gone";
  LeaseOfPolicy withdrawn = of_a;
  withdrawn.lease.withdrawn = true;
  EXPECT_FALSE(policies_of({&withdrawn}, {c})[0]) << "a lease that ends does not come back";
}
TEST(LeaseTerms, TermsDifferWithEachColumn) {
  const ExportPolicy policy = named({"a"}, 2, {{"west", 1}});
  std::set<std::string> terms{policy_terms(policy)};
  ExportPolicy other = policy;
  other.slots = 3;
  terms.insert(policy_terms(other));
  other = policy;
  other.memory_mb = 100;
  terms.insert(policy_terms(other));
  other = policy;
  other.shared = true;
  terms.insert(policy_terms(other));
  other = policy;
  other.consumers[0].shares = 2;
  terms.insert(policy_terms(other));
  EXPECT_EQ(terms.size(), 5U);
}

// ---------------------------------------------------------------- shared resources

LentResource lic(int has, int wanted, std::vector<std::string> hosts) {
  return {{"lic", has, std::move(hosts)}, wanted, false};
}
std::vector<ResourceInstance> lics(double there, bool dynamic, double own = 0) {
  ResourceInstance one;
  one.resource = "lic";
  one.hosts = {"a", "b"};
  one.there = there;
  one.dynamic = dynamic;
  one.own = own;
  return {one};
}
OwnHost known_host() { return {.slots = 4, .used = 0, .heard = true, .known = true}; }

class LentLicences : public ::testing::Test {
 protected:
  LeaseOfPolicy west = lease_for(1, "west", named({"a"}, 4, {{"west", 1}}));
  LeaseOfPolicy north = lease_for(2, "north", named({"b"}, 4, {{"north", 1}}));
  const std::vector<const LeaseOfPolicy*> all{&west, &north};
  std::map<std::string, OwnHost> own{{"a", known_host()}, {"b", known_host()}};
  void SetUp() override {
    west.lease.resources = {lic(1, 3, {"a"})};
    north.lease.resources = {lic(2, 2, {"b"})};
  }
  int free(const std::vector<ResourceInstance>& there, const HeldByAttempts& held) const {
    return resources_now(west, all, there, own, held).at("lic").free;
  }
};

TEST_F(LentLicences, AreFreeLessWhatLeasesHaveAndOwnJobsReserve) {
  EXPECT_EQ(free(lics(6, false), {}), 3);
  EXPECT_EQ(free(lics(6, false, 2), {}), 1);
  EXPECT_EQ(free(lics(6, false), {{{2, "lic"}, 3.0}}), 2) << "a lost store forgot to count one";
  EXPECT_EQ(free(lics(2, false), {}), 0);
}
// The value of an elim may be older than the start of a job, and the job may check its licence out late.
TEST_F(LentLicences, AreCountedBesideAValueThatAJobMayHaveToBeSeenIn) {
  const HeldByAttempts held{{{1, "lic"}, 1.0}, {{2, "lic"}, 2.0}};
  EXPECT_EQ(free(lics(3, true), {}), 0);
  EXPECT_EQ(free(lics(3, true), held), 0) << "three are reserved, and none is checked out yet";
  EXPECT_EQ(free(lics(5, true), held), 2);
  EXPECT_EQ(lent_instances(all, lics(5, true), held), (std::vector<double>{5}))
      << "three that west is to have, and two that north has";
}
TEST_F(LentLicences, AreFreeWhenAllHostsThatLeasesGiveThemToAreKnown) {
  own.at("b").known = false;
  EXPECT_EQ(free(lics(6, false), {}), 0);
  own.at("b") = {.slots = 4, .used = 0, .heard = false, .known = true};
  EXPECT_EQ(free(lics(6, false), {}), 3) << "silent now, and all that it holds is known";
}
TEST_F(LentLicences, AreGoneFromTheProviderOnceTheyAreExported) {
  EXPECT_EQ(lent_instances(all, lics(6, false), {}), (std::vector<double>{5}));
  north.lease.resources = {lic(2, 0, {"b"})};
  EXPECT_EQ(lent_instances(all, lics(6, false), {}), (std::vector<double>{5})) << "not given back yet";
}
TEST_F(LentLicences, AreReservedUpToWhatTheLeaseHas) {
  const auto why = [&](double amount, const HeldByAttempts& held, const std::string& host = "b") {
    const auto known = [&](const std::string& name) { return own.at(name).known; };
    return why_no_instances(north, "lic", amount, {host}, known, held).value_or("");
  };
  EXPECT_EQ(why(2, {}), "");
  EXPECT_EQ(why(1, {{{2, "lic"}, 1.5}}), "resource lic is in use");
  EXPECT_EQ(why(1, {{{1, "lic"}, 9}}), "") << "another lease's jobs";
  EXPECT_EQ(why(1, {}, "a"), "the lease has no resource lic");
  own.at("b").known = false;
  EXPECT_EQ(why(1, {}), "what holds resource lic is not known yet");
}
TEST_F(LentLicences, KeepTheirPlaceByTheirHosts) {
  const auto held = held_instances(all, {1, std::nullopt}, lics(6, false));
  ASSERT_EQ(held.size(), 1U) << "the policy of the other lease is gone";
  EXPECT_EQ(held[0].policy, 1U);
  EXPECT_EQ(held[0].instance, 0U);
  EXPECT_EQ(held[0].has, 1);
}
TEST_F(LentLicences, MakeALeaseWaitUntilItHasThem) {
  north.lease.phase = Phase::active;
  EXPECT_FALSE(waits(north.lease));
  north.lease.resources[0].wanted = 3;
  EXPECT_TRUE(waits(north.lease));
}

TEST(LeaseTerms, PerHostLendsSlotsThatItsPoliciesAddAlone) {
  const ExportPolicy policy = named({"a"}, 4, {{"west", 1}, {"north", 1}});
  LeaseOfPolicy west = lease_for(1, "west", policy), north = lease_for(2, "north", policy);
  west.lease.hosts = {lent("a", 0, 2)};
  north.lease.hosts = {lent("a", 3, 2)};  // one is still to be given up
  const std::map<std::string, OwnHost> own = {{"a", {1, 1, true}}};
  const auto added = added_slots({policy});
  EXPECT_EQ(hosts_now(west, {&west, &north}, own, added, {})["a"].free, 1);
  EXPECT_EQ(hosts_now(west, {&west, &north}, {{"a", {1, 1, false}}}, added, {})["a"].free, 0)
      << "its RES has not said what it holds";
  EXPECT_EQ(hosts_now(west, {&west, &north}, own, added, {{{2, "a"}, {4, 0, 0}}})["a"].free, 0)
      << "attempts beyond the grant count";
  EXPECT_EQ(hosts_now(west, {&west, &north}, own, added, {{{1, "a"}, {2, 0, 0}}})["a"].used, 2);
}
// The lease of `north` has its new part, that of `west` not yet: its row could not be stored, or mbatchd died before it.
TEST(LeaseTerms, PerHostLendsNoMoreThanItsPoliciesAddWhileLeasesFollowAChange) {
  const ExportPolicy policy = named({"a"}, 3, {{"west", 1}, {"north", 2}});
  LeaseOfPolicy west = lease_for(1, "west", policy), north = lease_for(2, "north", policy);
  west.lease.hosts = {lent("a", 2, 2)};
  north.lease.hosts = {lent("a", 1, 2)};
  const std::map<std::string, OwnHost> own = {{"a", {1, 0, true}}};
  EXPECT_EQ(hosts_now(north, {&west, &north}, own, added_slots({policy}), {})["a"].free, 0);
  const ExportPolicy another = named({"a", "b"}, 1, {{"west", 1}});
  EXPECT_EQ(hosts_now(north, {&west, &north}, own, added_slots({policy, another}), {})["a"].free, 1)
      << "policies of one host add slots together";
  EXPECT_EQ(hosts_now(north, {&west, &north}, own, {}, {})["a"].free, 0)
      << "no policy names the host any more";
}
TEST(LeaseTerms, AWholeHostLendsWhatItsOwnClusterDoesNotUse) {
  const ExportPolicy policy = chosen("type==any", {{"west", 1}, {"north", 1}});
  LeaseOfPolicy west = lease_for(1, "west", policy), north = lease_for(2, "north", policy);
  west.lease.hosts = {lent("a", 0, 8, true)};
  EXPECT_EQ(hosts_now(west, {&west, &north}, {{"a", {8, 3, true}}}, {}, {})["a"].free, 5);
  north.lease.hosts = {lent("a", 8, 0, true)};  // it waits for jobs to end
  EXPECT_EQ(hosts_now(west, {&west, &north}, {{"a", {8, 0, true}}}, {}, {})["a"].free, 0);
}

// The policy exports to `north` now what `west` is still to give up.
TEST(LeaseTerms, SlotsOfASharedPerHostWaitForTheConsumerThatHadThem) {
  ExportPolicy policy = named({"a"}, 3, {{"north", 1}});
  policy.shared = true;
  LeaseOfPolicy west = lease_for(1, "west", policy), north = lease_for(2, "north", policy);
  west.lease.withdrawn = true;
  west.lease.hosts = {lent("a", 3, 0)};
  north.lease.hosts = {lent("a", 0, 1)};
  west.both_sides = north.both_sides = {{"a", 3}};
  const auto free = [&](int used) {
    return hosts_now(north, {&west, &north}, {{"a", {2, used, true}}}, added_slots({policy}), {})["a"].free;
  };
  EXPECT_EQ(free(0), 0) << "the host's own slots are the provider's";
  EXPECT_EQ(lent_hosts({&west, &north}, {}).at("a").slots, 0) << "the provider has none of them";
  west.lease.hosts = {lent("a", 1, 0)};
  EXPECT_EQ(free(2), 2);
  EXPECT_EQ(free(4), 0) << "the provider uses two of them";
  EXPECT_EQ(lent_hosts({&west, &north}, {}).at("a").slots, -1);
  west.lease.withdrawn = false;
  EXPECT_EQ(lent_hosts({&west, &north}, {}).at("a").slots, -1)
      << "the end of the lease could not be stored yet";
}
TEST(LeaseTerms, AttemptsCountOnAHostThatTheirLeaseLacks) {
  const ExportPolicy policy = chosen("type==any", {{"west", 1}, {"north", 1}});
  LeaseOfPolicy west = lease_for(1, "west", policy), north = lease_for(2, "north", policy);
  west.lease.hosts = {lent("a", 0, 8, true)};
  const std::map<std::string, OwnHost> own = {{"a", {8, 1, true}}};
  EXPECT_EQ(hosts_now(west, {&west, &north}, own, {}, {{{2, "a"}, {3, 0, 0}}})["a"].free, 4);
  EXPECT_EQ(hosts_now(west, {&west}, own, {}, {{{2, "a"}, {3, 0, 0}}})["a"].free, 4)
      << "the lease is lost, too";
  EXPECT_EQ(hosts_now(west, {&west, &north}, own, {}, {{{2, "b"}, {3, 0, 0}}})["a"].free, 7);
}
// They go on before the consumer gets their slots, and the lease waits for them as for jobs that run.
TEST(LeaseTerms, AWholeHostKeepsTheSlotsOfPreemptedJobs) {
  const ExportPolicy policy = chosen("type==any", {{"west", 1}});
  LeaseOfPolicy west = lease_for(1, "west", policy);
  west.lease.hosts = {lent("a", 0, 8, true)};
  const std::map<std::string, OwnHost> own = {
      {"a", {.slots = 8, .used = 3, .heard = true, .known = true, .preempted = 2}}};
  EXPECT_EQ(hosts_now(west, {&west}, own, {}, {})["a"].free, 3);
  EXPECT_EQ(awaited_slots(west, own), 5);
  west.lease.hosts = {lent("a", 3, 8, true)};
  EXPECT_EQ(hosts_now(west, {&west}, own, {}, {})["a"].free, 0);
  EXPECT_EQ(lent_hosts({&west}, {}).at("a").in_hand, 3) << "the others are for jobs that go on";
}
// How it is divided counts them by itself.
TEST(LeaseTerms, ASharedHostLendsWhatItWasDividedInto) {
  ExportPolicy policy = chosen("type==any", {{"west", 1}});
  policy.shared = true;
  LeaseOfPolicy west = lease_for(1, "west", policy);
  west.lease.hosts = {lent("a", 0, 4)};
  west.both_sides = {{"a", 8}};
  EXPECT_EQ(
      hosts_now(west, {&west}, {{"a", {.slots = 8, .used = 4, .heard = true, .preempted = 4}}}, {}, {})["a"]
          .free,
      4);
}

TEST(LeaseTerms, AWholeHostIsGoneFromItsClusterOnceItIsExported) {
  const ExportPolicy whole = chosen("type==any", {{"west", 1}}), part = named({"b"}, 2, {{"west", 1}});
  LeaseOfPolicy one = lease_for(1, "west", whole), other = lease_for(2, "west", part);
  one.lease.hosts = {lent("a", 0, 8, true), lent("c", 0, 0, true)};
  other.lease.hosts = {lent("b", 2, 2)};
  other.lease.hosts[0].has.memory_mb = 1000;
  const auto taken = lent_hosts({&one, &other}, {{{2, "b"}, {1, 300, 0}}});
  EXPECT_EQ(taken.at("a"), (LentOfHost{.whole = true, .slots_lent = 8, .consumers = "west"}));
  EXPECT_FALSE(taken.contains("c"));
  EXPECT_EQ(taken.at("b"), (LentOfHost{false, 0, 700, 0})) << "PER_HOST adds slots; what is used counts once";
}

// Hosts that were chosen stay while the terms are the same, also over an upgrade.
TEST(LeaseTerms, AreThoseOfAReleaseThatCutTheNumbers) {
  ExportPolicy large = chosen("type==any", {{"west", 1}}), cut = large;
  large.most_hosts = 50'000;
  cut.most_hosts = 10'000;
  EXPECT_EQ(policy_terms(large), policy_terms(cut));
}
// Only slots of a shared lease change sides: its memory is the consumer's, whoever has the slots.
TEST(LeaseTerms, MemoryOfASharedLeaseIsTheConsumersWithoutASlotToo) {
  ExportPolicy shared = chosen("type==any", {{"west", 1}});
  shared.shared = true;
  LeaseOfPolicy one = lease_for(1, "west", shared);
  one.lease.hosts = {lent("a", 0, 0)};
  one.lease.hosts[0].has.memory_mb = 500;
  one.both_sides = {{"a", 4}};
  EXPECT_EQ(lent_hosts({&one}, {}).at("a").mem_mb, 500);
  EXPECT_TRUE(lent_hosts({&one}, {}).at("a").counted) << "its slots are divided";
}
TEST(LeaseTerms, ASharedLeaseBeginsWithOneReservedSlotAndKeepsItsDivision) {
  ExportPolicy policy = named({"a"}, 4, {{"west", 1}});
  policy.shared = true;
  LeaseOfPolicy of = lease_for(1, "west", policy);
  const std::vector<LeasedHost> offered = {{"a", 4, {}, {}, false}};
  const std::map<std::string, OwnHost> own = {{"a", {2, 3, true}}};  // one job on a slot of the lease
  EXPECT_EQ(divided_hosts(of, offered, own, {})[0].slots, 1);
  EXPECT_EQ(divided_hosts(of, offered, {{"a", {2, 6, true}}}, {})[0].slots, 0) << "no slot is idle";
  of.both_sides = {{"a", 4}};
  of.lease.hosts = {lent("a", 3, 3)};
  EXPECT_EQ(divided_hosts(of, offered, own, {})[0].slots, 3) << "as it was divided last";
  EXPECT_EQ(divided_hosts(of, {{"a", 2, {}, {}, false}}, own, {})[0].slots, 2) << "the policy exports fewer";
  EXPECT_EQ(shared_hosts(of, {{"a", {.slots = 2, .used = 3, .preempted = 2}}}, {})[0].provider_uses, 3)
      << "a job that was preempted goes on there";
  const auto shared = shared_hosts(of, own, {{{1, "a"}, {2, 0, 0}}});
  EXPECT_EQ(shared, (std::vector<SharedHost>{{4, 3, 2, 1}}));
  step(of.lease, event::Acknowledged{{}, {}, {{"a", 2}}}, {}, 1);
  EXPECT_EQ(shared_hosts(of, own, {})[0].consumer_limit, 2) << "by its own lsb.hosts";
  step(of.lease, event::Acknowledged{}, {}, 1);
  EXPECT_FALSE(shared_hosts(of, own, {})[0].consumer_limit) << "not any more";
}
TEST(LeaseTerms, SlotsOfASharedLeaseAreAddedToOrTakenFromTheHostsOwn) {
  ExportPolicy part = named({"a"}, 4, {{"west", 1}}), whole = chosen("type==any", {{"west", 1}});
  part.shared = whole.shared = true;
  LeaseOfPolicy one = lease_for(1, "west", part), other = lease_for(2, "west", whole);
  one.lease.hosts = {lent("a", 1, 1)};
  one.both_sides = {{"a", 4}};
  other.lease.hosts = {lent("b", 1, 3)};
  other.both_sides = {{"b", 8}};
  const auto taken = lent_hosts({&one, &other}, {});
  EXPECT_EQ(taken.at("a"), (LentOfHost{false, -3, 0, 0, 1, "west", true}));
  EXPECT_EQ(taken.at("b"), (LentOfHost{false, 3, 0, 0, 3, "west", true, 1}))
      << "also slots that it is to have";
  LeaseOfPolicy north = other;
  north.lease.consumer = "north";
  north.lease.id.number = 3;
  EXPECT_EQ(lent_hosts({&one, &other, &north}, {}).at("b"),
            (LentOfHost{false, 6, 0, 0, 6, "west, north", true, 2}));
  one.lease.withdrawn = true;
  EXPECT_EQ(lent_hosts({&one}, {}).at("a"), LentOfHost{}) << "what PER_HOST adds no longer is not ours";
  one.lease.withdrawn = false;
  EXPECT_EQ(hosts_now(one, {&one, &other}, {{"a", {2, 4, true}}}, {{"a", 4}}, {})["a"].free, 1)
      << "MXJ 2, 4 used, 4 shared, 1 lent";
  EXPECT_EQ(hosts_now(other, {&one, &other}, {{"b", {8, 5, true}}}, {}, {})["b"].free, 2);
}

}  // namespace
}  // namespace rollcall::sched::lease
