#include "elim/policy/lim/lim.hpp"

#include <algorithm>

#include "common/wire/host_facts.hpp"
#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {

void dial(Turn& turn, const std::string& host) {
  if (turn.lim.dialling.insert(host).second) turn.out.emplace_back(effect::Dial{host});
}

std::optional<HostIndex> forget_link(Turn& turn, ConnectionId connection) {
  const auto found = turn.lim.peers.find(connection);
  if (found == turn.lim.peers.end()) return std::nullopt;
  const auto host = found->second.registered;
  if (host) {
    turn.lim.mastership->table[*host].connection = 0;
    turn.lim.mastership->ordered[*host].reset();
  }
  turn.lim.peers.erase(found);
  return host;
}

void close_link(Turn& turn, ConnectionId connection) {
  if (!turn.lim.peers.contains(connection)) return;
  forget_link(turn, connection);
  turn.out.emplace_back(effect::CloseLink{connection});
}

namespace {

effect::Welcome welcome(const Turn& turn, ConnectionId connection) {
  return {connection, turn.lim.role == Role::master, turn.lim.master_name()};
}

// The handlers; one for each event.
struct Step {
  Turn& turn;
  Lim& lim = turn.lim;

  // Nothing may come of a connection that we have forgotten; the shell promises so, and a fuzzer does not.
  Peer* peer(ConnectionId connection) const {
    const auto found = lim.peers.find(connection);
    if (found == lim.peers.end()) return nullptr;
    found->second.heard = turn.now;
    return &found->second;
  }

  void operator()(const event::Started&) const {
    if (lim.started) return;
    lim.started = true;
    lim.master_heard = turn.now;
    lim.tidy_at = turn.now + turn.rules().inactivity();
    start_search(turn);
  }
  void operator()(const event::PeerAccepted& e) const {
    if (lim.peers.contains(e.connection)) return;
    lim.peers[e.connection] = {e.host, false, turn.now, std::nullopt, {}};
    if (!turn.rules().find(e.host)) {
      turn.warn("a LIM calls itself " + e.host + ", which is no host of this cluster");
      return close_link(turn, e.connection);
    }
    if (e.host == turn.rules().host) {
      turn.warn("another LIM calls itself " + e.host + ", as this one does");
      return close_link(turn, e.connection);
    }
    turn.out.emplace_back(welcome(turn, e.connection));
  }
  void operator()(const event::PeerAnswered& e) const {
    if (lim.peers.contains(e.connection) || lim.dialling.erase(e.host) == 0) return;
    lim.peers[e.connection] = {e.host, true, turn.now, std::nullopt, {}};
    if (lim.role == Role::master)
      peer_answered(turn, e);
    else
      search_answered(turn, e);
  }
  void operator()(const event::DialFailed& e) const {
    if (lim.dialling.erase(e.host) == 0) return;
    if (lim.role == Role::master)
      peer_failed(turn, e);
    else
      search_failed(turn, e);
  }
  void operator()(const event::LinkEnded& e) const {
    const auto host = forget_link(turn, e.connection);
    if (lim.role == Role::following && lim.connection == e.connection)
      return lose_master(turn, "its link ended");
    if (lim.role == Role::master && host) host_link_ended(turn, *host);
  }
  void operator()(const event::HostRegistered& e) const {
    if (peer(e.connection)) host_registered(turn, e);
  }
  void operator()(const event::HostReported& e) const {
    if (peer(e.connection)) host_reported(turn, e);
  }
  void operator()(const event::MasterAnnounced& e) const {
    const Peer* from = peer(e.connection);
    if (!from || from->dialled || from->host == turn.rules().host) return;
    const std::string host = from->host;
    if (lim.role == Role::master)
      peer_announced(turn, host);
    else if (lim.started)
      search_announced(turn, host);
  }
  void operator()(const event::RenewAsked& e) const {
    const Peer* from = peer(e.connection);
    if (!from) return;
    if (from->registered) lim.mastership->table[*from->registered].heard = turn.now;
    turn.out.emplace_back(welcome(turn, e.connection));
  }
  void operator()(const event::PeerRenewed& e) const { master_renewed(turn, e); }
  void operator()(const event::OrdersArrived& e) const { orders_arrived(turn, e); }
  void operator()(const event::LoadSampled& e) const { load_sampled(turn, e); }
  void operator()(const event::ElimsReported& e) const { elims_reported(turn, e.report); }
  void operator()(const event::MelimLost& e) const {
    turn.warn("melim ended (" + e.how + "); its values are kept, it is started again");
  }
  void operator()(const event::LockAsked& e) const { lock_asked(turn, e); }
  void operator()(const event::UnlockAsked&) const { unlock(turn); }
  void operator()(const event::FactsFound& e) const { facts_found(turn, e); }
  void operator()(const event::Reconfigured& e) const { reconfigured(turn, e); }
  void operator()(const event::PlacementMade& e) const { placement_made(turn, e); }
  void operator()(const event::Tick&) const {}
};

// Peers that dialled and neither registered nor went.
void tidy(Turn& turn) {
  turn.lim.tidy_at = turn.now + turn.rules().inactivity();
  std::vector<ConnectionId> idle;
  for (const auto& [connection, peer] : turn.lim.peers)
    if (!peer.dialled && !peer.registered && turn.now - peer.heard >= turn.rules().inactivity())
      idle.push_back(connection);
  for (const ConnectionId connection : idle) close_link(turn, connection);
}

// What time asks for; after every event, so that a busy LIM is not late.
void timers(Turn& turn) {
  Lim& lim = turn.lim;
  if (!lim.started) return;
  if (lim.lock && lim.lock->until && turn.now >= *lim.lock->until) own_load_changed(turn);
  if (lim.role == Role::following) follow_tick(turn);
  if (lim.role != Role::master) search_tick(turn);
  if (lim.role == Role::master) master_tick(turn);
  if (turn.now >= lim.tidy_at) tidy(turn);
}

}  // namespace

Lim::Lim(std::shared_ptr<const LimRules> r) : rules(std::move(r)), overridden(kBuiltInIndices, false) {
  facts.name = rules->host;
  own.load = LoadVector(rules->indices.size());
}

Effects step(Lim& lim, const Event& event, TimePoint now) {
  Turn turn{lim, now};
  std::visit(Step{turn}, event);
  timers(turn);
  return std::move(turn.out);
}

std::optional<TimePoint> next_deadline(const Lim& lim) {
  if (!lim.started) return std::nullopt;
  TimePoint next = lim.tidy_at;
  const auto at = [&](std::optional<TimePoint> other) {
    if (other) next = std::min(next, *other);
  };
  if (lim.lock) at(lim.lock->until);
  if (lim.role != Role::master && !lim.search.active) at(lim.search.again_at);
  if (lim.role == Role::following) {
    at(lim.report_at);
    at(lim.renew_at);
    at(lim.master_heard + lim.rules->inactivity());
  }
  if (lim.mastership) {
    at(lim.mastership->sweep_at);
    at(lim.mastership->round_at);
  }
  return next;
}

wire::ToLim::Register registration(const Lim& lim) {
  wire::ToLim::Register message;
  *message.mutable_facts() = wire::to_wire(lim.facts);
  message.set_configuration(lim.rules->digest);
  return message;
}

}  // namespace rollcall::lim
