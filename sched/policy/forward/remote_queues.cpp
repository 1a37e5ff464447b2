#include "sched/policy/forward/remote_queues.hpp"

#include <algorithm>
#include <utility>

namespace rollcall::sched::forward {

void RemoteQueues::connected(const std::string& cluster, bool so) {
  if (so) {
    connected_.insert(cluster);
    return;
  }
  connected_.erase(cluster);
  for (auto of = queues_.lower_bound({cluster, ""}); of != queues_.end() && of->first.first == cluster; ++of)
    of->second.closed = false;
}

void RemoteQueues::takers(const std::string& cluster, std::optional<std::set<std::string>> queues) {
  if (queues)
    takers_[cluster] = std::move(*queues);
  else
    takers_.erase(cluster);
}

RemoteQueues::Known& RemoteQueues::known(const conf::RemoteQueue& queue) {
  return queues_
      .try_emplace(name_of(queue), Known{ForwardedCounts(first_), false, {}, 1, {}, {}, {}, {}, false})
      .first->second;
}

ForwardedCounts::Outcome RemoteQueues::updated(const QueueNews& news, TimePoint now) {
  Known& queue = known(news.name);
  const auto outcome = queue.counts.updated(news.update);
  // That it is closed is no number: it holds also where the figures cannot be true.
  if (outcome != ForwardedCounts::Outcome::outdated) queue.closed = news.closed;
  if (outcome != ForwardedCounts::Outcome::taken) return outcome;
  queue.told = true;
  queue.told_at = now;
  queue.priority = news.priority;
  queue.lowest_preemptable = news.lowest_preemptable;
  queue.types = news.types;
  queue.booleans = news.booleans;
  queue.values = news.values;
  return outcome;
}

std::uint64_t RemoteQueues::forwarded(const conf::RemoteQueue& queue, int slots) {
  return known(queue).counts.forwarded(slots);
}

void RemoteQueues::restored(const conf::RemoteQueue& queue, std::uint64_t forward, int slots) {
  known(queue).counts.restored(forward, slots);
}

void RemoteQueues::gone(const conf::RemoteQueue& queue, std::uint64_t forward) {
  if (const auto found = queues_.find(name_of(queue)); found != queues_.end())
    found->second.counts.gone(forward);
}

void RemoteQueues::came_back(const conf::RemoteQueue& queue, std::uint64_t forward) {
  if (const auto found = queues_.find(name_of(queue)); found != queues_.end())
    found->second.counts.came_back(forward);
}

std::optional<Figures> RemoteQueues::figures(const conf::RemoteQueue& queue) const {
  const auto found = queues_.find(name_of(queue));
  return found == queues_.end() ? std::nullopt : found->second.counts.figures();
}

RemoteQueue RemoteQueues::described(const conf::RemoteQueue& queue, TimePoint now) const {
  RemoteQueue remote;
  remote.name = queue;
  remote.connected = connected(queue.cluster);
  const auto takers = takers_.find(queue.cluster);
  if (takers != takers_.end() && !takers->second.contains(queue.queue))
    remote.closed = "it does not receive jobs of this cluster (RCVJOBS_FROM there)";
  const auto found = queues_.find(name_of(queue));
  if (found == queues_.end()) return remote;
  const Known& known = found->second;
  if (known.closed && remote.closed.empty()) {
    remote.closed_there = true;
    remote.closed = "it is closed in its cluster (badmin qopen there opens it)";
  }
  if (!known.told) return remote;
  remote.figures = known.counts.figures();
  remote.age = now - known.told_at;
  remote.priority = known.priority;
  remote.lowest_preemptable = known.lowest_preemptable;
  remote.types = known.types;
  remote.booleans = known.booleans;
  remote.values = known.values;
  return remote;
}

std::vector<RemoteQueue> RemoteQueues::of(const std::vector<conf::RemoteQueue>& sends_to,
                                          const std::vector<std::string>& clusters, TimePoint now) const {
  std::vector<RemoteQueue> remote;
  std::set<Name> named;
  const auto add = [&](const conf::RemoteQueue& queue, bool peer) {
    if (!named.insert(name_of(queue)).second) return;
    remote.push_back(described(queue, now));
    remote.back().peer = peer;
  };
  for (const auto& queue : sends_to)
    if (queue.cluster != "allclusters")
      add(queue, std::find(clusters.begin(), clusters.end(), queue.cluster) != clusters.end());
    else
      for (const auto& cluster : clusters) add({queue.queue, cluster}, true);
  return remote;
}

}  // namespace rollcall::sched::forward
