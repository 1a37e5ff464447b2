// Being master: linking with every host, and putting their reports into the table.
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

constexpr int kSweeps = 4;  // looks for silent hosts in an exchange interval

void pump(LimStep& step) {
  Mastership& m = *step.lim.mastership;
  while (!m.to_dial.empty() && step.lim.dialling.size() < kDialsAtOnce) {
    const HostIndex host = m.to_dial.front();
    m.to_dial.pop_front();
    if (m.table[host].connection == 0) dial(step, step.rules().hosts[host].name);
  }
}

// Every server host without a link, in the order of the files.
void start_round(LimStep& step) {
  Mastership& m = *step.lim.mastership;
  m.to_dial.clear();
  for (HostIndex host = 0; host < m.table.size(); ++host) {
    const LimRules::Host& row = step.rules().hosts[host];
    if (row.server && row.name != step.rules().host && m.table[host].connection == 0)
      m.to_dial.push_back(host);
  }
  m.round_at = step.now + step.rules().exchange_interval;
  pump(step);
}

void dial_soon(LimStep& step, HostIndex host) {
  if (step.rules().hosts[host].server) step.lim.mastership->to_dial.push_front(host);
  pump(step);
}

void unavailable(LimStep& step, HostIndex host, const std::string& why) {
  HostEntry& entry = step.lim.mastership->table[host];
  const std::string line = step.rules().hosts[host].name + " is unavailable: " + why;
  if (entry.presence == Presence::up) step.warn(line);  // the others were not up under this master
  if (entry.presence == Presence::unheard) step.say(line);
  if (entry.connection != 0) close_link(step, entry.connection);
  set_presence(step, host, Presence::unavailable, false);
}

void sweep(LimStep& step) {
  Mastership& m = *step.lim.mastership;
  m.sweep_at = step.now + step.rules().exchange_interval / kSweeps;
  for (HostIndex host = 0; host < m.table.size(); ++host) {
    const HostEntry& entry = m.table[host];
    if (entry.presence == Presence::unavailable || step.rules().hosts[host].name == step.rules().host)
      continue;
    const TimePoint heard = entry.presence == Presence::up ? entry.heard : m.since;
    if (step.now - heard >= step.rules().inactivity()) unavailable(step, host, "it is silent");
  }
}

// Closes the link of a peer whose message is invalid; it is not dialled before the next round.
void refuse(LimStep& step, ConnectionId connection, const std::string& why) {
  const Peer& peer = step.lim.peers.at(connection);
  step.warn(peer.host + ": " + why);
  close_link(step, connection);
}

}  // namespace

void become_master(LimStep& step) {
  Lim& lim = step.lim;
  if (lim.connection != 0) close_link(step, lim.connection);
  lim.connection = 0;
  lim.master.clear();
  lim.search = {};
  lim.role = Role::master;
  lim.mastership = fresh_mastership(step.rules(), step.now);
  const bool first = step.own_rank() == 0;
  step.say("this host is the master" +
           (first ? std::string() : ", in place of " + step.rules().candidates[0]));
  const HostIndex own = *step.rules().find(step.rules().host);
  lim.mastership->table.set_facts(own, lim.facts, step.rules().digest);
  set_presence(step, own, Presence::up, false);
  send_orders(step, own);
  show_own_load(step);
  lim.mastership->sweep_at = step.now + step.rules().exchange_interval / kSweeps;
  start_round(step);
}

void step_down(LimStep& step, const std::string& why) {
  Lim& lim = step.lim;
  step.say("this host is the master no more: " + why);
  std::vector<ConnectionId> theirs;
  for (const auto& [connection, peer] : lim.peers)
    if (peer.registered) theirs.push_back(connection);
  for (const ConnectionId connection : theirs) close_link(step, connection);
  lim.mastership.reset();
  lim.role = Role::looking;
  lim.master_heard = step.now;
}

void peer_answered(LimStep& step, const event::PeerAnswered& answer) {
  const auto host = step.rules().find(answer.host);
  if (answer.master && step.rules().rank(answer.host) < step.own_rank())
    return follow(step, answer.connection, answer.host);
  if (host && step.lim.mastership->table[*host].connection == 0)
    step.out.emplace_back(effect::SendAnnounce{answer.connection});
  close_link(step, answer.connection);
  pump(step);
}

void peer_failed(LimStep& step, const event::DialFailed& failure) {
  const auto host = step.rules().find(failure.host);
  if (host && step.lim.mastership->table[*host].connection == 0) {
    if (failure.refused)
      unavailable(step, *host, "its port refuses");
    else
      set_presence(step, *host, step.lim.mastership->table[*host].presence, false);
  }
  pump(step);
}

// Dials the peer. If it is before us and confirms, it is followed: an Announce alone does not cost us the table. If it is behind
// us, it learns that we are master.
void peer_announced(LimStep& step, const std::string& host) { dial(step, host); }

void host_registered(LimStep& step, const event::HostRegistered& registered) {
  Lim& lim = step.lim;
  const ConnectionId connection = registered.connection;
  Peer& peer = lim.peers.at(connection);
  const auto host = step.rules().find(peer.host);
  if (lim.role != Role::master) return close_link(step, connection);  // it searches for the master again
  if (!host || registered.facts.name != peer.host)
    return refuse(step, connection, "registers as " + registered.facts.name);
  Mastership& m = *lim.mastership;
  HostEntry& entry = m.table[*host];
  if (entry.connection != 0 && entry.connection != connection) close_link(step, entry.connection);
  if (entry.configuration != registered.configuration && registered.configuration != step.rules().digest)
    step.warn(peer.host + " runs with other files than the master");
  if (entry.presence == Presence::unavailable) step.warn(peer.host + " is back");
  entry.connection = connection;
  entry.heard = step.now;
  entry.elims.clear();
  entry.condition = {};
  peer.registered = host;
  peer.dictionary.clear();
  m.table.set_facts(*host, registered.facts, registered.configuration);
  m.ordered[*host].reset();
  set_presence(step, *host, Presence::up, false);
  send_orders(step, *host);
}

void host_reported(LimStep& step, const event::HostReported& reported) {
  Peer& peer = step.lim.peers.at(reported.connection);
  if (!peer.registered) return close_link(step, reported.connection);
  step.lim.mastership->table[*peer.registered].heard = step.now;
  const auto applied =
      apply(reported.report, peer.dictionary, report_target(step, *peer.registered), step.now);
  if (!applied) refuse(step, reported.connection, applied.error().text);
}

void host_link_ended(LimStep& step, HostIndex host) { dial_soon(step, host); }

void placement_made(LimStep& step, const event::PlacementMade& placement) {
  if (step.lim.role != Role::master) return;
  const Duration duration = step.rules().exchange_interval * step.rules().adjust_duration;
  for (const auto& chosen : placement.hosts) {
    const auto host = step.rules().find(chosen.host);
    if (!host) continue;
    Raise& raise = step.lim.mastership->table[*host].raise;
    raise = raised(raise, chosen.slots, step.now, duration);
  }
}

void master_tick(LimStep& step) {
  const Mastership& m = *step.lim.mastership;
  if (step.now >= m.sweep_at) sweep(step);
  if (step.now >= m.round_at) start_round(step);
}

}  // namespace rollcall::lim
