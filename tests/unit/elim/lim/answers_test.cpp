// The master's answers: which hosts, in which order, which requests are refused, and that long answers come in parts.
#include "elim/policy/lim/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rollcall::lim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Refusal = wire::Reply::Refusal;
using Request = wire::Request;

constexpr const char* kShared = R"(Begin Cluster
ClusterName
test
End Cluster
Begin HostType
TYPENAME
X86_64
AARCH64
End HostType
Begin HostModel
MODELNAME CPUFACTOR ARCHITECTURE
PC 2.0 ()
End HostModel
Begin Resource
RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION
scratch Numeric 5 N (of each host)
licences Numeric 5 N (of all hosts)
rack String () () (static)
cage String () () (static, of a host)
patchrev Numeric () Y (static, of each host)
big Boolean () () (static)
desks Numeric () N (static, of hosts that are no servers too)
End Resource
)";
constexpr const char* kCluster = R"(Begin Host
HOSTNAME model type server RESOURCES
n1 PC X86_64 1 (big)
n2 PC X86_64 1 (cage=c7)
n3 PC AARCH64 1 ()
c1 PC X86_64 0 ()
End Host
Begin ResourceMap
RESOURCENAME LOCATION
scratch [default]
licences [all]
rack (left@[n1 n2] right@[n3])
desks (2@[n1 n2 c1])
patchrev (4@[default])
End ResourceMap
)";

conf::ClusterFiles files() {
  conf::FileSources sources;
  sources.env_dir = "/conf";
  sources.read = [](const std::string& path) -> Result<std::string> {
    if (path == "/conf/lsf.conf") return std::string("LSF_CLUSTER_NAME=test\n");
    if (path == "/conf/lsf.shared") return std::string(kShared);
    if (path == "/conf/lsf.cluster.test") return std::string(kCluster);
    return configuration_error(path + ": not there");
  };
  auto checked = conf::read_cluster_files(sources);
  for (const auto& problem : checked.problems.all())
    EXPECT_FALSE(problem.kind == conf::Problem::Kind::error) << problem.line();
  return checked.files ? std::move(*checked.files) : conf::ClusterFiles{};
}

class Answers : public testing::Test {
 protected:
  Answers() {
    lim.facts = host_facts("n1", 4);
    happened(event::FactsFound{lim.facts});
    happened(event::Started{});
    hears("n2", 1, 2.5F);
    hears("n3", 2, 2.1F);
    event::LoadSampled own;
    own.values.fill(1.0F);
    own.values[r15s] = 7;
    happened(own);
  }

  HostFacts host_facts(const std::string& name, int ncpus) {
    HostFacts facts = conf.facts(name);
    facts.ncpus = ncpus;
    facts.topology = "tree of " + name;
    return facts;
  }

  void happened(Event event) { step(lim, event, now); }

  void hears(const std::string& host, ConnectionId connection, float queue) {
    happened(event::PeerAccepted{connection, host, "run of " + host});
    happened(event::HostRegistered{connection, host_facts(host, 2), rules->digest});
    wire::ToLim::Report report;
    for (const char* name : {"r15s", "mem", "scratch"}) report.add_names(name);
    for (const std::uint32_t index : {0U, 1U, 2U}) report.add_index(index);
    for (const float value : {queue, 1000.0F, 7.0F}) report.add_value(value);
    report.mutable_condition();
    happened(event::HostReported{connection, report});
  }

  ClusterView view() const { return {lim, conf, shared, now}; }

  std::vector<std::string> names(const Chosen& chosen) const {
    EXPECT_FALSE(chosen.refused) << chosen.refused->refusal().text();
    std::vector<std::string> result;
    for (const auto& host : chosen.hosts) result.push_back(rules->hosts[host.host].name);
    return result;
  }
  static Request::AskLoad load(const std::string& resreq) {
    Request::AskLoad ask;
    ask.set_resreq(resreq);
    return ask;
  }

  conf::ClusterFiles conf = files();
  std::shared_ptr<const LimRules> rules = std::make_shared<LimRules>(lim_rules(conf, "n1", "digest"));
  SharedPlaces shared{conf, *rules};
  Lim lim{rules};
  TimePoint now{std::chrono::seconds(10)};
};

TEST_F(Answers, IdentityIsAnyLimsToGive) {
  const auto reply = identity_answer(lim, conf, {"1.2", "ann"});
  EXPECT_TRUE(reply.last());
  const auto& identity = reply.identity();
  EXPECT_EQ(identity.cluster(), "test");
  EXPECT_EQ(identity.master(), "n1");
  EXPECT_EQ(identity.first_candidate(), "n1");
  EXPECT_EQ(identity.administrator(), "root");
  EXPECT_EQ(identity.hosts(), 4U);
  EXPECT_EQ(identity.servers(), 3U);
  EXPECT_EQ(identity.hosts_up(), 3U);
  EXPECT_EQ(identity.caller(), "ann");
}

TEST_F(Answers, LoadIsOfServersTheLeastLoadedFirst) {
  EXPECT_THAT(names(choose(view(), load(""))), ElementsAre("n3", "n2", "n1"));
  EXPECT_THAT(names(choose(view(), load("order[-r15s]"))), ElementsAre("n1", "n2", "n3"));
}

TEST_F(Answers, ARequirementChooses) {
  EXPECT_THAT(names(choose(view(), load("scratch == 7"))), ElementsAre("n3", "n2"));
  EXPECT_THAT(names(choose(view(), load("big"))), ElementsAre("n1"));
  EXPECT_THAT(names(choose(view(), load("rack == left"))), ElementsAre("n2", "n1"));
  EXPECT_THAT(names(choose(view(), load("type == AARCH64 && status == ok"))), ElementsAre("n3"));
  EXPECT_THAT(names(choose(view(), load("ncpus >= 4 && cpuf == 2"))), ElementsAre("n1"));
  EXPECT_THAT(names(choose(view(), load("mem > 1000000"))), ElementsAre());
}

TEST_F(Answers, LocalIsTheAskingHostsType) {
  auto ask = load("");
  ask.set_default_local(true);
  ask.set_from_host("c1");
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n2", "n1"));
  ask.set_from_host("n3");
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3"));
}

TEST_F(Answers, ABrokenRequirementSaysWhere) {
  const auto chosen = choose(view(), load("mem > 5 && nonsense == 1"));
  ASSERT_TRUE(chosen.refused);
  EXPECT_EQ(chosen.refused->refusal().why(), Refusal::BAD_RESREQ);
  EXPECT_EQ(chosen.refused->refusal().offset(), 11U);
  const auto syntax = choose(view(), load("mem >"));
  ASSERT_TRUE(syntax.refused);
  EXPECT_EQ(syntax.refused->refusal().why(), Refusal::BAD_RESREQ);
}

TEST_F(Answers, AnUnknownHostIsNamed) {
  Request::AskLoad ask;
  ask.add_hosts("n2");
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n2"));
  ask.add_hosts("n9");
  const auto chosen = choose(view(), ask);
  ASSERT_TRUE(chosen.refused);
  EXPECT_EQ(chosen.refused->refusal().why(), Refusal::UNKNOWN_HOST);
  EXPECT_THAT(chosen.refused->refusal().text(), HasSubstr("n9"));
}

TEST_F(Answers, AHostThatIsAwayIsShownAndIsNotUsable) {
  happened(event::LinkEnded{1});
  happened(event::DialFailed{"n2", true});
  EXPECT_THAT(names(choose(view(), load(""))), ElementsAre("n3", "n1", "n2"));
  auto ask = load("");
  ask.set_only_usable(true);
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3", "n1"));
  std::size_t from = 0;
  const auto part = load_part(view(), load(""), choose(view(), load("")), from);
  EXPECT_TRUE(part->loads().hosts(2).status().unavailable());
  EXPECT_FALSE(known_load(part->loads().hosts(2).values(r15s)));
}

TEST_F(Answers, AHostWithoutItsResHasADashAndNothingIsPlacedThere) {
  wire::ToLim::Report report;
  report.mutable_condition()->set_res_down(true);
  happened(event::HostReported{1, report});
  auto ask = load("");
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3", "n2", "n1"));
  std::size_t from = 0;
  const auto part = load_part(view(), ask, choose(view(), ask), from);
  EXPECT_TRUE(part->loads().hosts(1).status().res_down());
  EXPECT_TRUE(known_load(part->loads().hosts(1).values(r15s))) << "its load is known all the same";
  ask.set_only_usable(true);
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3", "n1"));
  report.mutable_condition()->set_res_down(false);
  happened(event::HostReported{1, report});
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3", "n2", "n1"));
}

TEST_F(Answers, PlaceGivesOneSlotEachThenMore) {
  auto ask = load("");
  ask.set_only_usable(true);
  const auto slots = [&](std::uint32_t least, std::uint32_t most) {
    ask.set_place(least);
    ask.set_place_most(most);
    std::map<std::string, std::uint32_t> result;
    const auto chosen = choose(view(), ask);
    for (const auto& host : chosen.hosts) result[rules->hosts[host.host].name] = host.slots;
    EXPECT_EQ(chosen.refused.has_value(), chosen.hosts.empty());
    return result;
  };
  using Slots = std::map<std::string, std::uint32_t>;
  EXPECT_EQ(slots(1, 0), (Slots{{"n3", 1}}));
  EXPECT_EQ(slots(1, 2), (Slots{{"n3", 1}, {"n2", 1}}));
  EXPECT_EQ(slots(0, 0), (Slots{{"n3", 1}, {"n2", 1}, {"n1", 1}}));
  EXPECT_EQ(slots(5, 0), (Slots{{"n3", 2}, {"n2", 2}, {"n1", 1}}));
  EXPECT_EQ(slots(8, 0), (Slots{{"n3", 2}, {"n2", 2}, {"n1", 4}}));
  EXPECT_EQ(slots(9, 0), Slots{}) << "two, two and four CPUs";
}

TEST_F(Answers, HostsAreInTheFilesOrderWithWhatTheySaid) {
  Request::AskHosts ask;
  ask.set_topology(true);
  const auto chosen = choose(view(), ask);
  EXPECT_THAT(names(chosen), ElementsAre("n1", "n2", "n3", "c1"));
  std::size_t from = 0;
  const auto part = hosts_part(view(), ask, chosen, from);
  ASSERT_TRUE(part && part->last());
  EXPECT_FALSE(hosts_part(view(), ask, chosen, from)) << "no part after the last";
  EXPECT_EQ(part->hosts().hosts(1).ncpus(), 2);
  EXPECT_EQ(part->hosts().hosts(1).topology(), "tree of n2");
  EXPECT_TRUE(part->hosts().up(2));
  EXPECT_FALSE(part->hosts().up(3));
}

TEST_F(Answers, ColumnsAreTheIndicesOfEachHost) {
  std::size_t from = 0;
  const auto chosen = choose(view(), load(""));
  const auto part = load_part(view(), load(""), chosen, from);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->loads().names_size(), static_cast<int>(kBuiltInIndices) + 1);
  EXPECT_EQ(part->loads().names(kBuiltInIndices), "scratch");
  const auto& n3 = part->loads().hosts(0);
  EXPECT_EQ(n3.values(kBuiltInIndices), 7.0F);
  EXPECT_EQ(n3.age_ms(kBuiltInIndices), 0U);
  EXPECT_EQ(n3.age_ms(ut), 4294967295U) << "never told";
}

// lsload, -E and -N: n1 has four CPUs, n3 two; both have factor 2.
TEST_F(Answers, RunQueuesAreInTheFormThatIsAskedFor) {
  const auto queues = [&](Request::AskLoad::Queue form) {
    auto ask = load("order[-r15s]");
    ask.set_queue(form);
    std::size_t from = 0;
    const auto part = load_part(view(), ask, choose(view(), ask), from);
    EXPECT_EQ(part->loads().hosts(0).host(), "n1");
    EXPECT_EQ(part->loads().hosts(2).host(), "n3");
    EXPECT_EQ(part->loads().hosts(2).values(mem), 1000.0F) << "other indices have one form";
    return std::pair(part->loads().hosts(0).values(r15s), part->loads().hosts(2).values(r15s));
  };
  using testing::FloatEq;
  using testing::Pair;
  EXPECT_THAT(queues(Request::AskLoad::RAW), Pair(FloatEq(7), FloatEq(2.1F)));
  EXPECT_THAT(queues(Request::AskLoad::EFFECTIVE), Pair(FloatEq(7 / 4.0F), FloatEq(2.1F / 2)));
  EXPECT_THAT(queues(Request::AskLoad::NORMALISED), Pair(FloatEq(8 / 4.0F / 2), FloatEq(3.1F / 2 / 2)));
}

TEST_F(Answers, SharedResourcesByInstance) {
  Request::AskShared ask;
  const auto fixed = shared_answer(view(), ask);
  ASSERT_EQ(fixed.size(), 1U);
  ASSERT_EQ(fixed[0].shareds().shareds_size(), 7);
  EXPECT_EQ(fixed[0].shareds().shareds(0).value(), "left");
  EXPECT_THAT(fixed[0].shareds().shareds(0).hosts(), ElementsAre("n1", "n2"));
  ask.set_dynamic(true);
  const auto moving = shared_answer(view(), ask);
  ASSERT_EQ(moving[0].shareds().shareds_size(), 1);
  EXPECT_EQ(moving[0].shareds().shareds(0).value(), "-");
  EXPECT_TRUE(moving[0].shareds().shareds(0).all());
  ask.add_resources("nothing");
  EXPECT_TRUE(shared_answer(view(), ask)[0].has_refusal());
}

// As many hosts as there are servers, and one of them is none.
TEST_F(Answers, AResourceIsOfAllHostsOnlyIfEachServerSharesIt) {
  Request::AskShared ask;
  ask.add_resources("desks");
  const auto said = shared_answer(view(), ask);
  ASSERT_EQ(said[0].shareds().shareds_size(), 1);
  EXPECT_FALSE(said[0].shareds().shareds(0).all());
  EXPECT_THAT(said[0].shareds().shareds(0).hosts(), ElementsAre("n1", "n2", "c1"));
}

TEST_F(Answers, StaticValuesOfOneHostHaveARowOfTheirOwn) {
  Request::AskShared ask;
  ask.add_resources("cage");
  ask.add_resources("patchrev");
  const auto said = shared_answer(view(), ask);
  std::vector<std::string> rows;
  for (const auto& row : said[0].shareds().shareds()) {
    ASSERT_EQ(row.hosts_size(), 1);
    EXPECT_FALSE(row.all());
    rows.push_back(row.resource() + " " + row.value() + " " + row.hosts(0));
  }
  EXPECT_THAT(rows, ElementsAre("cage c7 n2", "patchrev 4 n1", "patchrev 4 n2", "patchrev 4 n3"));
}

TEST_F(Answers, AsManyHostsAsAskedForTheBestOnes) {
  auto ask = load("");
  ask.set_most(2);
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3", "n2"));
  ask.set_most(9);
  EXPECT_THAT(names(choose(view(), ask)), ElementsAre("n3", "n2", "n1"));
}

TEST_F(Answers, ClusterHasAllThatASchedulerNeeds) {
  auto progress = begin_cluster_answer(view());
  wire::Reply whole;
  bool last = false;
  while (const auto part = cluster_part(view(), progress)) {
    EXPECT_FALSE(last) << "a part after the last";
    last = part->last();
    whole.MergeFrom(*part);
  }
  EXPECT_TRUE(last);
  const auto& cluster = whole.cluster();
  ASSERT_EQ(cluster.hosts().hosts_size(), 4);
  EXPECT_EQ(cluster.hosts().hosts(3).name(), "c1");
  EXPECT_EQ(cluster.hosts().hosts(1).ncpus(), 2);

  // The loads are those of AskLoad's two forms.
  for (const auto form : {Request::AskLoad::EFFECTIVE, Request::AskLoad::NORMALISED}) {
    auto ask = load("");
    ask.set_queue(form);
    std::size_t from = 0;
    const auto expected = load_part(view(), ask, choose(view(), ask), from);
    ASSERT_EQ(cluster.loads().hosts_size(), expected->loads().hosts_size());
    for (int host = 0; host < cluster.loads().hosts_size(); ++host) {
      const auto& told = cluster.loads().hosts(host);
      const auto& one = expected->loads().hosts(host);
      EXPECT_EQ(told.host(), one.host());
      ASSERT_EQ(told.normalised_size(), 3);
      for (int queue = 0; queue < 3; ++queue)
        EXPECT_EQ(form == Request::AskLoad::EFFECTIVE ? told.values(queue) : told.normalised(queue),
                  one.values(queue));
      EXPECT_EQ(told.values(mem), one.values(mem));
    }
  }
  ASSERT_EQ(cluster.shareds().shareds_size(), 1);
  EXPECT_EQ(cluster.shareds().shareds(0).value(), "-");
}

TEST_F(Answers, FollowerNamesTheMaster) {
  Lim other(std::make_shared<LimRules>(lim_rules(conf, "n2", "digest")));
  const auto reply = not_master_answer(other);
  EXPECT_EQ(reply.refusal().why(), Refusal::NOT_MASTER);
  EXPECT_EQ(reply.refusal().master(), "");
}

}  // namespace
}  // namespace rollcall::lim
