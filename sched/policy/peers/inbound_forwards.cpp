#include "sched/policy/peers/inbound_forwards.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/peers/crossing.hpp"

namespace rollcall::sched::peers {
namespace {

// Leaves out of a report what may not cross: the processes of a job.
SaidOfAttempt without_processes(SaidOfAttempt said) {
  auto* const job = said.state                          ? said.state->mutable_job()
                    : said.over && said.over->has_job() ? said.over->mutable_job()
                                                        : nullptr;
  if (job && job->has_usage()) *job->mutable_usage() = crossing(job->usage());
  return said;
}

// A queue's offers are numbered by the cluster that makes them: by the queue that it asked for, whatever became of the job here.
const std::string& queue_of(const Job& job) {
  return job.asked->queues_size() > 0 ? job.asked->queues(0) : job.record.queue();
}

}  // namespace

// ---------------------------------------------------------------- connections

void InboundForwards::serves(const std::string& cluster) {
  Peer& peer = peers_[cluster];
  peer = {};
  peer.connection = ++connections_;
}

InboundForwards::Peer* InboundForwards::peer(const std::string& cluster) {
  const auto found = peers_.find(cluster);
  return found == peers_.end() ? nullptr : &found->second;
}

const InboundForwards::Peer* InboundForwards::peer(const std::string& cluster) const {
  const auto found = peers_.find(cluster);
  return found == peers_.end() ? nullptr : &found->second;
}

std::vector<std::string> InboundForwards::connected() const {
  std::vector<std::string> names;
  for (const auto& [cluster, peer] : peers_) names.push_back(cluster);
  return names;
}

std::vector<std::string> InboundForwards::greeted() const {
  std::vector<std::string> names;
  for (const auto& [cluster, peer] : peers_)
    if (peer.greeted) names.push_back(cluster);
  return names;
}

// ---------------------------------------------------------------- what a cluster says

Result<void> InboundForwards::heard(const std::string& cluster, wire::PeerMessage message) {
  Peer* const from = peer(cluster);
  if (!from) return {};
  from->waiting_bytes += message.ByteSizeLong();
  if (from->inbox.size() >= limits_.waiting || from->waiting_bytes > limits_.waiting_bytes)
    return internal_error("found more than " + std::to_string(limits_.waiting) + " messages or " +
                          std::to_string(limits_.waiting_bytes >> 20) +
                          " MB that wait for a user's name, or for room for answers");
  from->inbox.push_back(std::move(message));
  return {};
}

const wire::PeerMessage* InboundForwards::next(const std::string& cluster) const {
  const Peer* const from = peer(cluster);
  const bool held_back = !from || from->looks_up || from->answers.size() >= limits_.answers;
  return held_back || from->inbox.empty() ? nullptr : &from->inbox.front();
}

void InboundForwards::taken(const std::string& cluster) {
  Peer* const from = peer(cluster);
  if (!from || from->inbox.empty()) return;
  from->waiting_bytes -= from->inbox.front().ByteSizeLong();
  from->inbox.pop_front();
}

std::uint64_t InboundForwards::looks_up(const std::string& cluster) {
  Peer* const from = peer(cluster);
  if (!from) return 0;
  from->looks_up = true;
  return from->connection;
}

bool InboundForwards::looked_up(const std::string& cluster, std::uint64_t connection) {
  Peer* const from = peer(cluster);
  if (!from || from->connection != connection) return false;
  from->looks_up = false;
  return true;
}

void InboundForwards::note(Peer& peer, const std::string& queue, std::uint64_t number) {
  auto& highest = peer.numbers[queue];
  highest = std::max(highest, number);
}

void InboundForwards::offered(const std::string& cluster, const std::string& queue, std::uint64_t number) {
  if (Peer* const from = peer(cluster)) note(*from, queue, number);
}

std::uint64_t InboundForwards::accounts_for(const std::string& cluster, const std::string& queue) const {
  const Peer* const of = peer(cluster);
  if (!of) return 0;
  const auto number = of->numbers.find(queue);
  return number == of->numbers.end() ? 0 : number->second;
}

// ---------------------------------------------------------------- what is told

void InboundForwards::answered(const std::string& cluster, const SaidOfAttempt& said) {
  if (said.state)
    changed_.insert(key_of(said.state->job().key()));
  else if (said.over->has_job())
    changed_.insert(key_of(said.over->job().key()));
  else
    refused(cluster, *said.over);
}

void InboundForwards::refused(const std::string& cluster, wire::ForwardOver over) {
  wire::PeerMessage message;
  *message.mutable_over() = std::move(over);
  also(cluster, std::move(message));
}

void InboundForwards::also(const std::string& cluster, wire::PeerMessage message) {
  if (Peer* const to = peer(cluster)) to->answers.push_back(std::move(message));
}

void InboundForwards::changed(const std::set<JobKey>& jobs) {
  if (any()) changed_.insert(jobs.begin(), jobs.end());
}

// Sending may end a connection, and then removes its peer.
void InboundForwards::flush(const Jobs& jobs, const Say& say) {
  for (const std::string& cluster : connected())
    for (auto& message : due_for(cluster, jobs)) say(cluster, std::move(message));
  std::set<JobKey> waiting;
  for (const JobKey job : std::exchange(changed_, {}))
    if (!tell(job, jobs, say)) waiting.insert(job);
  changed_.merge(waiting);
  reasons_.clear();
}

bool InboundForwards::greets() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const auto& one) { return !one.second.greeted; });
}

std::vector<wire::PeerMessage> InboundForwards::due_for(const std::string& cluster, const Jobs& jobs) {
  Peer* const to = peer(cluster);
  if (!to) return {};
  std::vector<wire::PeerMessage> due;
  if (!to->greeted) due.push_back(greeting(cluster, *to, jobs));
  if (!to->greeted) return due;
  for (auto& answer : std::exchange(to->answers, {})) due.push_back(std::move(answer));
  return due;
}

// The next part.
wire::PeerMessage InboundForwards::greeting(const std::string& cluster, Peer& peer, const Jobs& jobs) {
  if (!peer.untold) {
    peer.untold = jobs.held_for(cluster);
    std::reverse(peer.untold->begin(), peer.untold->end());
  }
  wire::PeerMessage message;
  auto& held = *message.mutable_held();
  std::size_t bytes = 0;
  for (auto& untold = *peer.untold; !untold.empty() && bytes < limits_.full_part; untold.pop_back()) {
    const JobKey job = untold.back();
    auto known = jobs.said_of(job);
    if (!known) continue;
    if (const Job* record = jobs.find(job)) note(peer, queue_of(*record), record->record.from().number());
    auto said = without_processes(std::move(*known));
    bytes += said.state ? said.state->ByteSizeLong() : said.over->ByteSizeLong();
    if (said.state) *held.add_running() = std::move(*said.state);
    if (said.over) *held.add_over() = std::move(*said.over);
  }
  if (!peer.untold->empty()) return message;
  peer.untold.reset();
  peer.greeted = true;
  held.set_last(true);
  return message;
}

bool InboundForwards::tell(JobKey job, const Jobs& jobs, const Say& say) {
  const Job* record = jobs.find(job);
  const Peer* const to = record ? peer(record->record.from().cluster()) : nullptr;
  if (!to) return true;
  if (!to->greeted) return false;
  const std::string cluster = record->record.from().cluster();
  auto known = jobs.said_of(job);
  if (!known) return true;
  auto said = without_processes(std::move(*known));
  wire::PeerMessage message;
  if (said.state) {
    auto& state = *said.state;
    if (pending(state.job().status()) && state.job().why().empty() && state.attempt().lent_host().empty()) {
      const auto reason = reasons_.find(job);
      state.mutable_job()->set_why(reason == reasons_.end() ? jobs.why(job) : reason->second);
    }
    *message.mutable_state() = std::move(state);
  } else {
    *message.mutable_over() = std::move(*said.over);
  }
  say(cluster, std::move(message));
  return true;
}

InboundForwards::Unfinished InboundForwards::unfinished_of(const std::string& cluster, const Jobs& jobs) {
  Unfinished unfinished;
  for (const JobKey job : jobs.held_for(cluster)) {
    const Job* found = jobs.find(job);
    if (!found || finished(found->status())) continue;
    (pending(shown_status(found->record)) ? unfinished.pending : unfinished.running).insert(job);
  }
  return unfinished;
}

void InboundForwards::tell_running(const Jobs& jobs) {
  for (const auto& [cluster, peer] : peers_) changed_.merge(unfinished_of(cluster, jobs).running);
}

void InboundForwards::tell_reasons(const Jobs& jobs, std::optional<std::size_t> most_bytes) {
  const auto why = [&jobs](JobKey job) { return jobs.why(job); };
  for (auto& [cluster, peer] : peers_)
    for (auto& told : peer.reasons.next(unfinished_of(cluster, jobs).pending, most_bytes, why)) {
      changed_.insert(told.job);
      reasons_[told.job] = std::move(told.why);
    }
}

}  // namespace rollcall::sched::peers
