// reasons_of_demand: why the jobs of one demand pend. First the reasons of the demand as a whole, then those of the hosts, hosts
// with the same reason together. A pure function of a WorkingState; pending_reasons.cpp calls it once for jobs that share reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

// Looks at every host. `job` is a job of the demand; hosts that it excludes are among the reasons.
std::vector<PendingReason> reasons_of_demand(const WorkingState& state, const Snapshot::DemandEntry& entry,
                                             const PendingJob& job);

// "90 s", "5 min", "3 h 20 min", "4 days".
std::string duration_text(std::int64_t seconds);

}  // namespace rollcall::sched::cycle
