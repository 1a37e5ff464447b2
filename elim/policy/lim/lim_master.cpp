// Being master: every host has a link to us, or is dialled; what hosts report goes into the table.
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

constexpr int kSweeps = 4;  // looks for silent hosts in an exchange interval

void pump(Turn& turn) {
  Mastership& m = *turn.lim.mastership;
  while (!m.to_dial.empty() && turn.lim.dialling.size() < kDialsAtOnce) {
    const HostIndex host = m.to_dial.front();
    m.to_dial.pop_front();
    if (m.table[host].connection == 0) dial(turn, turn.rules().hosts[host].name);
  }
}

// Every server host without a link, in the order of the files.
void start_round(Turn& turn) {
  Mastership& m = *turn.lim.mastership;
  m.to_dial.clear();
  for (HostIndex host = 0; host < m.table.size(); ++host) {
    const LimRules::Host& row = turn.rules().hosts[host];
    if (row.server && row.name != turn.rules().host && m.table[host].connection == 0)
      m.to_dial.push_back(host);
  }
  m.round_at = turn.now + turn.rules().exchange_interval;
  pump(turn);
}

void dial_soon(Turn& turn, HostIndex host) {
  if (turn.rules().hosts[host].server) turn.lim.mastership->to_dial.push_front(host);
  pump(turn);
}

void unavailable(Turn& turn, HostIndex host, const std::string& why) {
  HostEntry& entry = turn.lim.mastership->table[host];
  const std::string line = turn.rules().hosts[host].name + " is unavailable: " + why;
  if (entry.presence == Presence::up) turn.warn(line);  // others were not there when we became master
  if (entry.presence == Presence::unheard) turn.say(line);
  if (entry.connection != 0) close_link(turn, entry.connection);
  set_presence(turn, host, Presence::unavailable, false);
}

void sweep(Turn& turn) {
  Mastership& m = *turn.lim.mastership;
  m.sweep_at = turn.now + turn.rules().exchange_interval / kSweeps;
  for (HostIndex host = 0; host < m.table.size(); ++host) {
    const HostEntry& entry = m.table[host];
    if (entry.presence == Presence::unavailable || turn.rules().hosts[host].name == turn.rules().host)
      continue;
    const TimePoint heard = entry.presence == Presence::up ? entry.heard : m.since;
    if (turn.now - heard >= turn.rules().inactivity()) unavailable(turn, host, "it is silent");
  }
}

// The peer's message cannot be used: the link goes, and it is not dialled before the next round.
void refuse(Turn& turn, ConnectionId connection, const std::string& why) {
  const Peer& peer = turn.lim.peers.at(connection);
  turn.warn(peer.host + ": " + why);
  close_link(turn, connection);
}

}  // namespace

void become_master(Turn& turn) {
  Lim& lim = turn.lim;
  if (lim.connection != 0) close_link(turn, lim.connection);
  lim.connection = 0;
  lim.master.clear();
  lim.search = {};
  lim.role = Role::master;
  lim.mastership = fresh_mastership(turn.rules(), turn.now);
  const bool first = turn.own_rank() == 0;
  turn.say("this host is the master" +
           (first ? std::string() : ", in place of " + turn.rules().candidates[0]));
  const HostIndex own = *turn.rules().find(turn.rules().host);
  lim.mastership->table.set_facts(own, lim.facts, turn.rules().digest);
  set_presence(turn, own, Presence::up, false);
  send_orders(turn, own);
  show_own_load(turn);
  lim.mastership->sweep_at = turn.now + turn.rules().exchange_interval / kSweeps;
  start_round(turn);
}

void step_down(Turn& turn, const std::string& why) {
  Lim& lim = turn.lim;
  turn.say("this host is the master no more: " + why);
  std::vector<ConnectionId> theirs;
  for (const auto& [connection, peer] : lim.peers)
    if (peer.registered) theirs.push_back(connection);
  for (const ConnectionId connection : theirs) close_link(turn, connection);
  lim.mastership.reset();
  lim.role = Role::looking;
  lim.master_heard = turn.now;
}

void peer_answered(Turn& turn, const event::PeerAnswered& answer) {
  const auto host = turn.rules().find(answer.host);
  if (answer.master && turn.rules().rank(answer.host) < turn.own_rank())
    return follow(turn, answer.connection, answer.host);
  if (host && turn.lim.mastership->table[*host].connection == 0)
    turn.out.emplace_back(effect::SendAnnounce{answer.connection});
  close_link(turn, answer.connection);
  pump(turn);
}

void peer_failed(Turn& turn, const event::DialFailed& failure) {
  const auto host = turn.rules().find(failure.host);
  if (host && turn.lim.mastership->table[*host].connection == 0) {
    if (failure.refused)
      unavailable(turn, *host, "its port refuses");
    else
      set_presence(turn, *host, turn.lim.mastership->table[*host].presence, false);
  }
  pump(turn);
}

// One before us is asked itself, at its own address, and followed where it says so too: a word alone costs no table. One
// behind us is told that we are.
void peer_announced(Turn& turn, const std::string& host) { dial(turn, host); }

void host_registered(Turn& turn, const event::HostRegistered& registered) {
  Lim& lim = turn.lim;
  const ConnectionId connection = registered.connection;
  Peer& peer = lim.peers.at(connection);
  const auto host = turn.rules().find(peer.host);
  if (lim.role != Role::master) return close_link(turn, connection);  // it asks again who is
  if (!host || registered.facts.name != peer.host)
    return refuse(turn, connection, "registers as " + registered.facts.name);
  Mastership& m = *lim.mastership;
  HostEntry& entry = m.table[*host];
  if (entry.connection != 0 && entry.connection != connection) close_link(turn, entry.connection);
  if (entry.configuration != registered.configuration && registered.configuration != turn.rules().digest)
    turn.warn(peer.host + " runs with other files than the master");
  if (entry.presence == Presence::unavailable) turn.warn(peer.host + " is back");
  entry.connection = connection;
  entry.heard = turn.now;
  entry.elims.clear();
  entry.condition = {};
  peer.registered = host;
  peer.dictionary.clear();
  m.table.set_facts(*host, registered.facts, registered.configuration);
  m.ordered[*host].reset();
  set_presence(turn, *host, Presence::up, false);
  send_orders(turn, *host);
}

void host_reported(Turn& turn, const event::HostReported& reported) {
  Peer& peer = turn.lim.peers.at(reported.connection);
  if (!peer.registered) return close_link(turn, reported.connection);
  turn.lim.mastership->table[*peer.registered].heard = turn.now;
  const auto applied =
      apply(reported.report, peer.dictionary, report_target(turn, *peer.registered), turn.now);
  if (!applied) refuse(turn, reported.connection, applied.error().text);
}

void host_link_ended(Turn& turn, HostIndex host) { dial_soon(turn, host); }

void placement_made(Turn& turn, const event::PlacementMade& placement) {
  if (turn.lim.role != Role::master) return;
  const Duration duration = turn.rules().exchange_interval * turn.rules().adjust_duration;
  for (const auto& chosen : placement.hosts) {
    const auto host = turn.rules().find(chosen.host);
    if (!host) continue;
    Raise& raise = turn.lim.mastership->table[*host].raise;
    raise = raised(raise, chosen.slots, turn.now, duration);
  }
}

void master_tick(Turn& turn) {
  const Mastership& m = *turn.lim.mastership;
  if (turn.now >= m.sweep_at) sweep(turn);
  if (turn.now >= m.round_at) start_round(turn);
}

}  // namespace rollcall::lim
