// could_use() against the cycle: random groups, units and partitions of lsb.hosts, HOSTS and bsub -m are asked of before hosts are borrowed,
// and resolved by PlacementRules when they are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sched/policy/cycle/host_search.hpp"
#include "sched/policy/cycle/lendable.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

using Words = std::vector<std::string>;

int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}
bool one_in(int many) { return pick(1, many) == 1; }
const std::string& one_of(const Words& words) {
  return words[static_cast<std::size_t>(pick(0, static_cast<int>(words.size()) - 1))];
}

// h1 h2 h3 are ours. Each pattern below matches a host that may be borrowed, of either cluster.
const Words kBorrowed{"b1@east", "b2@east", "c1@east", "h1@east", "b1@west", "b2@west", "c1@west", "h1@west"};
const Words kPatterns{"b*", "b[1-2]", "b[2]", "h*", "*"};
// A group may have the name of a host of ours, which ckconfig warns of: the host counts.
const Words kGroups{"g1", "g2", "g3", "g4", "h3"};
const Words kUnits{"u1", "u2", "g4"}, kPartitions{"p1", "p2"};
const std::string kOwn = "lab";

Words all_groups() {
  Words names = kGroups;
  for (const auto* more : {&kUnits, &kPartitions}) names.insert(names.end(), more->begin(), more->end());
  return names;
}

// What is drawn. simple: each word names hosts that may be borrowed or none of a cluster, and only all hosts of a cluster, or of all clusters,
// are excluded.
enum class Draw { any, simple };

std::string plain_member(Draw what) {
  if (one_in(3)) return one_of(all_groups());
  if (one_in(2)) return one_of(kPatterns);
  if (what == Draw::any && one_in(6)) return "z*";
  return one_of({"allremote", "all", "h1", "h2", "unknown"});
}
std::string member(Draw what) {
  if (!one_in(4)) return plain_member(what);
  return "~" + (what == Draw::any ? plain_member(what) : one_of({"allremote", "*", "all", "h1"}));
}
Words members(Draw what) {
  Words words;
  for (int count = pick(1, 3); count > 0; --count) words.push_back(member(what));
  return words;
}

conf::HostItem plain_item(Draw what) {
  conf::HostItem item;
  if (one_in(2)) {
    item.name = one_of(all_groups());
    if (one_in(6)) item.cluster = kOwn;
  } else if (one_in(2)) {
    item.name = one_of({"all", "b1", "c1", "h1"});
    if (what == Draw::any && one_in(4)) item.name = one_of({"h3", "other"});
    item.cluster = one_of({"east", "west", kOwn, "north"});
  } else {
    item.name = one_of({"all", "allremote", "allremote", "others", "h1", "b1", "unknown"});
  }
  return item;
}
conf::HostItem whole_item() {
  conf::HostItem item;
  item.name = one_of({"all", "allremote", "h1"});
  if (item.name == "all" && !one_in(3)) item.cluster = one_of({"east", "west", kOwn});
  return item;
}
std::vector<conf::HostItem> items(Draw what, int least) {
  std::vector<conf::HostItem> items;
  for (int count = pick(least, 3); count > 0; --count) {
    const bool excluded = one_in(4);
    items.push_back(excluded && what == Draw::simple ? whole_item() : plain_item(what));
    items.back().excluded = excluded;
  }
  return items;
}

struct Drawn {
  std::shared_ptr<const conf::ClusterFiles> cluster;
  std::shared_ptr<const conf::LsbFiles> lsb;
  Demand demand;
};

Drawn draw(Draw what) {
  static const Scenario scenario = scenario_of(
      "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\nBegin Machine\nHOST_NAME STATUS NCPUS\nh1 ok 2\nh2 ok 2\n"
      "h3 ok 2\nEnd Machine\n");
  const PlacementRules& plain = scenario.snapshot.rules();
  auto cluster = std::make_shared<conf::ClusterFiles>(*plain.cluster);
  cluster->cluster.name = kOwn;
  for (const char* name : {"east", "west"})
    if (!one_in(4)) {
      conf::RemoteCluster& row = cluster->cluster.remote_clusters.emplace_back();
      row.name = name;
      row.receive_from = !one_in(4);
    }
  auto lsb = std::make_shared<conf::LsbFiles>(*plain.lsb);
  auto& hosts = lsb->hosts;
  for (const std::string& name : kGroups)
    if (!one_in(5)) {
      conf::HostGroup& row = hosts.groups.emplace_back();
      row.name = name;
      row.members = members(what);
    }
  for (const std::string& name : kUnits)
    if (one_in(2)) {
      conf::ComputeUnit& row = hosts.compute_units.emplace_back();
      row.name = name;
      row.members = members(what);
    }
  for (const std::string& name : kPartitions)
    if (one_in(2)) {
      conf::HostPartition& row = hosts.partitions.emplace_back();
      row.name = name;
      row.hosts = items(what, 1);
      for (auto& item : row.hosts) item.cluster.clear();
    }
  if (one_in(4)) {
    conf::UserMapping& row = lsb->users.mappings.emplace_back();
    row.local = {"root"};
    row.remote = {"games@" + one_of({"east", "west"})};
    row.direction = conf::UserMapping::Direction::export_jobs;
  }
  lsb->queues.front().hosts = items(what, one_in(8) ? 0 : 1);
  Drawn drawn{cluster, lsb, {}};
  drawn.demand.queue = "normal";
  drawn.demand.user = one_in(6) ? "root" : "ann";
  drawn.demand.min_slots = drawn.demand.max_slots = one_in(4) ? 2 : 1;
  drawn.demand.resreq = "select[type == any]";
  if (one_in(3)) drawn.demand.asked_hosts = items(what, 1);
  return drawn;
}

void show(const Drawn& drawn) {
  const auto words = [](const std::vector<conf::HostItem>& items) {
    std::string text;
    for (const auto& item : items) text += " " + conf::name_of(item);
    return text;
  };
  const auto row = [](const auto& of) {
    std::string text = of.name + " (";
    for (const auto& word : of.members) text += " " + word;
    RC_LOG() << text + " )" << std::endl;
  };
  for (const auto& of : drawn.lsb->hosts.groups) row(of);
  for (const auto& of : drawn.lsb->hosts.compute_units) row(of);
  for (const auto& of : drawn.lsb->hosts.partitions) RC_LOG() << of.name << words(of.hosts) << std::endl;
  RC_LOG() << "HOSTS" << words(drawn.lsb->queues.front().hosts) << std::endl;
  RC_LOG() << "-m" << words(drawn.demand.asked_hosts) << std::endl;
}

// Every host is there, and has its facts and load.
Snapshot with_hosts(const Drawn& drawn, const std::vector<HostId>& borrowed) {
  Snapshot snapshot(placement_rules(drawn.cluster, drawn.lsb, borrowed));
  const auto& rules = snapshot.rules();
  for (HostNumber host = 0; host < rules.hosts.size(); ++host) {
    HostFacts facts = rules.cluster->facts(rules.hosts[host].text());
    facts.type = "X86_64";
    facts.ncpus = 2;
    snapshot.set_facts(host, facts);
    LoadVector load(rules.indices().size());
    for (ResourceId index = 0; index < load.size(); ++index) load[index].number = 0.1F;
    snapshot.set_load(host, load);
    snapshot.host(host).unavailable = snapshot.host(host).unreachable = false;
  }
  return snapshot;
}

// Clusters of which the cycle would give the job a host.
std::set<std::string> used(const Drawn& drawn, const std::vector<HostId>& borrowed) {
  Snapshot snapshot = with_hosts(drawn, borrowed);
  const auto& entry = snapshot.demands()[snapshot.demand(drawn.demand)];
  const WorkingState state(snapshot, WallTime{});
  const HostSearch search(state);
  std::set<std::string> clusters;
  for (HostNumber host = snapshot.rules().own_hosts; host < snapshot.rules().hosts.size(); ++host)
    if (search.suits(entry, host).slots > 0) clusters.emplace(snapshot.rules().hosts[host].cluster());
  return clusters;
}

constexpr int kRounds = 10;

RC_GTEST_PROP(Lendable, AJobThatGetsABorrowedHostWasSaidToUseItsCluster, ()) {
  int uses = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Drawn drawn = draw(Draw::any);
    const auto before = placement_rules(drawn.cluster, drawn.lsb);
    std::vector<HostId> borrowed;
    for (const std::string& host : kBorrowed)
      if (!one_in(3)) borrowed.emplace_back(host);
    for (const std::string& name : used(drawn, borrowed)) {
      ++uses;
      if (could_use(*before, drawn.demand, name)) continue;
      show(drawn);
      RC_FAIL(name + " lends a host to the job, and was not said to");
    }
  }
  RC_CLASSIFY(uses > 0);
}

// What other hosts an exclusion leaves is not looked at before they are borrowed, nor whether HOSTS and -m name the same ones.
RC_GTEST_PROP(Lendable, AClusterThatAJobIsSaidToUseHasAHostForIt, ()) {
  for (int round = 0; round < kRounds; ++round) {
    Drawn drawn = draw(Draw::simple);
    if (one_in(2)) {
      drawn.demand.asked_hosts.clear();
    } else {
      auto lsb = std::make_shared<conf::LsbFiles>(*drawn.lsb);
      lsb->queues.front().hosts = *conf::parse_host_items({"all", "allremote"});
      drawn.lsb = lsb;
    }
    const auto before = placement_rules(drawn.cluster, drawn.lsb);
    const auto clusters = used(drawn, {kBorrowed.begin(), kBorrowed.end()});
    for (const char* name : {"east", "west"}) {
      if (could_use(*before, drawn.demand, name) == clusters.contains(name)) continue;
      show(drawn);
      RC_FAIL(std::string(name) + " is said to have a host for the job and has none, or the other way round");
    }
  }
}

}  // namespace
}  // namespace rollcall::sched::cycle
