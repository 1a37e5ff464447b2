// What another cluster says of a lease: what can be true is believed, all else is an error of one line.
#include "sched/policy/peers/lease_messages.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rollcall::sched::peers {
namespace {

lease::ProviderLease lent() {
  lease::ProviderLease lease{
      .id = {"east", 3}, .consumer = "west", .phase = lease::Phase::active, .number = {7, 2}};
  lease.hosts = {{{"a", 2, 100, std::nullopt, false}, 2}, {{"b", 4, std::nullopt, 50, true}, 4}};
  lease.resources = {{{"AppX", 3, {"b"}}, 3}};
  return lease;
}
wire::LeaseStands stands() { return stands_of(lent()).lease_stands(); }

TEST(LeaseMessages, TellHowALeaseStands) {
  const auto told = believed(stands());
  ASSERT_TRUE(told) << told.error().text;
  EXPECT_EQ(told->lease, 3u);
  EXPECT_EQ(told->told.phase, lease::Phase::active);
  EXPECT_EQ(told->told.number, (lease::GrantNumber{7, 2}));
  EXPECT_EQ(told->told.hosts, lease::told_hosts(lent()));
  EXPECT_EQ(told->told.hosts[0], (lease::LeasedHost{"a", 2, 100, std::nullopt, false, true}));
  EXPECT_EQ(told->told.hosts[1], (lease::LeasedHost{"b", 4, std::nullopt, 50, true, true}));
  EXPECT_EQ(told->told.resources, (std::vector<lease::LeasedResource>{lent().resources[0].has}));
}
TEST(LeaseMessages, AHostWithoutSlotsIsKnownOnlyWhereItsProviderSaysThatItStays) {
  lease::ProviderLease lease = lent();
  lease.hosts[0].has.slots = lease.hosts[0].wanted = 0;
  auto said = stands_of(lease).lease_stands();
  EXPECT_TRUE(believed(said)->told.hosts[0].known());
  said.mutable_hosts(0)->clear_stays();  // an older release
  EXPECT_FALSE(believed(said)->told.hosts[0].known());
  EXPECT_TRUE(believed(said)->told.hosts[1].known());
  EXPECT_FALSE(row_of({lease, "PER_HOST a", ""}).hosts(0).has().stays()) << "it follows from the row";
}
TEST(LeaseMessages, TellEveryState) {
  for (const auto phase : {lease::Phase::offered, lease::Phase::requested, lease::Phase::active,
                           lease::Phase::recalling, lease::Phase::inactive, lease::Phase::returned}) {
    lease::ProviderLease lease = lent();
    lease.phase = phase;
    EXPECT_EQ(believed(stands_of(lease).lease_stands())->told.phase, phase);
  }
}

TEST(LeaseMessages, ARowOfTheStoreHasAllOfALeaseButWhatTheConsumerSaid) {
  lease::LeaseOfPolicy of{lent(), "PER_HOST a", "PER_HOST a; SLOTS 2"};
  of.lease.hosts[0].kills = true;
  of.lease.hosts[1].wanted = 3;
  of.lease.withdrawn = true;
  of.lease.hosts[1].told = 2;
  const auto read = lease_of(row_of(of), "east");
  ASSERT_TRUE(read);
  EXPECT_EQ(row_of(*read).SerializeAsString(), row_of(of).SerializeAsString());
  EXPECT_EQ(read->lease.id, of.lease.id);
  EXPECT_EQ(read->lease.number, of.lease.number);
  EXPECT_EQ(read->lease.hosts[1].told, 0);
  EXPECT_EQ(read->lease.resources[0].has, of.lease.resources[0].has);
  EXPECT_EQ(read->lease.resources[0].wanted, 3) << "nothing is taken before the policy is known";
  EXPECT_FALSE(lease_of(wire::LeaseRow(), "east"));
}
// Else it would count as the consumer's after a restart, under a number by which it was told to have none.
TEST(LeaseMessages, ARowOfTheStoreSaysWhichResourcesHaveLeft) {
  lease::LeaseOfPolicy of{lent(), "PER_HOST a", ""};
  of.lease.phase = lease::Phase::active;
  of.lease.resources[0].wanted = 0;
  ASSERT_TRUE(has_left(of.lease, of.lease.resources[0]));
  const auto read = lease_of(row_of(of), "east");
  ASSERT_TRUE(read);
  EXPECT_TRUE(has_left(read->lease, read->lease.resources[0]));
  EXPECT_EQ(read->lease.resources[0].has, of.lease.resources[0].has);
}
TEST(LeaseMessages, ToldHostsAreBounded) {
  wire::LeaseLoads told;
  auto& host = *told.add_hosts();
  host.mutable_facts()->set_name("a");
  host.mutable_facts()->set_type("X86_64");
  host.add_names("mem");
  host.add_values(100);
  host.set_locked(true);
  const auto hosts = believed(told);
  ASSERT_TRUE(hosts) << hosts.error().text;
  EXPECT_EQ((*hosts)[0].host, "a");
  EXPECT_EQ((*hosts)[0].told.facts.type, "X86_64");
  EXPECT_EQ((*hosts)[0].told.numbers.at("mem"), 100);
  EXPECT_TRUE((*hosts)[0].told.closed);
  host.add_names("swp");
  EXPECT_FALSE(believed(told)) << "a name without a value";
  host.add_values(1);
  host.mutable_facts()->set_name("a b");
  EXPECT_FALSE(believed(told));
  host.mutable_facts()->set_name("a");
  host.mutable_facts()->set_model(std::string(100'000, 'x'));
  EXPECT_FALSE(believed(told));
}

TEST(LeaseMessages, ToldHostsHaveAgesAndAStatusWithinTheirIndices) {
  wire::LeaseLoads told;
  auto& host = *told.add_hosts();
  host.mutable_facts()->set_name("a");
  for (const char* index : {"mem", "r1m", "ut"}) {
    host.add_names(index);
    host.add_values(1);
  }
  for (const auto age : {1500U, 4294967295U}) host.add_age_ms(age);
  for (const auto place : {1U, 99U}) host.add_beyond(place);
  host.mutable_status()->set_busy(true);
  host.set_unavailable(true);
  auto hosts = believed(told);
  ASSERT_TRUE(hosts) << hosts.error().text;
  EXPECT_EQ((*hosts)[0].age_ms, (std::map<std::string, std::uint32_t>{{"mem", 1500}}));
  EXPECT_EQ((*hosts)[0].beyond, std::vector<std::string>{"r1m"});
  EXPECT_TRUE((*hosts)[0].status.busy());
  EXPECT_TRUE((*hosts)[0].status.unavailable());
  for (int i = 0; i < 5; ++i) host.add_beyond(1);
  EXPECT_FALSE(believed(told)) << "more indices than there are";
}
TEST(LeaseMessages, ReservationsThatCannotBeTrueAreLeftOut) {
  google::protobuf::RepeatedPtrField<wire::LentResource> told;
  const auto add = [&](const char* name, double amount) {
    told.Add()->set_name(name);
    told.rbegin()->set_amount(amount);
  };
  add("AppX", 2);
  add("", 1);
  add("AppY", -1);
  add("AppZ", 1e300);
  const auto taken = believed_of_reserved(told);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].name(), "AppX");
}

// Each changes a good message into one that cannot be true.
template <class Change>
std::string error_of(const Change& change) {
  wire::LeaseStands told = stands();
  change(told);
  const auto result = believed(told);
  return result ? "" : result.error().text;
}
TEST(LeaseMessages, RefuseWhatCannotBeTrue) {
  EXPECT_EQ(error_of([](auto& told) { told.set_lease(0); }), "lease: found \"0\", expected a number from 1");
  EXPECT_NE(error_of([](auto& told) { told.set_state(static_cast<wire::LeaseStands::State>(99)); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_host("a b"); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_host("a@west"); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_host("b"); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_slots(-1); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_slots(kMostLeasedSlots + 1); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_memory_mb(-5); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_hosts(0)->set_swap_mb(-5); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_resources(0)->set_name("\x1b[2J"); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_resources(0)->set_instances(-1); }), "");
  EXPECT_NE(error_of([](auto& told) { told.mutable_resources(0)->add_hosts("c"); }), "");
  EXPECT_NE(error_of([](auto& told) { *told.add_resources() = told.resources(0); }), "");
  EXPECT_NE(error_of([](auto& told) {
              for (int i = 0; i <= kMostHostsOfResources; ++i) told.mutable_resources(0)->add_hosts("b");
            }).find("hosts of resources"),
            std::string::npos);
  EXPECT_NE(error_of([](auto& told) {
              while (told.hosts_size() <= kMostLeasedHosts) *told.add_hosts() = told.hosts(0);
            }),
            "");
}

// A resource may have any bytes but control characters in its name, as in lsf.shared.
TEST(LeaseMessages, RefuseAResourceInPrintableText) {
  wire::LeaseStands told = stands();
  told.mutable_resources(0)->set_name("App\x9b");
  told.mutable_resources(0)->add_hosts("no host of the lease");
  const auto refused = believed(told);
  ASSERT_FALSE(refused);
  for (const char c : refused.error().text) EXPECT_TRUE(c >= ' ' && c <= '~') << refused.error().text;
}

TEST(LeaseMessages, AnswerWithWhatIsUsed) {
  lease::ConsumerLease lease{.id = {"east", 3}, .wants = true};
  const auto answer = believed(answer_of(lease, {7, 2}, {{"a", 1}}, {{"b", 3}}).lease_answer());
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_TRUE(answer->wants);
  EXPECT_EQ(answer->acknowledged.number, (lease::GrantNumber{7, 2}));
  EXPECT_EQ(answer->acknowledged.uses, (std::map<std::string, int>{{"a", 1}}));
  EXPECT_EQ(answer->acknowledged.limits, (std::map<std::string, int>{{"b", 3}}));
}
TEST(LeaseMessages, RefuseAnAnswerThatCannotBeTrue) {
  lease::ConsumerLease lease{.id = {"east", 3}};
  wire::LeaseAnswer told = answer_of(lease, {}, {{"a", 1}}).lease_answer();
  told.mutable_uses(0)->set_slots(-1);
  EXPECT_FALSE(believed(told));
  told.mutable_uses(0)->set_slots(1);
  *told.add_uses() = told.uses(0);
  EXPECT_FALSE(believed(told));
  told = answer_of(lease, {}, {}, {{"a", -1}}).lease_answer();
  EXPECT_FALSE(believed(told)) << "a limit";
}

// A release that tells no hosts of a resource means all of the lease.
TEST(LeaseMessages, CountTheHostsOfAResourceThatNamesNone) {
  wire::LeaseStands told;
  told.set_lease(5);
  told.set_state(wire::LeaseStands::ACTIVE);
  for (int host = 0; host < 5'000; ++host) told.add_hosts()->set_host("h" + std::to_string(host));
  const int most = kMostHostsOfResources / 5'000;
  for (int resource = 0; resource <= most; ++resource) {
    auto& one = *told.add_resources();
    one.set_name("r" + std::to_string(resource));
    one.set_instances(1);
  }
  EXPECT_FALSE(believed(told));
  told.mutable_resources()->RemoveLast();
  EXPECT_TRUE(believed(told));
}

TEST(LeaseLoads, AreAsManyMessagesAsTheyTake) {
  std::vector<wire::LeaseLoads::OfHost> hosts(5);
  for (auto& host : hosts) host.mutable_facts()->set_name(std::string(98, 'n'));  // over 100 bytes each
  const auto messages = loads_of(hosts, 200);
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].lease_loads().hosts_size(), 2);
  EXPECT_TRUE(messages[0].lease_loads().more() && messages[1].lease_loads().more());
  EXPECT_EQ(messages[2].lease_loads().hosts_size(), 1);
  EXPECT_FALSE(messages[2].lease_loads().more());
  EXPECT_TRUE(loads_of({}).empty());
  const auto many = loads_of(std::vector<wire::LeaseLoads::OfHost>(kMostLeasedHosts + 1));
  ASSERT_EQ(many.size(), 2U) << "as many hosts as one may have";
  EXPECT_EQ(many[0].lease_loads().hosts_size(), kMostLeasedHosts);
}

TEST(LeaseLoads, OfNoFiniteValueAreNone) {
  wire::LeaseLoads told;
  auto& host = *told.add_hosts();
  host.mutable_facts()->set_name("n2");
  for (const char* name : {"mem", "swp", "ut"}) host.add_names(name);
  host.add_values(std::numeric_limits<float>::infinity());
  host.add_values(std::numeric_limits<float>::quiet_NaN());
  host.add_values(0.5F);
  const auto hosts = believed(told);
  ASSERT_TRUE(hosts);
  EXPECT_EQ(hosts->at(0).told.numbers.size(), 1U);
}

}  // namespace
}  // namespace rollcall::sched::peers
