// forwardable: which pending jobs may be offered to other clusters now: those of queues with SNDJOBS_TO that the cycle before has not
// started here. Pure. Which queue of which cluster each is offered to is sched/policy/forward.
#pragma once

#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

struct ForwardableJob {
  JobKey job;
  DemandNumber demand = 0;
};

// At most `most`, in the order in which a cycle would start them: by priority of the queue, then by place in it. Jobs that their
// queue, a window, a date or a limit of jobs holds back are left out, since that would hold them here too. Elements above the limit
// of their array are left out. It costs as much as the demands that wait, and `most`.
std::vector<ForwardableJob> forwardable(const Snapshot& snapshot, WallTime now, std::size_t most);

}  // namespace rollcall::sched::cycle
