// PreemptionLog: what a cycle tried when jobs wanted slots of running jobs. For bsched-query, which explains it
// (preemption_text.hpp); mbatchd keeps none.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

// One job that found no free slots.
struct PreemptionAttempt {
  JobKey job;
  DemandNumber demand = 0;
  WallTime allowed_from;          // later than the cycle: PREEMPT_DELAY kept it from trying
  bool tried = false;             // false: delayed, or exclusive
  long long most = 0;             // slots that all hosts could give it together, free ones included
  std::vector<HostNumber> hosts;  // with jobs to preempt and of use to it, in its order
  // Serial jobs: the host had no room, even with all slots of this queue's jobs.
  std::vector<std::pair<QueueNumber, HostNumber>> without_room;
  std::vector<ResourceId>
      missing;  // of PREEMPTABLE_RESOURCES: of these all jobs that it may preempt give back too little
  std::optional<std::uint32_t>
      limit;  // of PlacementRules::limits: without all jobs that it may preempt it has no room
  bool for_resources = false;  // none of the victims was chosen for its slots
  bool for_limits = false;     // likewise: they were chosen for a limit that counts them
  std::vector<JobKey> victims;
  bool fewest = false;         // OPTIMAL_MINI_JOB found fewer victims than the usual order has
  std::vector<JobKey> spared;  // chosen, then not needed
};
using PreemptionLog = std::vector<PreemptionAttempt>;

}  // namespace rollcall::sched::cycle
