// Seeded schedules of faults over whole clusters of LIMs. When the faults have stopped and the promised times are over,
// every part of the network has the master it should have, that master knows who is there, and elims run once.
// ROLLCALL_SIM_SEEDS=N runs so many seeds; a failure names its seed, and its trace is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/sim/lim_world.hpp"

namespace rollcall::lim::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LimRules random_rules(std::mt19937_64& random, std::size_t nodes) {
  LimRules rules;
  for (std::size_t i = 0; i < nodes; ++i) rules.hosts.push_back({"h" + std::to_string(i)});
  std::vector<std::string> names;
  for (const auto& host : rules.hosts) names.push_back(host.name);
  std::shuffle(names.begin(), names.end(), random);
  names.resize(1 + random() % nodes);
  rules.candidates = names;
  rules.exchange_interval = seconds(1);
  rules.host_inactivity_limit = 2 + static_cast<int>(random() % 4);
  rules.master_inactivity_limit = 1 + static_cast<int>(random() % 2);
  for (const char* name : {"nio", "licenses", "scratch"})
    rules.indices.add({name, ResourceType::numeric, ResourceOrder::increasing, 15});
  const ResourceId nio = rules.indices.built_in();
  if (random() % 2) rules.resource_map.each_host.push_back(nio);
  rules.resource_map.shared.push_back({nio + 1, {}, true});
  for (int bracket = 0; bracket < 2; ++bracket) {
    std::vector<HostIndex> hosts;
    for (std::size_t i = 0; i < nodes; ++i)
      if (random() % 2) hosts.push_back(static_cast<HostIndex>(i));
    std::shuffle(hosts.begin(), hosts.end(), random);
    rules.resource_map.shared.push_back({nio + 2, hosts, false});
  }
  rules.index_names();
  return rules;
}

// One seed's cluster, with what may happen to it and what must be true of it.
class Story {
 public:
  Story(std::uint64_t seed, bool trace) : random_(seed), world_(settings(seed, trace)) {
    for (Node node = 0; node < world_.size(); ++node)
      if (random_() % 8 != 0) world_.start(node);
  }

  // "" where all went as promised.
  std::string told() {
    for (int chapter = 0; chapter < 2; ++chapter) {
      const int faults = static_cast<int>(random_() % 10);
      for (int i = 0; i < faults; ++i) {
        world_.run_for(milliseconds(random_() % 4000));
        fault();
      }
      world_.run_for(settling());
      if (std::string wrong = judge(); !wrong.empty()) return wrong;
      const std::size_t before = world_.commotion();
      world_.run_for(rules_.inactivity() * 2);
      if (std::string wrong = judge(); !wrong.empty()) return wrong + " (later)";
      if (world_.commotion() != before) return "a calm cluster goes on changing its orders";
    }
    return "";
  }
  const World& world() const { return world_; }

 private:
  WorldSettings settings(std::uint64_t seed, bool trace) {
    WorldSettings s;
    s.seed = seed * 7919 + 1;
    s.nodes = 4 + random_() % 9;
    s.rules = rules_ = random_rules(random_, s.nodes);
    s.trace = trace;
    return s;
  }

  void fault() {
    const Node node = random_() % world_.size();
    switch (random_() % 11) {
      case 0:
        return world_.kill(node);
      case 1:
        world_.kill(node);
        return world_.start(node);
      case 2:
        return world_.power_off(node);
      case 3:
        world_.power_on(node);
        return world_.start(node);
      case 4:
        return world_.stop(node);
      case 5:
        return world_.cont(node);
      case 6: {
        std::vector<int> parts;
        for (Node i = 0; i < world_.size(); ++i) parts.push_back(static_cast<int>(random_() % 2));
        return world_.split(parts);
      }
      case 7:
        return world_.split(std::vector<int>(world_.size(), 0));
      case 8:
        for (Node i = 0; i < world_.size(); ++i) {
          world_.power_on(i);
          world_.start(i);
          world_.cont(i);
        }
        return;
      case 9:
        rules_ = random_rules(random_, world_.size());
        return world_.reconfigure(rules_);
      default: {  // the master of the moment
        for (Node i = 0; i < world_.size(); ++i)
          if (world_.living(i) && world_.lim(i).role == Role::master)
            return random_() % 2 ? world_.kill(i) : world_.stop(i);
        return;
      }
    }
  }

  // The times of the manual for the last candidate, and a probe of each silent candidate before it, twice: links may break
  // late, of TCP's own impatience.
  Duration settling() const {
    return rules_.takeover(rules_.candidates.size()) + rules_.inactivity() +
           milliseconds(300) * static_cast<int>(2 * rules_.candidates.size()) + rules_.exchange_interval * 3;
  }

  std::string judge() {
    if (!world_.broken().empty()) return world_.broken();
    for (Node node = 0; node < world_.size(); ++node) {
      if (!world_.living(node)) continue;
      if (std::string wrong = judge_part_of(node); !wrong.empty()) return wrong;
    }
    return "";
  }

  bool with(Node node, Node other) const { return world_.living(other) && world_.reaches(node, other); }

  std::string judge_part_of(Node node) {
    std::optional<Node> first;
    for (auto name = rules_.candidates.rbegin(); name != rules_.candidates.rend(); ++name)
      if (with(node, world_.node_of(*name))) first = world_.node_of(*name);
    const Lim& lim = world_.lim(node);
    if (!first)
      return lim.role == Role::looking ? "" : world_.name(node) + " has a master, and no candidate lives";
    if ((lim.role == Role::master) != (node == *first))
      return world_.name(node) + (node == *first ? " should be master" : " is master, and should not be");
    if (lim.master_name() != world_.name(*first))
      return world_.name(node) + " follows \"" + lim.master_name() + "\", not " + world_.name(*first);
    if (!lim.melim || lim.melim->master != (node == *first))
      return world_.name(node) + " tells elims another LSF_MASTER";
    if (node == *first) {
      if (std::string wrong = judge_table(node); !wrong.empty()) return wrong;
    }
    return judge_elims(node, *first);
  }

  std::string judge_table(Node master) {
    const HostTable& table = world_.lim(master).mastership->table;
    for (Node node = 0; node < world_.size(); ++node) {
      const HostEntry& entry = table[static_cast<HostIndex>(node)];
      const std::string name = world_.name(node);
      if (with(master, node) != (entry.presence == Presence::up)) return name + " is seen as it is not";
      if (!with(master, node) && entry.presence != Presence::unavailable) return name + " is not unavailable";
      if (!with(master, node)) continue;
      if (table.number(static_cast<HostIndex>(node), r1m) != static_cast<float>(node))
        return name + " has the load of another";
      const float reported = table.number(static_cast<HostIndex>(node), mem);
      if (std::abs(reported - world_.lim(node).own.load[mem].number) > 110) return name + " has no load";
      if (entry.facts.ncpus != static_cast<int>(node) + 1) return name + " has the facts of another";
    }
    return "";
  }

  // LSF_RESOURCES of a host is what the map says of who lives in its part.
  std::string judge_elims(Node node, Node master) {
    std::set<std::string> should;
    for (const ResourceId id : rules_.resource_map.each_host) should.insert(rules_.indices.at(id).name);
    for (const SharedInstance& instance : rules_.resource_map.shared) {
      std::optional<Node> holder;
      if (instance.all_hosts) holder = master;
      for (const HostIndex host : instance.hosts)
        if (!holder && with(master, host)) holder = host;
      if (holder == node) should.insert(rules_.indices.at(instance.resource).name);
    }
    const auto& has = world_.lim(node).melim->resources;
    if (std::set<std::string>(has.begin(), has.end()) == should) return "";
    return world_.name(node) + " runs elims for " + text(Effect{*world_.lim(node).melim}) + ", not for " +
           std::to_string(should.size()) + " resources";
  }

  std::mt19937_64 random_;
  LimRules rules_;
  World world_;
};

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

TEST(LimClusters, EveryScheduleEndsInOneMasterForEachPart) {
  const std::uint64_t seeds = number_of("ROLLCALL_SIM_SEEDS", 500),
                      first = number_of("ROLLCALL_SIM_FIRST", 1);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const std::string wrong = Story(seed, false).told();
    if (wrong.empty()) continue;
    Story again(seed, true);
    again.told();
    FAIL() << "seed " << seed << ": " << wrong << "\n" << again.world().trace();
  }
}

}  // namespace
}  // namespace rollcall::lim::sim
