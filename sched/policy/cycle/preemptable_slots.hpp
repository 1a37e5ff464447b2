// How many slots each queue could have by preemption now. Pure; one look at all running jobs. Clusters that forward jobs tell one
// another these numbers (docs/decisions/0086).
#pragma once

#include <optional>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

class WorkingState;

struct PreemptableSlots {
  // Of running jobs that jobs of the queue may preempt now, on hosts of the queue that accept jobs. Requirements and limits of a
  // job may leave it fewer. Two queues may count the same slot.
  long long slots = 0;
  std::optional<int>
      lowest_priority;  // PRIORITY of the lowest queue that it may preempt; none: it preempts no queue
};
// By queue number.
std::vector<PreemptableSlots> preemptable_slots(const Snapshot& snapshot, WallTime now);
// For callers that have the state already; as it was made, before a plan changes it.
std::vector<PreemptableSlots> preemptable_slots(const WorkingState& state);

}  // namespace rollcall::sched::cycle
