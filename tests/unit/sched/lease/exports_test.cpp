// What each consumer is offered, by the sentences of the manual, one test each.
#include <gtest/gtest.h>

#include "common/conf/lsb/lease_bounds.hpp"
#include "tests/unit/sched/lease/farm.hpp"

namespace rollcall::sched::lease {
namespace {

TEST(LeaseExports, DivideTheSlotsOfNamedHosts) {
  Farm farm;
  farm.add("HostA"), farm.add("HostB");
  farm.policies = {named({"HostA", "HostB"}, 2, {{"C1", 1}, {"C2", 1}})};
  EXPECT_EQ(text(farm.offers()), "C1: HostA*1 HostB*1; C2: HostA*1 HostB*1");
}

TEST(LeaseExports, NamedHostsNeedNotBeUp) {
  Farm farm;
  farm.add("HostA", "LINUX", 2, false);
  farm.policies = {named({"HostA"}, 1, {{"Cluster5", 1}})};
  EXPECT_EQ(text(farm.offers()), "Cluster5: HostA*1");
}

TEST(LeaseExports, DivideExportedMemoryByShares) {
  Farm farm;
  farm.add("hostA");
  farm.policies = {named({"hostA"}, 4, {{"cluster1", 1}, {"cluster2", 3}})};
  farm.policies[0].memory_mb = 100;
  farm.policies[0].swap_mb = 101;
  const auto offers = farm.offers();
  EXPECT_EQ(offers[0].hosts[0], (LeasedHost{"hostA", 1, 25, 25, false}));
  EXPECT_EQ(offers[1].hosts[0], (LeasedHost{"hostA", 3, 75, 75, false}));
}

TEST(LeaseExports, NoMoreMemoryThanAHostHas) {
  Farm farm;
  farm.add("a"), farm.add("b");
  farm.views[0].memory_mb = 100;
  farm.views[0].swap_mb = 30;
  farm.policies = {named({"a", "b"}, 2, {{"C1", 1}, {"C2", 1}}), named({"a"}, 1, {{"C3", 1}})};
  farm.policies[0].memory_mb = 60;
  farm.policies[1].memory_mb = 60;
  farm.policies[0].swap_mb = 200;
  const auto offers = farm.offers();
  EXPECT_EQ(offers[0].hosts[0], (LeasedHost{"a", 1, 30, 15, false}));
  EXPECT_EQ(offers[1].hosts[0], (LeasedHost{"a", 1, 30, 15, false}));
  EXPECT_EQ(offers[2].hosts[0], (LeasedHost{"a", 1, 40, {}, false})) << "what the first policy leaves";
  EXPECT_EQ(offers[0].hosts[1], (LeasedHost{"b", 1, 30, 100, false})) << "LIM has not told what it has";
}

TEST(LeaseExports, KeepTheMemoryOfALeaseUntilLimTellsOfTheHost) {
  Farm farm;
  farm.add("a"), farm.add("b");
  farm.policies = {named({"a", "b"}, 2, {{"C1", 1}, {"C2", 1}})};
  farm.policies[0].memory_mb = 60;
  farm.policies[0].swap_mb = 20;
  farm.held = {{0, "C1", "a", 10, 50}, {0, "C2", "a", {}, 3}, {0, "C1", "b", 1, 1}, {0, "C1", "gone", 1, 1}};
  farm.views[1].memory_mb = 50;
  const auto offers = farm.offers();
  EXPECT_EQ(offers[0].hosts[0], (LeasedHost{"a", 1, 10, 10, false})) << "never more than the policy exports";
  EXPECT_EQ(offers[1].hosts[0], (LeasedHost{"a", 1, 30, 3, false}));
  EXPECT_EQ(offers[0].hosts[1], (LeasedHost{"b", 1, 25, 10, false})) << "LIM has told of it";
  farm.policies[0].memory_mb.reset();
  EXPECT_EQ(farm.offers()[0].hosts[0].memory_mb, std::nullopt);
}

TEST(LeaseExports, NoMoreMemoryThanAChosenHostHas) {
  Farm farm;
  farm.add("a");
  farm.views[0].memory_mb = 100;
  farm.policies = {chosen_by("type==LINUX", 1, {{"C1", 1}})};
  farm.policies[0].memory_mb = 1'000'000;
  EXPECT_EQ(farm.offers()[0].hosts[0].memory_mb, 100);
}

TEST(LeaseExports, ChosenHostsGoWholeToOneConsumerEachInOrder) {
  Farm farm;
  farm.add("HostA"), farm.add("HostB"), farm.add("other", "SUN"), farm.add("HostC");
  farm.policies = {chosen_by("type==LINUX", 2, {{"C1", 1}, {"C2", 1}})};
  EXPECT_EQ(text(farm.offers()), "C1: HostA*2; C2: HostB*2");
  EXPECT_TRUE(farm.offers()[0].hosts[0].whole);
}

TEST(LeaseExports, ChooseOnlyHostsThatAreUpAndAddOthersLater) {
  Farm farm;
  farm.policies = {chosen_by("type==LINUX", 4, {{"C1", 1}, {"C2", 1}})};
  for (const char* name : {"a", "b", "c", "d", "e"}) farm.add(name, "LINUX", 1, name[0] > 'b');
  EXPECT_EQ(text(farm.offers()), "C1: c*1 e*1; C2: d*1");
  farm.keep(farm.offers());
  farm.host("a").up = farm.host("b").up = true;
  EXPECT_EQ(text(farm.offers()), "C1: c*1 e*1; C2: a*1 d*1");
}

// An administrator repairs it.
TEST(LeaseExports, AClosedHostIsNotChosenAndStaysWhereItIs) {
  Farm farm;
  farm.policies = {chosen_by("type==LINUX", 2, {{"C1", 1}, {"C2", 1}})};
  farm.add("a").closed = true;
  farm.add("b"), farm.add("c");
  EXPECT_EQ(text(farm.offers()), "C1: b*2; C2: c*2");
  farm.keep(farm.offers());
  farm.host("a").closed = false;
  farm.host("b").closed = true;
  EXPECT_EQ(text(farm.offers()), "C1: b*2; C2: c*2");
  farm.before[0].same_policy = false;
  EXPECT_EQ(text(farm.offers()), "C1: b*2; C2: c*2") << "a changed policy keeps it, too";
  farm.policies[0].most_hosts = 3;
  EXPECT_EQ(text(farm.offers()), "C1: a*2 b*2; C2: c*2");
}

TEST(LeaseExports, AHostThatDiesStays) {
  Farm farm;
  farm.policies = {chosen_by("type==LINUX", 1, {{"C1", 1}})};
  farm.add("a"), farm.add("b");
  farm.keep(farm.offers());
  farm.host("a").up = false;
  EXPECT_EQ(text(farm.offers()), "C1: a*2");
}

// It is drained: the others of the policy have jobs, and nobody changed it.
TEST(LeaseExports, AHostThatIsNoServerAnyMoreMovesNoOther) {
  Farm farm;
  farm.policies = {chosen_by("type==LINUX", 3, {{"C1", 1}, {"C2", 1}})};
  for (const char* name : {"a", "b", "c"}) farm.add(name);
  ASSERT_EQ(text(farm.offers()), "C1: a*2 c*2; C2: b*2");
  farm.keep(farm.offers());
  for (const char* gone : {"a", "c"}) {
    std::erase_if(farm.hosts, [&](const ExportHost& host) { return host.name == gone; });
    farm.keep(farm.offers());
  }
  EXPECT_EQ(text(farm.offers()), "C1:; C2: b*2");
  farm.add("d");
  EXPECT_EQ(text(farm.offers()), "C1: d*2; C2: b*2");
}

TEST(LeaseExports, AHostWithoutSlotsTakesNoPlace) {
  Farm farm;
  farm.policies = {chosen_by("type==LINUX", 1, {{"C1", 1}})};
  farm.add("closed", "LINUX", 0), farm.add("a");
  EXPECT_EQ(text(farm.offers()), "C1: a*2");
}

TEST(LeaseExports, AHostThatNoLongerMatchesStaysUntilThePolicyChanges) {
  Farm farm;
  farm.policies = {chosen_by("ncpus>1", 1, {{"C1", 1}})};
  farm.add("a"), farm.add("b");
  farm.keep(farm.offers());
  farm.views[0] = FarmHost(farm.indices, "LINUX", 1);
  EXPECT_EQ(text(farm.offers()), "C1: a*2");
  farm.before[0].same_policy = false;
  EXPECT_EQ(text(farm.offers()), "C1: b*2");
}

TEST(LeaseExports, SkipLinuxDistributedHostsWithoutSwap) {
  Farm farm;
  farm.add("d", "DLINUX"), farm.add("e", "LINUX"), farm.add("f", "DLINUX");
  farm.policies = {named({"d", "e"}, 1, {{"C1", 1}}), chosen_by("type==DLINUX", 1, {{"C2", 1}})};
  EXPECT_EQ(text(farm.offers()), "C1: e*1; C2:");
  farm.policies[0].swap_mb = 50;
  EXPECT_EQ(text(farm.offers()), "C1: d*1 e*1; C2:");
  farm.policies[1].swap_mb = 50;
  EXPECT_EQ(text(farm.offers()), "C1: d*1 e*1; C2: f*2");
}

TEST(LeaseExports, HostsOfOtherPoliciesAreNotChosen) {
  Farm farm;
  farm.add("a"), farm.add("b"), farm.add("c");
  farm.policies = {chosen_by("type==any", 1, {{"C1", 1}}), named({"a"}, 1, {{"C2", 1}}),
                   chosen_by("type==any", 5, {{"C3", 1}})};
  EXPECT_EQ(text(farm.offers()), "C1: b*2; C2: a*1; C3: c*2");
}

// A policy in front of it must not take what a later one has.
TEST(LeaseExports, APolicyKeepsItsHostsBesideANewOne) {
  Farm farm;
  farm.add("a"), farm.add("b");
  farm.policies = {chosen_by("type==any", 1, {{"C1", 1}})};
  farm.keep(farm.offers());
  farm.policies.insert(farm.policies.begin(), chosen_by("type==any", 5, {{"C2", 1}}));
  farm.before.insert(farm.before.begin(), ChosenBefore{});
  EXPECT_EQ(text(farm.offers()), "C2: b*2; C1: a*2");
}

TEST(LeaseExports, AChangedPolicyKeepsHostsWithJobs) {
  Farm farm;
  for (const char* name : {"a", "b", "c"}) farm.add(name);
  farm.policies = {chosen_by("type==LINUX", 3, {{"C1", 1}})};
  farm.keep(farm.offers(), false);
  farm.job_since("c", 50);
  farm.policies[0].most_hosts = 1;
  EXPECT_EQ(text(farm.offers()), "C1: c*2");
}

TEST(LeaseExports, AChangedPolicyTakesTheHostsOfTheMostRecentlyStartedJobs) {
  Farm farm;
  for (const char* name : {"a", "b", "c"}) farm.add(name);
  farm.policies = {chosen_by("type==LINUX", 3, {{"C1", 1}})};
  farm.keep(farm.offers(), false);
  farm.job_since("a", 70), farm.job_since("b", 90), farm.job_since("c", 50);
  farm.policies[0].most_hosts = 2;
  EXPECT_EQ(text(farm.offers()), "C1: a*2 c*2");
}

TEST(LeaseExports, ALaterConsumerGetsIdleHostsFirst) {
  Farm farm;
  for (const char* name : {"a", "b"}) farm.add(name);
  farm.policies = {chosen_by("type==LINUX", 2, {{"C1", 1}})};
  farm.keep(farm.offers(), false);
  farm.job_since("a", 10);
  farm.policies[0].consumers.push_back({"C2", 1});
  EXPECT_EQ(text(farm.offers()), "C1: a*2; C2: b*2");
}

TEST(LeaseExports, AnInvalidRequirementChoosesNothing) {
  Farm farm;
  farm.add("a");
  farm.policies = {chosen_by("nonsense > 3 &&", 2, {{"C1", 1}})};
  EXPECT_EQ(text(farm.offers()), "C1:");
}

// ---------------------------------------------------------------- from the file

TEST(LeasePolicies, IgnoreTheLocalClusterWithItsShares) {
  EXPECT_EQ(consumers_of({{"here", 7}, {"C1", 1}, {"C2", 3}, {"C1", 4}}, "here"),
            (std::vector<Consumer>{{"C1", 5}, {"C2", 3}}));
}

TEST(LeasePolicies, LeaveUnknownHostsOut) {
  const auto official = [](std::string_view name) -> std::optional<std::string> {
    return name == "gone" ? std::nullopt : std::optional(std::string(name) + ".site");
  };
  conf::HostExport row{.hosts = {"a", "gone", "a"}, .distribution = {{"C1", 1}}, .slots = 2};
  conf::HostExport lost{.hosts = {"gone"}, .distribution = {{"C1", 1}}, .slots = 2};
  const auto policies = export_policies({lost, row}, "here", official);
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_EQ(policies[0].hosts, std::vector<std::string>{"a.site"});
}

// ---------------------------------------------------------------- ckconfig

std::string problems_of(const Farm& farm) {
  conf::Problems problems;
  check_exports(farm.policies, farm.hosts, farm.indices, problems);
  std::string all;
  for (const auto& problem : problems.all()) all += problem.line() + "\n";
  return all;
}
Farm two_policies(ExportPolicy first, ExportPolicy second) {
  Farm farm;
  farm.add("a");
  first.place = {"lsb.resources", 3};
  second.place = {"lsb.resources", 9};
  farm.policies = {std::move(first), std::move(second)};
  return farm;
}

TEST(LeaseCheck, AllowsAHostInTwoPoliciesThatAreNotShared) {
  EXPECT_EQ(problems_of(two_policies(named({"a"}, 1, {{"C1", 1}}), named({"a"}, 1, {{"C2", 1}}))), "");
}
TEST(LeaseCheck, RefusesAHostOfASharedPolicyInAnotherOne) {
  ExportPolicy shared = named({"a"}, 1, {{"C1", 1}});
  shared.shared = true;
  EXPECT_EQ(
      problems_of(two_policies(shared, named({"a"}, 1, {{"C2", 1}}))),
      "lsb.resources:9: PER_HOST: host \"a\" is also in the policy at lsb.resources:3, expected one policy "
      "beside "
      "TYPE=shared\n");
}
// As every row that is refused (0063): a reconfiguration may go on all the same.
TEST(LeasePolicies, LeaveOutWhatIsRefused) {
  ExportPolicy shared = named({"a", "b"}, 1, {{"C1", 1}}), only = named({"a"}, 1, {{"C2", 1}}), select;
  shared.shared = true;
  select.select = "type==any";
  const auto hosts = [](const std::vector<ExportPolicy>& policies) {
    std::vector<std::vector<std::string>> all;
    for (const ExportPolicy& policy : without_refused(policies)) all.push_back(policy.hosts);
    return all;
  };
  using All = std::vector<std::vector<std::string>>;
  EXPECT_EQ(hosts({only, shared}), (All{{"a"}, {"b"}}));
  EXPECT_EQ(hosts({shared, only, select}), (All{{"a", "b"}, {}})) << "one that chooses has its own rule";
  EXPECT_EQ(hosts({only, only}), (All{{"a"}, {"a"}})) << "slots are added";
}
TEST(LeaseCheck, RefusesANamedHostThatAnotherPolicySelects) {
  EXPECT_EQ(
      problems_of(two_policies(named({"a"}, 1, {{"C1", 1}}), chosen_by("type==LINUX", 1, {{"C2", 1}}))),
      "lsb.resources:9: RES_SELECT: host \"a\" is also in PER_HOST at lsb.resources:3, expected one policy "
      "for each "
      "host\n");
  EXPECT_EQ(problems_of(two_policies(named({"a"}, 1, {{"C1", 1}}), chosen_by("type==SUN", 1, {{"C2", 1}}))),
            "");
}
TEST(LeaseExports, NameAConsumerWhoseShareIsLessThanOne) {
  Farm farm;
  farm.add("a"), farm.add("b", "SUN");
  farm.policies = {named({"a"}, 2, {{"C1", 9}, {"C2", 1}}), chosen_by("type==SUN", 1, {{"C1", 1}, {"C2", 1}}),
                   chosen_by("type==NONE", 1, {{"C1", 1}})};
  farm.policies[0].place = {"lsb.resources", 3};
  farm.policies[2].place = {"lsb.resources", 12};
  const auto none = left_out(farm.policies, farm.offers());
  ASSERT_EQ(none.size(), 3U);
  EXPECT_EQ(none[0].consumer, "C2");
  EXPECT_EQ(none[0].why, "its share of the 2 slots of the policy at lsb.resources:3 is less than one");
  EXPECT_EQ(none[1].policy, 1U);
  EXPECT_EQ(none[2].why,
            "no host that matches RES_SELECT of the policy at lsb.resources:12 is up, open, with slots and "
            "free of other policies");
}
TEST(LeaseCheck, WarnsOfAConsumerWhoseShareIsLessThanOne) {
  EXPECT_EQ(
      problems_of(two_policies(named({"a"}, 2, {{"C1", 9}, {"C2", 1}}),
                               chosen_by("type==SUN", 1, {{"C1", 1}, {"C3", 1}}))),
      "lsb.resources:3: warning: DISTRIBUTION: found cluster \"C2\", whose share of 2 slots is less than "
      "one, "
      "expected more: nothing is exported to it\n"
      "lsb.resources:9: warning: DISTRIBUTION: found cluster \"C3\", whose share of 1 host is less than one, "
      "expected more: nothing is exported to it\n");
}
TEST(LeaseCheck, NamesAnInvalidRequirementAndAPolicyForNobody) {
  const auto said = problems_of(two_policies(chosen_by("unheard > 2", 1, {{"C1", 1}}), named({"a"}, 1, {})));
  EXPECT_NE(said.find("lsb.resources:3: RES_SELECT: "), std::string::npos) << said;
  EXPECT_NE(said.find("lsb.resources:9: warning: DISTRIBUTION: "), std::string::npos) << said;
}

TEST(LeaseCheck, WarnsOfAHostThatIsExportedTwiceToOneConsumer) {
  EXPECT_EQ(problems_of(two_policies(named({"a"}, 2, {{"C1", 1}}), named({"a"}, 2, {{"C1", 1}, {"C2", 1}}))),
            "lsb.resources:9: warning: PER_HOST: host \"a\" is exported to cluster \"C1\" by the policy at "
            "lsb.resources:3, too, expected one policy: it uses the slots of one of them\n");
}

// NHOSTS is large where a site means all hosts that match.
class LargestLease : public ::testing::Test {
 protected:
  static constexpr int kMost = conf::kMostLeasedHosts;
  void SetUp() override {
    for (int i = 0; i < 2 * kMost + 2; ++i) names.push_back(farm.add("h" + std::to_string(i)).name);
  }
  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> all;
    for (const Offer& offer : farm.offers()) all.push_back(offer.hosts.size());
    return all;
  }
  Farm farm;
  std::vector<std::string> names;
};

TEST_F(LargestLease, HasAsManyHostsAsItsConsumerAcceptsAndOthersLoseNone) {
  const int all = 3 * kMost;
  farm.policies = {chosen_by("type==LINUX", 2'000'000, {{"C1", 1}})};
  EXPECT_NE(problems_of(farm).find("a share of 2000000 hosts, expected at most 10000"), std::string::npos);
  farm.policies = {chosen_by("type==LINUX", all, {{"C1", 1}, {"C2", 1}})};
  EXPECT_EQ(sizes(), (std::vector<std::size_t>{kMost, kMost}));
  EXPECT_NE(problems_of(farm).find("cluster \"C1\" with a share of 15000 hosts, expected at most 10000"),
            std::string::npos);
  farm.policies = {chosen_by("type==LINUX", 2 * kMost, {{"C1", 1}, {"C2", 1}})};
  EXPECT_EQ(problems_of(farm), "") << "no part is too large";
}
TEST_F(LargestLease, HasNoMoreNamedHostsNorSlots) {
  farm.policies = {named(names, 4'000'000, {{"C1", 1}})};
  EXPECT_EQ(sizes(), (std::vector<std::size_t>{kMost}));
  EXPECT_EQ(farm.offers()[0].hosts[0].slots, conf::kMostLeasedSlots);
  EXPECT_NE(
      problems_of(farm).find("found 20002 hosts of one policy, expected at most 10000 for each cluster"),
      std::string::npos);
  EXPECT_NE(problems_of(farm).find(
                "cluster \"C1\" with a share of 4000000 slots of each host, expected at most 1000000"),
            std::string::npos);
}

// ---------------------------------------------------------------- shared resources

conf::SharedResourceExport app_x(int instances, std::vector<conf::Share> distribution) {
  return {"AppX", instances, std::move(distribution), {}};
}
ResourceInstance instance(double there, std::vector<std::string> hosts, bool dynamic = false) {
  ResourceInstance one;
  one.resource = "AppX";
  one.hosts = std::move(hosts);
  one.there = there;
  one.dynamic = dynamic;
  return one;
}
using Given = std::vector<LeasedResource>;

TEST(LeaseResources, AreDividedAmongConsumersThatHaveTheHosts) {
  Farm farm;
  farm.add("a");
  farm.policies = {named({"a"}, 2, {{"C1", 1}, {"C2", 1}})};
  const auto given = offered_resources({app_x(10, {{"C1", 30}, {"C2", 70}, {"C3", 900}, {"here", 5}})},
                                       "here", farm.offers(), {instance(40, {"a", "b"})});
  EXPECT_EQ(given, (std::vector<Given>{{{"AppX", 3, {"a"}}}, {{"AppX", 7, {"a"}}}}));
}
TEST(LeaseResources, AreNoMoreThanTheExportedHostsHave) {
  Farm farm;
  farm.add("a"), farm.add("b");
  farm.policies = {named({"a"}, 1, {{"C1", 1}})};
  EXPECT_EQ(offered_resources({app_x(10, {{"C1", 1}})}, "here", farm.offers(),
                              {instance(4, {"a"}), instance(9, {"b"})})[0],
            (Given{{"AppX", 4, {"a"}}}));
  EXPECT_EQ(offered_resources({app_x(2, {{"C1", 1}})}, "here", farm.offers(), {instance(4, {"a"})})[0],
            (Given{{"AppX", 2, {"a"}}}));
}
TEST(LeaseResources, WithoutAnExportedHostThereAreNone) {
  Farm farm;
  farm.add("a"), farm.add("b");
  farm.policies = {named({"a"}, 1, {{"C1", 1}})};
  EXPECT_TRUE(
      offered_resources({app_x(10, {{"C1", 1}})}, "here", farm.offers(), {instance(9, {"b"})})[0].empty());
}
TEST(LeaseResources, OfSeveralInstancesAConsumerHasTheLargestUntilItsHostsAreGone) {
  Farm farm;
  farm.add("a"), farm.add("b"), farm.add("c");
  farm.policies = {named({"a", "b", "c"}, 1, {{"C1", 1}})};
  std::vector<ResourceInstance> two{instance(2, {"a"}), instance(3, {"b", "c"})};
  const auto given = [&](const std::vector<HeldInstances>& held) {
    return offered_resources({app_x(10, {{"C1", 1}})}, "here", farm.offers(), two, held)[0];
  };
  EXPECT_EQ(given({}), (Given{{"AppX", 3, {"b", "c"}}}));
  EXPECT_EQ(given({{0, "C1", 0, 2}}), (Given{{"AppX", 2, {"a"}}})) << "jobs have those of a";
  two[0].hosts = {"elsewhere"};
  EXPECT_EQ(given({{0, "C1", 0, 2}}), (Given{{"AppX", 3, {"b", "c"}}}));
}
TEST(LeaseResources, NoInstanceIsGivenTwice) {
  Farm farm;
  farm.add("a"), farm.add("b");
  farm.policies = {named({"a"}, 1, {{"C1", 1}}), named({"b"}, 1, {{"C2", 1}})};
  const auto given = offered_resources({app_x(9, {{"C1", 1}, {"C2", 2}})}, "here", farm.offers(),
                                       {instance(2, {"a"}), instance(3, {"b"})});
  EXPECT_EQ(given, (std::vector<Given>{{{"AppX", 2, {"a"}}}, {{"AppX", 3, {"b"}}}}))
      << "5 in all, and no more of an instance than it has";
  EXPECT_EQ(offered_resources({app_x(1, {{"C1", 1}}), app_x(1, {{"C1", 1}})}, "here", farm.offers(),
                              {instance(2, {"a"})})[0],
            (Given{{"AppX", 1, {"a"}}}))
      << "the second policy for a resource is ignored";
}
// An elim tells what is free: it falls when jobs check their licences out, and nobody knows whose jobs these were.
TEST(LeaseResources, AValueThatFallsTakesNothingAndASmallerPolicyDoes) {
  Farm farm;
  farm.add("a");
  farm.policies = {named({"a"}, 1, {{"C1", 1}})};
  const auto given = [&](int most, double told) {
    return offered_resources({app_x(most, {{"C1", 1}})}, "here", farm.offers(), {instance(told, {"a"}, true)},
                             {{0, "C1", 0, 3}})[0];
  };
  EXPECT_EQ(given(4, 1), (Given{{"AppX", 3, {"a"}}})) << "one more is given when the value has four";
  EXPECT_EQ(given(4, 4), (Given{{"AppX", 4, {"a"}}}));
  EXPECT_EQ(given(4, 0), (Given{{"AppX", 3, {"a"}}})) << "jobs use them now, or others do";
  EXPECT_EQ(given(2, 0), (Given{{"AppX", 2, {"a"}}}));
}

}  // namespace
}  // namespace rollcall::sched::lease
