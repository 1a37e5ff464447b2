#include "elim/policy/lim/lim.hpp"

#include <algorithm>

#include "common/wire/host_facts.hpp"
#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {

void dial(LimStep& step, const std::string& host) {
  if (step.lim.dialling.insert(host).second) step.out.emplace_back(effect::Dial{host});
}

std::optional<HostIndex> forget_link(LimStep& step, ConnectionId connection) {
  const auto found = step.lim.peers.find(connection);
  if (found == step.lim.peers.end()) return std::nullopt;
  const auto host = found->second.registered;
  if (host) {
    step.lim.mastership->table[*host].connection = 0;
    step.lim.mastership->ordered[*host].reset();
  }
  step.lim.peers.erase(found);
  return host;
}

void close_link(LimStep& step, ConnectionId connection) {
  if (!step.lim.peers.contains(connection)) return;
  forget_link(step, connection);
  step.out.emplace_back(effect::CloseLink{connection});
}

namespace {

effect::Welcome welcome(const LimStep& step, ConnectionId connection) {
  return {connection, step.lim.role == Role::master, step.lim.master_name()};
}

// The handlers; one for each event.
struct Step {
  LimStep& step;
  Lim& lim = step.lim;

  // Ignores events of a forgotten connection: the shell never sends them, a fuzzer does.
  Peer* peer(ConnectionId connection) const {
    const auto found = lim.peers.find(connection);
    if (found == lim.peers.end()) return nullptr;
    found->second.heard = step.now;
    return &found->second;
  }

  void operator()(const event::Started&) const {
    if (lim.started) return;
    lim.started = true;
    lim.master_heard = step.now;
    lim.tidy_at = step.now + step.rules().inactivity();
    start_search(step);
  }
  void operator()(const event::PeerAccepted& e) const {
    if (lim.peers.contains(e.connection)) return;
    lim.peers[e.connection] = {e.host, false, step.now, std::nullopt, {}};
    if (!step.rules().find(e.host)) {
      step.warn("a LIM calls itself " + e.host + ", which is no host of this cluster");
      return close_link(step, e.connection);
    }
    if (e.host == step.rules().host) {
      step.warn("another LIM calls itself " + e.host + ", as this one does");
      return close_link(step, e.connection);
    }
    step.out.emplace_back(welcome(step, e.connection));
  }
  void operator()(const event::PeerAnswered& e) const {
    if (lim.peers.contains(e.connection) || lim.dialling.erase(e.host) == 0) return;
    lim.peers[e.connection] = {e.host, true, step.now, std::nullopt, {}};
    if (lim.role == Role::master)
      peer_answered(step, e);
    else
      search_answered(step, e);
  }
  void operator()(const event::DialFailed& e) const {
    if (lim.dialling.erase(e.host) == 0) return;
    if (lim.role == Role::master)
      peer_failed(step, e);
    else
      search_failed(step, e);
  }
  void operator()(const event::LinkEnded& e) const {
    const auto host = forget_link(step, e.connection);
    if (lim.role == Role::following && lim.connection == e.connection)
      return lose_master(step, "its link ended");
    if (lim.role == Role::master && host) host_link_ended(step, *host);
  }
  void operator()(const event::HostRegistered& e) const {
    if (peer(e.connection)) host_registered(step, e);
  }
  void operator()(const event::HostReported& e) const {
    if (peer(e.connection)) host_reported(step, e);
  }
  void operator()(const event::MasterAnnounced& e) const {
    const Peer* from = peer(e.connection);
    if (!from || from->dialled || from->host == step.rules().host) return;
    const std::string host = from->host;
    if (lim.role == Role::master)
      peer_announced(step, host);
    else if (lim.started)
      search_announced(step, host);
  }
  void operator()(const event::RenewAsked& e) const {
    const Peer* from = peer(e.connection);
    if (!from) return;
    if (from->registered) lim.mastership->table[*from->registered].heard = step.now;
    step.out.emplace_back(welcome(step, e.connection));
  }
  void operator()(const event::PeerRenewed& e) const { master_renewed(step, e); }
  void operator()(const event::OrdersArrived& e) const { orders_arrived(step, e); }
  void operator()(const event::LoadSampled& e) const { load_sampled(step, e); }
  void operator()(const event::ElimsReported& e) const { elims_reported(step, e.report); }
  void operator()(const event::MelimLost& e) const {
    step.warn("melim ended (" + e.how + "); its values are kept, it is started again");
  }
  void operator()(const event::LockAsked& e) const { lock_asked(step, e); }
  void operator()(const event::UnlockAsked&) const { unlock(step); }
  void operator()(const event::FactsFound& e) const { facts_found(step, e); }
  void operator()(const event::Reconfigured& e) const { reconfigured(step, e); }
  void operator()(const event::PlacementMade& e) const { placement_made(step, e); }
  void operator()(const event::Tick&) const {}
};

// Closes idle connections of peers that dialled and did not register.
void tidy(LimStep& step) {
  step.lim.tidy_at = step.now + step.rules().inactivity();
  std::vector<ConnectionId> idle;
  for (const auto& [connection, peer] : step.lim.peers)
    if (!peer.dialled && !peer.registered && step.now - peer.heard >= step.rules().inactivity())
      idle.push_back(connection);
  for (const ConnectionId connection : idle) close_link(step, connection);
}

// Carries out what is due, after every event, so that a busy LIM is not late.
void timers(LimStep& step) {
  Lim& lim = step.lim;
  if (!lim.started) return;
  if (lim.lock && lim.lock->until && step.now >= *lim.lock->until) own_load_changed(step);
  if (lim.role == Role::following) follow_tick(step);
  if (lim.role != Role::master) search_tick(step);
  if (lim.role == Role::master) master_tick(step);
  if (step.now >= lim.tidy_at) tidy(step);
}

}  // namespace

Lim::Lim(std::shared_ptr<const LimRules> r) : rules(std::move(r)), overridden(kBuiltInIndices, false) {
  facts.name = rules->host;
  own.load = LoadVector(rules->indices.size());
}

Effects step(Lim& lim, const Event& event, TimePoint now) {
  LimStep step{lim, now};
  std::visit(Step{step}, event);
  timers(step);
  return std::move(step.out);
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
