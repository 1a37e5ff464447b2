#include "sched/policy/cycle/lendable.hpp"

#include <algorithm>
#include <set>

#include "sched/policy/cycle/compiled_demand.hpp"

namespace rollcall::sched::cycle {
namespace {

void include(Lendable word, Lendable& in) { in = std::max(in, word); }
void exclude(Lendable word, Lendable& in) {
  if (word == Lendable::all) in = Lendable::none;
  if (word == Lendable::some) in = std::min(in, Lendable::some);
}

// The groups are resolved in the order of RulesMaker::make_groups: host groups in one another, then units, then partitions.
class GroupReader {
 public:
  GroupReader(const conf::LsbHosts& hosts, const IsHost& is_host) : hosts_(hosts), is_host_(is_host) {}

  LendableGroups read() && {
    for (const auto& row : hosts_.groups)
      if (!is_host_(row.name)) rows_.emplace(row.name, &row);
    for (const auto& row : hosts_.groups) group(row.name);
    for (const auto& row : hosts_.compute_units) {
      if (is_host_(row.name)) continue;
      Lendable in = Lendable::none;
      for (const std::string& word : row.members) add(word, in);
      known_[row.name] = in;
    }
    for (const auto& row : hosts_.partitions)
      if (!is_host_(row.name)) known_[row.name] = lendable(row.hosts, known_, "", "");
    return std::move(known_);
  }

 private:
  // A group that contains itself ends there.
  Lendable group(const std::string& name) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    const auto row = rows_.find(name);
    if (row == rows_.end() || !resolving_.insert(row->first).second) return Lendable::none;
    Lendable in = Lendable::none;
    for (const bool excluding : {false, true})
      for (const std::string& word : row->second->members)
        if (word.starts_with('~') == excluding) add(word, in);
    return known_[name] = in;
  }

  void add(const std::string& word, Lendable& in) {
    if (word.starts_with('~'))
      exclude(member(word.substr(1)), in);
    else
      include(member(word), in);
  }

  Lendable member(const std::string& name) {
    if (name == "allremote" || name == "*") return Lendable::all;
    return conf::member_pattern(name) ? Lendable::some : group(name);
  }

  const conf::LsbHosts& hosts_;
  const IsHost& is_host_;
  std::unordered_map<std::string_view, const conf::HostGroup*> rows_;
  std::set<std::string_view> resolving_;
  LendableGroups known_;
};

bool receives_from(const PlacementRules& rules, const std::string& provider) {
  const auto& remote = rules.cluster->cluster.remote_clusters;
  return std::any_of(remote.begin(), remote.end(),
                     [&](const auto& row) { return row.name == provider && row.receive_from; });
}

}  // namespace

LendableGroups lendable_groups(const conf::LsbHosts& hosts, const IsHost& is_host) {
  return GroupReader(hosts, is_host).read();
}

Lendable lendable(const std::vector<conf::HostItem>& words, const LendableGroups& groups,
                  std::string_view provider, std::string_view own) {
  const auto meant = [&](const conf::HostItem& item) {
    if (!item.cluster.empty() && item.cluster != own) {
      if (item.cluster != provider) return Lendable::none;
      return item.name == "all" ? Lendable::all : Lendable::some;
    }
    if (const auto group = groups.find(item.name); group != groups.end()) return group->second;
    return item.name == "allremote" ? Lendable::all : Lendable::none;
  };
  Lendable in = Lendable::none;
  for (const auto& item : words)
    if (!item.excluded) include(meant(item), in);
  for (const auto& item : words)
    if (item.excluded) exclude(meant(item), in);
  return in;
}

LeaseUse lease_use(const PlacementRules& rules, const Demand& demand, const std::string& provider) {
  const auto queue = rules.queue(demand.queue);
  if (!queue || rules.queues[*queue].row == nullptr) return LeaseUse::not_named;
  const auto names = [&](const std::vector<conf::HostItem>& words) {
    return lendable(words, rules.lendable_groups, provider, rules.cluster->cluster.name) != Lendable::none;
  };
  if (!names(rules.queues[*queue].row->hosts)) return LeaseUse::not_named;
  if (!demand.asked_hosts.empty() && !names(with_all_of_exclusions(demand.asked_hosts)))
    return LeaseUse::not_named;
  if (parallel(demand) && !receives_from(rules, provider)) return LeaseUse::serial_only;
  if (demand.user == "root" && !rules.root_has_account.contains(provider)) return LeaseUse::of_root;
  return LeaseUse::could;
}

std::string serial_only_words(std::string_view provider) {
  return "RemoteClusters of lsf.cluster has no cluster " + std::string(provider) + " with RECV_FROM=Y";
}

}  // namespace rollcall::sched::cycle
