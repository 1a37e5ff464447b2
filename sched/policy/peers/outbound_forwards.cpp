#include "sched/policy/peers/outbound_forwards.hpp"

#include <optional>
#include <set>
#include <utility>

#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/peer_identity.hpp"
#include "sched/policy/peers/queue_news.hpp"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched::peers {
namespace {

std::string host_of(const std::string& cluster) { return HostId::whole_cluster(cluster).text(); }

// Of no job that is known here: its store was lost, or its cluster lies. It is ended as it is told: a million of them are never in memory,
// nor the work of one turn.
bool is_strange(const wire::ForwardAttempt& attempt, const OutboundForwards::Port& port) {
  const Job* const job = port.find(key_of(attempt.key()));
  return !job || is_stale(job, attempt);
}

}  // namespace

bool is_there(const Attempt& attempt, const Job* job) {
  return job && is_elsewhere(job->record) && job->record.attempt() == attempt.number;
}

// ---------------------------------------------------------------- connections

void OutboundForwards::serves(const std::string& cluster) {
  gate_.serves(cluster);
  held_[cluster] = {};
  complaints_.erase(cluster);
  ++connections_[cluster];
}

bool OutboundForwards::lost(const std::string& cluster) {
  held_.erase(cluster);
  gate_.lost(cluster);
  const bool was_greeted = greeted(cluster);
  queues_.connected(cluster, false);
  queues_.takers(cluster, std::nullopt);
  return was_greeted;
}

// ---------------------------------------------------------------- what a cluster says

Result<void> OutboundForwards::heard(const std::string& cluster, const wire::PeerMessage& message,
                                     TimePoint now, Port& port) {
  using What = wire::PeerMessage::WhatCase;
  if (message.what_case() == What::kHeld) return take_held(cluster, message.held(), port);
  if (!greeted(cluster))
    return internal_error("found a message about a job before the last ForwardHeld, expected that first");
  Result<void> taken;
  switch (message.what_case()) {
    case What::kState:
      taken = take_state(cluster, message.state(), port);
      break;
    case What::kOver:
      taken = take_over(cluster, message.over(), port);
      break;
    case What::kFigures:
      take_figures(cluster, message.figures(), now, port);
      break;
    case What::kApplications:
      take_queues(cluster, message.applications());
      break;
    default:
      break;
  }
  if (!taken) complain(cluster, taken.error().text, port);
  return {};
}

Result<void> OutboundForwards::take_held(const std::string& cluster, const wire::ForwardHeld& part,
                                         Port& port) {
  const auto found = held_.find(cluster);
  if (found == held_.end())
    return internal_error("found ForwardHeld after the last part, expected it once in a connection");
  Held& held = found->second;
  held.bytes += part.ByteSizeLong();
  // Without what cannot be true of a job: an attempt takes little room here, whatever is said of it.
  for (const auto& state : part.running()) {
    if (is_strange(state.attempt(), port)) {
      ends_of_strangers_.emplace_back(cluster, end_of_stranger(state));
      continue;
    }
    auto& one = *held.all.add_running();
    *one.mutable_attempt() = state.attempt();
    if (fits(cluster, state.attempt(), state.job(), port)) *one.mutable_job() = state.job();
  }
  for (const auto& told : part.over()) {
    if (is_strange(told.attempt(), port)) {
      ends_of_strangers_.emplace_back(cluster, end_of_stranger(told));
      continue;
    }
    auto& one = *held.all.add_over();
    one = told;
    if (!fits(cluster, told.attempt(), told.job(), port)) one.clear_job();
  }
  if (held.all.running_size() + held.all.over_size() > limits_.held || held.bytes > limits_.held_bytes)
    return internal_error("found more than " + std::to_string(limits_.held) + " attempts or " +
                          std::to_string(limits_.held_bytes >> 20) + " MB of them that it holds");
  if (!part.last()) return {};
  const wire::ForwardHeld all = std::move(held.all);
  held_.erase(found);
  greet(cluster, all, port);
  return {};
}

void OutboundForwards::greet(const std::string& cluster, const wire::ForwardHeld& held, Port& port) {
  queues_.connected(cluster, true);
  gate_.greeted(cluster);
  restore(cluster, port);
  port.told(host_of(cluster), came_of(held));
  forget_ended(cluster, port);
  for (const auto& state : held.running()) {
    if (!state.has_job()) continue;  // take_held() left it out
    if (const auto taken = take_state(cluster, state, port); !taken)
      complain(cluster, taken.error().text, port);
  }
  for (const auto& over : held.over())
    if (const auto taken = take_over(cluster, over, port); !taken)
      complain(cluster, taken.error().text, port);
}

// Those that were made before mbatchd was restarted; all others are known.
void OutboundForwards::restore(const std::string& cluster, Port& port) {
  for (const JobKey key : port.jobs_on(host_of(cluster))) {
    const Job* job = port.find(key);
    if (!job || !is_elsewhere(job->record)) continue;
    const auto& there = job->record.forwarded();
    const Forward forward{{there.queue(), cluster}, there.number()};
    if (!forwards_.try_emplace({key, job->record.attempt()}, forward).second) continue;
    queues_.restored(forward.queue, forward.number, static_cast<int>(job->record.hosts(0).slots()));
  }
}

// Attempts that were killed or asked back before the cluster had heard of them: it tells no end of these.
void OutboundForwards::forget_ended(const std::string& cluster, const Port& port) {
  std::vector<Attempt> ended;
  for (const auto& [attempt, forward] : forwards_)
    if (forward.queue.cluster == cluster && !is_there(attempt, port.find(attempt.job)))
      ended.push_back(attempt);
  for (const Attempt& attempt : ended) left(attempt);
}

bool OutboundForwards::fits(const std::string& cluster, const wire::ForwardAttempt& attempt,
                            const wire::JobElsewhere& there, Port& port) {
  const Job* job = port.find(key_of(attempt.key()));
  if (!job) return there.hosts_size() == 0;
  const auto fitting = peers::fits(there, *job->asked);
  if (!fitting) complain(cluster, fitting.error().text, port);
  return fitting.has_value();
}

Result<void> OutboundForwards::take_state(const std::string& cluster, const wire::ForwardState& state,
                                          Port& port) {
  if (auto checked = check(state.attempt()); !checked) return checked;
  if (is_stale(port.find(key_of(state.attempt().key())), state.attempt())) return {};
  if (!fits(cluster, state.attempt(), state.job(), port)) return {};
  auto job = believed(state.job());
  if (!job) return job.error();
  const Attempt attempt = attempt_of(state.attempt());
  const std::string host = job->hosts_size() == 0 ? cluster : job->hosts(0).name() + "@" + cluster;
  if (gate_.answered(cluster, attempt)) port.answers_again(cluster);
  port.told(host_of(cluster), report::Elsewhere{attempt, std::move(*job)});
  if (!state.terminal()) return {};
  // No port and no key: its bsub reaches the terminal by way of us (docs/decisions/0094).
  report::Ready ready{attempt, {}};
  ready.stream.set_host(host);
  port.told(host_of(cluster), ready);
  return {};
}

Result<void> OutboundForwards::take_over(const std::string& cluster, const wire::ForwardOver& told,
                                         Port& port) {
  if (auto checked = check(told.attempt()); !checked) return checked;
  if (is_stale(port.find(key_of(told.attempt().key())), told.attempt())) {
    ends_of_strangers_.emplace_back(cluster, end_of_stranger(told));
    const Attempt stale = attempt_of(told.attempt());
    if (!is_there(stale, port.find(stale.job))) {
      if (gate_.answered(cluster, stale)) port.answers_again(cluster);
      left(stale);
    }
    return {};
  }
  if (!fits(cluster, told.attempt(), told.job(), port)) return {};
  const auto over = believed(told);
  if (!over) return over.error();
  const Attempt attempt = attempt_of(over->attempt());
  const auto known = forwards_.find(attempt);
  // A cluster that lies of a job in another one changes nothing that is known of that one.
  const bool of_cluster = known != forwards_.end() && known->second.queue.cluster == cluster;
  auto end = over_of(*over);
  if (over->how() == wire::ForwardOver::WITHDRAWN && of_cluster) {
    const auto& [queue, number] = known->second;
    queues_.came_back(queue, number);
    // Without the job: what the next job like it finds.
    if (const auto figures = queues_.figures(queue)) end.figures = slots_of(*figures);
  }
  if (of_cluster) port.over(known->second.queue, attempt, *over);
  if (gate_.answered(cluster, attempt)) port.answers_again(cluster);
  port.told(host_of(cluster), end);
  if (const auto post = post_over_of(*over)) port.told(host_of(cluster), *post);
  if (!is_there(attempt, port.find(attempt.job)))
    left(attempt);  // one that is not known there is offered again
  return {};
}

void OutboundForwards::offer_unknown(const std::string& cluster, const wire::ForwardAttempt& attempt,
                                     Port& port) {
  wire::ForwardOver over;
  *over.mutable_attempt() = attempt;
  over.set_how(wire::ForwardOver::REFUSED);
  over.set_why("cluster " + cluster + " does not know offers of this kind: its release is older");
  static_cast<void>(take_over(cluster, over, port));
}

void OutboundForwards::take_figures(const std::string& cluster, const wire::QueueFigures& figures,
                                    TimePoint now, Port& port) {
  const forward::UpdateOrder order{connections_[cluster], ++updates_[cluster]};
  for (const auto& of_queue : figures.queues()) {
    if (!port.sends_to({of_queue.name(), cluster})) continue;
    const auto news = news_of(cluster, of_queue, order);
    if (!news) {
      complain(cluster, news.error().text, port);
      continue;
    }
    // Where our clock went back over a restart, numbers of forwards begin below those that the other cluster has seen.
    if (queues_.updated(*news, now) == forward::ForwardedCounts::Outcome::invalid)
      complain(cluster,
               "passed over figures of queue " + plain_words(of_queue.name()) + " that cannot be true", port);
  }
}

void OutboundForwards::take_queues(const std::string& cluster, const wire::PeerApplications& told) {
  const auto theirs = believed(told);
  if (theirs.tells_queues())
    queues_.takers(cluster, std::set<std::string>(theirs.queues().begin(), theirs.queues().end()));
  else
    queues_.takers(cluster, std::nullopt);
}

// A peer fills no log: the first lines of a connection tell enough.
void OutboundForwards::complain(const std::string& cluster, const std::string& what, Port& port) {
  const int number = ++complaints_[cluster];
  if (number <= limits_.complaints) port.log("cluster " + cluster + ": " + what);
  if (number == limits_.complaints)
    port.log("cluster " + cluster +
             ": further messages that cannot be true are not logged until it connects again");
}

// ---------------------------------------------------------------- attempts

std::uint64_t OutboundForwards::forwarded(const Attempt& attempt, const conf::RemoteQueue& queue, int slots) {
  const std::uint64_t number = queues_.forwarded(queue, slots);
  forwards_[attempt] = {queue, number};
  return number;
}

void OutboundForwards::left(const Attempt& attempt) {
  const auto known = forwards_.find(attempt);
  if (known == forwards_.end()) return;
  queues_.gone(known->second.queue, known->second.number);
  gate_.ended(known->second.queue.cluster, attempt);
  forwards_.erase(known);
}

}  // namespace rollcall::sched::peers
