// RemoteQueues: the queues of other clusters that this one may forward to: what each cluster has told of them, and what was forwarded
// since (ForwardedCounts). A value with invariants; mbatchd of the submission cluster owns one. It touches nothing: times are given.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sched/policy/forward/forwarded_counts.hpp"

namespace rollcall::sched::forward {

// What one update says of a queue.
struct QueueNews {
  conf::RemoteQueue name;
  Update update;
  int priority = 1;
  std::optional<int> lowest_preemptable;
  std::vector<std::string> types, booleans;
  std::vector<ResourceValues> values;
  bool closed = false;  // badmin qclose there
};

class RemoteQueues {
 public:
  // Numbers of forwards begin here: above all that were used before a restart.
  explicit RemoteQueues(std::uint64_t first_forward) : first_(first_forward) {}

  // A cluster that is not connected takes no jobs; what is known of its queues stays, but for that they are closed: once it is connected
  // it tells that again, if it sends figures.
  void connected(const std::string& cluster, bool so);
  bool connected(const std::string& cluster) const { return connected_.contains(cluster); }

  // The queues of a cluster that take jobs of this one, by their names; none: it has not told.
  void takers(const std::string& cluster, std::optional<std::set<std::string>> queues);
  ForwardedCounts::Outcome updated(const QueueNews& news, TimePoint now);
  // Gives the number of the forward.
  std::uint64_t forwarded(const conf::RemoteQueue& queue, int slots);
  // A forward that was made before a restart.
  void restored(const conf::RemoteQueue& queue, std::uint64_t forward, int slots);
  void gone(const conf::RemoteQueue& queue, std::uint64_t forward);
  void came_back(const conf::RemoteQueue& queue, std::uint64_t forward);

  // For choose(), in the order of `sends_to`: SNDJOBS_TO with `allclusters` as `clusters`, each once.
  std::vector<RemoteQueue> of(const std::vector<conf::RemoteQueue>& sends_to,
                              const std::vector<std::string>& clusters, TimePoint now) const;
  std::optional<Figures> figures(const conf::RemoteQueue& queue) const;

 private:
  struct Known {
    ForwardedCounts counts;
    bool told = false;
    TimePoint told_at;
    int priority = 1;
    std::optional<int> lowest_preemptable;
    std::vector<std::string> types, booleans;
    std::vector<ResourceValues> values;
    bool closed = false;
  };
  using Name = std::pair<std::string, std::string>;  // cluster, queue
  static Name name_of(const conf::RemoteQueue& queue) { return {queue.cluster, queue.queue}; }
  Known& known(const conf::RemoteQueue& queue);
  RemoteQueue described(const conf::RemoteQueue& queue, TimePoint now) const;

  std::uint64_t first_;
  std::map<Name, Known> queues_;
  std::set<std::string> connected_;
  std::map<std::string, std::set<std::string>> takers_;  // by cluster
};

}  // namespace rollcall::sched::forward
