// New files in a running LIM: keeps values and links that are still valid, drops the others.
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

using Renumbered = std::vector<std::optional<ResourceId>>;

// A resource that has kept its name and type keeps its values.
Renumbered renumber(const IndexTable& old, const IndexTable& now) {
  Renumbered result(old.size());
  for (ResourceId id = 0; id < old.size(); ++id) {
    const auto found = now.find(old.at(id).name);
    if (found && now.at(*found).type == old.at(id).type) result[id] = found;
  }
  return result;
}

LoadVector renumbered_load(const LoadVector& load, const Renumbered& renumbered, ResourceId size) {
  LoadVector result(size);
  for (ResourceId id = 0; id < load.size(); ++id)
    if (renumbered[id]) result[*renumbered[id]] = load[id];
  return result;
}

std::vector<std::string> names(const LimRules& rules, const SharedInstance& instance) {
  std::vector<std::string> result;
  if (instance.all_hosts) return result;
  for (const HostIndex host : instance.hosts) result.push_back(rules.hosts[host].name);
  return result;
}

// Keeps the values of instances that still exist with the same hosts.
void keep_shared(const LimRules& old, const Mastership& from, const LimRules& now, Mastership& to) {
  for (std::size_t i = 0; i < now.resource_map.shared.size(); ++i) {
    const SharedInstance& instance = now.resource_map.shared[i];
    const std::string& name = now.indices.at(instance.resource).name;
    for (std::size_t j = 0; j < old.resource_map.shared.size(); ++j) {
      const SharedInstance& before = old.resource_map.shared[j];
      if (before.all_hosts == instance.all_hosts && old.indices.at(before.resource).name == name &&
          old.indices.at(before.resource).type == now.indices.at(instance.resource).type &&
          names(old, before) == names(now, instance))
        to.shared[i] = from.shared[j];
    }
  }
}

// Closes links of hosts that are gone, and of those with unknown names in their dictionary: the new files may know them.
void keep_links(LimStep& step, const LimRules& old, const Renumbered& renumbered) {
  std::vector<ConnectionId> gone;
  for (auto& [connection, peer] : step.lim.peers) {
    if (!peer.registered) continue;
    const bool strange = std::count(peer.dictionary.begin(), peer.dictionary.end(), std::nullopt) > 0;
    const auto place = step.rules().find(old.hosts[*peer.registered].name);
    if (!place || strange) gone.push_back(connection);
    for (auto& id : peer.dictionary)
      if (id) id = renumbered[*id];
  }
  for (const ConnectionId connection : gone) close_link(step, connection);
  for (auto& [connection, peer] : step.lim.peers)
    if (peer.registered) peer.registered = step.rules().find(old.hosts[*peer.registered].name);
}

void keep_mastership(LimStep& step, const LimRules& old, const Renumbered& renumbered) {
  Lim& lim = step.lim;
  keep_links(step, old, renumbered);
  Mastership from = std::move(*lim.mastership);
  Mastership to = fresh_mastership(step.rules(), step.now);
  to.round_at = to.sweep_at = step.now;  // new hosts are dialled at once
  for (HostIndex host = 0; host < to.table.size(); ++host) {
    const auto before = old.find(step.rules().hosts[host].name);
    if (!before) continue;
    to.table.adopt(host, from.table, *before, renumbered);
    const HostEntry& entry = to.table[host];
    to.available[host] =
        entry.presence == Presence::up || (entry.presence == Presence::unheard && entry.presumed);
  }
  keep_shared(old, from, step.rules(), to);
  lim.mastership = std::move(to);
  place_elims(step);
  for (HostIndex host = 0; host < lim.mastership->table.size(); ++host) send_orders(step, host);
}

}  // namespace

void reconfigured(LimStep& step, const event::Reconfigured& event) {
  Lim& lim = step.lim;
  const std::shared_ptr<const LimRules> old = std::exchange(lim.rules, event.rules);
  const Renumbered renumbered = renumber(old->indices, step.rules().indices);
  lim.own.load = renumbered_load(lim.own.load, renumbered, step.rules().indices.size());
  if (lim.role == Role::master) {
    if (step.candidate() && step.rules().find(step.rules().host)) {
      keep_mastership(step, *old, renumbered);
    } else {
      // Step down by the old files, to which the links belong.
      lim.rules = old;
      step_down(step, "the files do not name it as a candidate");
      lim.rules = event.rules;
    }
  }
  lim.writer.start_anew();
  judge_own_load(step);
  if (!lim.started || lim.role == Role::master) return;
  if (lim.role == Role::following && !step.rules().find(lim.master))
    return lose_master(step, "the files do not name it");
  if (lim.role == Role::looking) return start_search(step);
  lim.search = {};
  if (step.candidate() && step.rules().rank(lim.master) > step.own_rank()) lim.search.again_at = step.now;
  register_anew(step);
}

}  // namespace rollcall::lim
