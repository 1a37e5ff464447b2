// Chooses the hosts that run elims, as hosts come and go (resource_map.hpp has the rules).
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

void hold(std::vector<std::uint32_t>& held, std::uint32_t instance) { held.push_back(instance); }
void release(std::vector<std::uint32_t>& held, std::uint32_t instance) { std::erase(held, instance); }

}  // namespace

Mastership fresh_mastership(const LimRules& rules, TimePoint now) {
  Mastership m;
  m.since = now;
  m.table = HostTable(rules.hosts, rules.indices.size());
  m.is_shared.assign(rules.indices.size(), false);
  for (const SharedInstance& instance : rules.resource_map.shared) m.is_shared[instance.resource] = true;
  m.available.assign(rules.hosts.size(), true);
  m.shared.resize(rules.resource_map.shared.size());
  m.ordered.resize(rules.hosts.size());
  m.held.resize(rules.hosts.size());
  m.holders = holders(rules.resource_map, m.available, rules.find(rules.host));
  for (std::uint32_t i = 0; i < m.holders.size(); ++i)
    if (m.holders[i]) hold(m.held[*m.holders[i]], i);
  return m;
}

void set_presence(LimStep& step, HostIndex host, Presence presence, bool presumed) {
  Mastership& m = *step.lim.mastership;
  HostEntry& entry = m.table[host];
  entry.presence = presence;
  entry.presumed = presumed;
  const bool available = presence == Presence::up || (presence == Presence::unheard && presumed);
  if (m.available[host] == available) return;
  m.available[host] = available;
  place_elims(step);
}

void place_elims(LimStep& step) {
  Mastership& m = *step.lim.mastership;
  Holders next = holders(step.rules().resource_map, m.available, step.rules().find(step.rules().host));
  if (next == m.holders) return;
  std::vector<HostIndex> touched;
  for (std::uint32_t i = 0; i < next.size(); ++i) {
    if (next[i] == m.holders[i]) continue;
    for (const auto& host : {m.holders[i], next[i]})
      if (host) touched.push_back(*host);
    if (m.holders[i]) release(m.held[*m.holders[i]], i);
    if (next[i]) hold(m.held[*next[i]], i);
  }
  m.holders = std::move(next);
  for (const HostIndex host : touched) send_orders(step, host);
}

void send_orders(LimStep& step, HostIndex host) {
  Mastership& m = *step.lim.mastership;
  const bool own = step.rules().hosts[host].name == step.rules().host;
  const ConnectionId connection = m.table[host].connection;
  if (!own && connection == 0) return;
  std::vector<ResourceId> resources = expected(step.rules().resource_map, m.holders, host);
  if (m.ordered[host] == resources) return;
  std::vector<std::string> names;
  for (const ResourceId id : resources) names.push_back(step.rules().indices.at(id).name);
  m.ordered[host] = std::move(resources);
  if (own)
    order_melim(step, std::move(names), true);
  else
    step.out.emplace_back(effect::SendOrders{connection, std::move(names)});
}

ReportTarget report_target(LimStep& step, HostIndex host) {
  Mastership& m = *step.lim.mastership;
  return {host, m.table, step.rules(), m.is_shared, m.held[host], m.shared};
}

void show_own_load(LimStep& step) {
  if (step.lim.role != Role::master) return;
  const HostIndex own = *step.rules().find(step.rules().host);
  step.lim.mastership->table[own].heard = step.now;
  apply(step.lim.own, report_target(step, own));
}

}  // namespace rollcall::lim
