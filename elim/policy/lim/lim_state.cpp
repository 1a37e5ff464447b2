// The invariants of a Lim.
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

std::string broken_search(const Lim& lim) {
  const Search& s = lim.search;
  if (lim.role == Role::master) return s.active || s.again_at ? "a master searches" : "";
  if (!lim.started) return "";
  if (s.active && !lim.dialling.contains(s.asked)) return "the search waits for nobody: " + s.asked;
  if (lim.role == Role::looking && !s.active && !s.again_at) return "nobody looks for a master any more";
  return "";
}

std::string broken_following(const Lim& lim) {
  if ((lim.role == Role::following) != (lim.connection != 0)) return "following and its link disagree";
  if (lim.role != Role::following) return lim.master.empty() ? "" : "follows nobody, yet names " + lim.master;
  const auto peer = lim.peers.find(lim.connection);
  if (peer == lim.peers.end()) return "the link to the master is not known";
  if (!peer->second.dialled) return "the link to the master was dialled by it";
  return peer->second.host == lim.master ? "" : "the link to the master is to another host";
}

std::string broken_peers(const Lim& lim) {
  for (const auto& [connection, peer] : lim.peers) {
    const std::string which = "connection " + std::to_string(connection) + " ";
    if (peer.dialled && connection != lim.connection) return which + "was dialled, and left open";
    if (!peer.registered) continue;
    if (!lim.mastership) return which + "reports, and we are no master";
    if (lim.mastership->table[*peer.registered].connection != connection)
      return which + "reports for a host that has another link";
    if (lim.rules->hosts[*peer.registered].name != peer.host) return which + "reports for another host";
  }
  return "";
}

std::string broken_host(const Lim& lim, HostIndex host) {
  const Mastership& m = *lim.mastership;
  const HostEntry& entry = m.table[host];
  const std::string& name = lim.rules->hosts[host].name;
  const bool own = name == lim.rules->host;
  if (entry.connection != 0) {
    const auto peer = lim.peers.find(entry.connection);
    if (peer == lim.peers.end() || peer->second.registered != host)
      return name + " has a link that is not known";
    if (entry.presence != Presence::up) return name + " has a link and is not up";
  }
  if (own && entry.presence != Presence::up) return "our own host is not up";
  const bool available =
      entry.presence == Presence::up || (entry.presence == Presence::unheard && entry.presumed);
  if (m.available[host] != available) return name + " is counted as " + (available ? "gone" : "there");
  if (own || entry.connection != 0) {
    if (m.ordered[host] != expected(lim.rules->resource_map, m.holders, host))
      return name + " has old orders";
  } else if (m.ordered[host]) {
    return name + " has orders and no link";
  }
  return "";
}

std::string broken_mastership(const Lim& lim) {
  if ((lim.role == Role::master) != lim.mastership.has_value()) return "role and mastership disagree";
  if (!lim.mastership) return "";
  const Mastership& m = *lim.mastership;
  const auto own = lim.rules->find(lim.rules->host);
  if (!own) return "a master that is no host of the cluster";
  if (m.table.size() != lim.rules->hosts.size() || m.table.indices() != lim.rules->indices.size())
    return "the table has another size than the files";
  if (m.holders != holders(lim.rules->resource_map, m.available, own)) return "elims are placed as they were";
  std::size_t held = 0;
  for (const auto& instances : m.held) held += instances.size();
  for (std::uint32_t i = 0; i < m.holders.size(); ++i) {
    if (!m.holders[i]) continue;
    --held;
    const auto& theirs = m.held[*m.holders[i]];
    if (std::count(theirs.begin(), theirs.end(), i) != 1) return "an instance is held by nobody or twice";
  }
  if (held != 0) return "an instance is held and has no holder";
  for (HostIndex host = 0; host < m.table.size(); ++host)
    if (std::string broken = broken_host(lim, host); !broken.empty()) return broken;
  return "";
}

std::string broken_own(const Lim& lim) {
  if (lim.own.load.size() != lim.rules->indices.size()) return "the own load has another size than the files";
  if (lim.own.condition.locked_by_administrator != lim.lock.has_value()) return "locked and not locked";
  return "";
}

}  // namespace

std::string broken_invariant(const Lim& lim) {
  for (const auto& check : {broken_search, broken_following, broken_peers, broken_mastership, broken_own})
    if (std::string broken = check(lim); !broken.empty()) return broken;
  return "";
}

}  // namespace rollcall::lim
