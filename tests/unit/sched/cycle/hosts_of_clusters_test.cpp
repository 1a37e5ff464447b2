// Two clusters with hosts of the same names: a host of ours and a borrowed one never meet in one number, slot count, limit or row
// of a file. What the jobs have is counted here by written name, from records as the store has them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

// h1 h2 h3 are ours; each has a borrowed namesake of other cpus.
constexpr int kOurCpus = 4, kTheirCpus = 2;
const std::vector<HostId> kBorrowed{HostId("h1@east"), HostId("h2@east"), HostId("h3@east"),
                                    HostId("h1@west")};
const std::string kSite =
    "Begin Host\nHOST_NAME MXJ JL/U\nh2 1 ()\ndefault ! ()\nEnd Host\n"
    "Begin Queue\nQUEUE_NAME = normal\nHOSTS = all allremote\nHJOB_LIMIT = 3\nEnd Queue\n"
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nh1 ok 4 0.1 0 1000\nh2 ok 4 0.1 0 1000\nh3 ok 4 0.1 "
    "0 1000\n"
    "End Machine\n";

// Every host is there, and has its facts and load.
Snapshot snapshot_of(const PlacementRules& ours) {
  const auto rules = placement_rules(ours.cluster, ours.lsb, kBorrowed);
  Snapshot snapshot(rules);
  for (HostNumber host = 0; host < rules->hosts.size(); ++host) {
    const HostId& id = rules->hosts[host];
    HostFacts facts = rules->cluster->facts(id.text());
    facts.type = "X86_64";
    facts.ncpus = id.ours() ? kOurCpus : kTheirCpus;
    snapshot.set_facts(host, facts);
    LoadVector load(rules->indices().size());
    for (ResourceId index = 0; index < load.size(); ++index) load[index].number = 0.1F;
    snapshot.set_load(host, load);
    snapshot.host(host).unavailable = snapshot.host(host).unreachable = false;
  }
  return snapshot;
}

int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

using SlotsByName = std::map<std::string, int>;

wire::JobRecord record_of(JobKey key, const Placement& placement) {
  wire::JobRecord record;
  set_key(*record.mutable_key(), key);
  record.set_status(wire::STATUS_RUN);
  put(placement, record);
  return record;
}

// The snapshot's counts are those of the records.
void check_counts(const Snapshot& snapshot, const std::vector<wire::JobRecord>& records) {
  SlotsByName slots, jobs;
  for (const auto& record : records)
    for (const auto& host : record.hosts()) {
      slots[host.name()] += static_cast<int>(host.slots());
      ++jobs[host.name()];
    }
  const auto& hosts = snapshot.rules().hosts;
  for (HostNumber host = 0; host < hosts.size(); ++host) {
    RC_ASSERT(snapshot.tallies().slots[host] == slots[hosts[host].text()]);
    RC_ASSERT(snapshot.tallies().jobs[host] == jobs[hosts[host].text()]);
    RC_ASSERT(snapshot.tallies().slots[host] <= *snapshot.slots(host));
    RC_ASSERT(snapshot.tallies().slots[host] <= 3);  // HJOB_LIMIT
  }
  RC_ASSERT(snapshot.broken_invariant() == "");
}

RC_GTEST_PROP(HostsOfClusters, NeverMeetInOneSlotCount, ()) {
  const Scenario scenario = scenario_of(kSite);
  Snapshot snapshot = snapshot_of(scenario.snapshot.rules());
  const PlacementRules& rules = snapshot.rules();
  RC_ASSERT(rules.hosts.size() == 7U);
  std::vector<wire::JobRecord> records;
  WallTime now = scenario.now;
  int id = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < pick(1, 8); ++i) {
      Demand demand;
      demand.queue = "normal";
      demand.user = pick(0, 1) == 0 ? "ann" : "bob";
      demand.min_slots = demand.max_slots = pick(1, 4);
      demand.resreq = "select[type == any] order[r15s]";
      for (int words = pick(0, 2); words > 0; --words) {
        const HostId& asked = rules.hosts[static_cast<HostNumber>(pick(0, 6))];
        demand.asked_hosts.push_back(
            {.name = std::string(asked.host()), .cluster = std::string(asked.cluster())});
      }
      snapshot.wait({.key = {++id, 0}, .demand = snapshot.demand(demand)});
    }
    const Plan plan = schedule(snapshot, now);
    for (const Dispatch& dispatch : plan.dispatches) {
      const Placement placement = by_name(rules, dispatch.placement);
      const auto& asked = snapshot.demand(dispatch.demand).asked_hosts;
      for (const auto& [host, slots] : placement.hosts)
        RC_ASSERT(asked.empty() || std::any_of(asked.begin(), asked.end(), [&host = host](const auto& item) {
                    return item.name == host.host() && item.cluster == host.cluster();
                  }));
      // As the record says it, which a restart reads.
      records.push_back(record_of(dispatch.job, placement));
      RC_ASSERT(by_number(rules, placement_of(records.back())).hosts == dispatch.placement.hosts);
    }
    apply(plan, now, snapshot);
    check_counts(snapshot, records);
    std::erase_if(records, [&](const wire::JobRecord& record) {
      const bool over = pick(0, 2) == 0;
      if (over) snapshot.forget(key_of(record.key()));
      return over;
    });
    check_counts(snapshot, records);
    now.us += 20'000'000;
  }
}

class TwoClusters : public ::testing::Test {
 protected:
  Scenario scenario = scenario_of(kSite);
  Snapshot snapshot = snapshot_of(scenario.snapshot.rules());
  const PlacementRules& rules = snapshot.rules();
  void wait_for(const char* host, const char* cluster, int first, int last) {
    Demand demand;
    demand.queue = "normal";
    demand.user = "ann";
    demand.resreq = "select[type == any] order[r15s]";
    demand.asked_hosts = {{.name = host, .cluster = cluster}};
    for (int id = first; id <= last; ++id) snapshot.wait({.key = {id, 0}, .demand = snapshot.demand(demand)});
  }
  std::string meant(const char* word) const {
    std::string names;
    for (const auto& host : rules.resolve(*conf::parse_host_items({word})))
      names += (names.empty() ? "" : " ") + rules.hosts[host.host].text();
    return names;
  }
};

TEST_F(TwoClusters, OursComeFirstAndEachHostHasItsNumber) {
  EXPECT_EQ(rules.host("h1"), 0U);
  EXPECT_EQ(rules.host("h1@east"), 3U);
  EXPECT_EQ(rules.host("h1@west"), 6U);
  EXPECT_EQ(rules.host("h1@north"), std::nullopt);
  EXPECT_EQ(rules.host("h2@west"), std::nullopt);
}

TEST_F(TwoClusters, NamesInAHostListMeanHostsOfOneCluster) {
  EXPECT_EQ(meant("h1"), "h1");
  EXPECT_EQ(meant("h1@east"), "h1@east");
  EXPECT_EQ(meant("h1@north"), "");
  EXPECT_EQ(meant("all"), "h1 h2 h3");
  EXPECT_EQ(meant("h1@lab"), "h1") << "our own cluster may be written";
  EXPECT_EQ(meant("all@lab"), "h1 h2 h3");
  EXPECT_EQ(meant("all@east"), "h1@east h2@east h3@east");
  EXPECT_EQ(meant("allremote"), "h1@east h2@east h3@east h1@west");
  EXPECT_EQ(meant("all@north"), "");
}

// They are no words; a job that an older release stored may have them.
TEST_F(TwoClusters, WordsForAllClustersWithAClusterMeanNoHost) {
  EXPECT_TRUE(rules.resolve({{.name = "allremote", .cluster = "east"}}).empty());
  EXPECT_TRUE(rules.resolve({{.name = "others", .cluster = "east"}}).empty());
}

TEST_F(TwoClusters, ARowOfLsbHostsIsForAHostOfOurs) {
  EXPECT_EQ(snapshot.slots(*rules.host("h2")), 1) << "MXJ of h2";
  EXPECT_EQ(snapshot.slots(*rules.host("h2@east")), kTheirCpus) << "the default row";
}

TEST_F(TwoClusters, PlansNameBorrowedHostsWithTheirCluster) {
  wait_for("h1", "west", 1, 1);
  const Plan plan = schedule(snapshot, scenario.now);
  EXPECT_EQ(starts(plan, snapshot), "1 h1@west") << why_text(snapshot, scenario.now, {1, 0});
  ASSERT_EQ(plan.dispatches.size(), 1U);
  const auto record = record_of({1, 0}, by_name(rules, plan.dispatches[0].placement));
  EXPECT_EQ(record.hosts(0).name(), "h1@west");
}

TEST_F(TwoClusters, EqualNamesFillUpEachForItself) {
  wait_for("h1", "", 1, 10);
  wait_for("h1", "east", 11, 20);
  const Plan plan = schedule(snapshot, scenario.now);
  EXPECT_EQ(starts(plan, snapshot), "1 h1, 2 h1, 3 h1, 11 h1@east, 12 h1@east")
      << "HJOB_LIMIT, and two slots";
}

}  // namespace
}  // namespace rollcall::sched::cycle
