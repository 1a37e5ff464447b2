// queue_figures: what this cluster tells others of a queue that takes their jobs: the five counters, priorities, host types and Boolean
// resources. Pure; one look at all hosts and jobs. "Using Platform LSF MultiCluster", enhanced job forwarding; docs/decisions/0086.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

// In slots.
struct QueueFigures {
  long long total = 0;        // of hosts of the queue that are ok, or closed only because they are full
  long long available = 0;    // of them, without a job
  long long running = 0;      // of running jobs of this queue
  long long pending = 0;      // that its pending jobs ask for
  long long preemptable = 0;  // available, and those it can take from running jobs of other queues
  std::optional<int>
      lowest_preemptable;  // PRIORITY of the lowest queue that it can preempt; none: it preempts no queue
  std::vector<std::string> types, booleans;  // of those hosts, sorted, each once
};
// By queue number; queues that `wanted` leaves out have empty figures.
std::vector<QueueFigures> queue_figures(const Snapshot& snapshot, WallTime now,
                                        const std::vector<bool>& wanted);

}  // namespace rollcall::sched::cycle
