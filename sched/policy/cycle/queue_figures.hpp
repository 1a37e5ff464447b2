// queue_figures: what this cluster tells others of a queue that takes their jobs: the five counters, priorities, host types, Boolean
// resources and the values of resources that it compares. Pure; one look at all hosts and jobs. "Using Platform LSF MultiCluster", enhanced job forwarding; docs/decisions/0086.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

// What hosts of a queue have of one resource of MC_RESOURCE_MATCHING_CRITERIA.
struct ToldValues {
  std::string name;
  std::vector<double> numbers;     // of a numeric resource, sorted, each once
  std::vector<std::string> words;  // of a string resource, likewise
  bool more = false;               // more than kMostToldValues: the least and the greatest number, no words
  friend bool operator==(const ToldValues&, const ToldValues&) = default;
};
inline constexpr std::size_t kMostToldValues = 64;

// In slots.
struct QueueFigures {
  long long total = 0;        // of hosts of the queue that are ok, or closed only because they are full
  long long available = 0;    // of them, without a job and outside of ReservedSlots
  long long running = 0;      // of running jobs of this queue
  long long pending = 0;      // that its pending jobs ask for
  long long preemptable = 0;  // available, and those it can take from running jobs of other queues
  std::optional<int>
      lowest_preemptable;  // PRIORITY of the lowest queue that it can preempt; none: it preempts no queue
  std::vector<std::string> types, booleans;  // of those hosts, sorted, each once
  std::vector<ToldValues> values;            // of those hosts, in the order of MC_RESOURCE_MATCHING_CRITERIA
};
// By host number: slots that active advance reservations keep free for their users, beyond those of jobs that run there; they are
// not available. Reservations that are not active do not count. Empty: none, as in this release, which has no advance reservations.
using ReservedSlots = std::vector<int>;

// By queue number; queues that `wanted` leaves out have empty figures.
std::vector<QueueFigures> queue_figures(const Snapshot& snapshot, WallTime now,
                                        const std::vector<bool>& wanted, const ReservedSlots& reserved = {});

}  // namespace rollcall::sched::cycle
