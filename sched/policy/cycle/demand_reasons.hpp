// Why the jobs of one demand pend: what stands in the way of all of them, then each host that is not for them, hosts with the
// same reason together. A function over a WorkingState; who asks for which job is pending_reasons.cpp's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

// It looks at every host. `job` is one of the demand's: hosts excluded for it count.
std::vector<PendingReason> reasons_of_demand(const WorkingState& state, const Snapshot::DemandEntry& entry,
                                             const PendingJob& job);

// "90 s", "5 min", "3 h 20 min", "4 days".
std::string duration_text(std::int64_t seconds);

}  // namespace rollcall::sched::cycle
