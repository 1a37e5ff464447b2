// What bsched-query says of preemption: which running jobs a job preempts and why these, which jobs it passed over and why.
#pragma once

#include <optional>
#include <string>

#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::cycle {

// `job`: one that preempts, would preempt, or is preempted. `before`: the snapshot that the plan was made of, with `log`.
// "": the cycle tried no preemption for it, and preempts it for no job.
std::string preemption_text(const Snapshot& before, WallTime now, const PreemptionLog& log, JobKey job);

}  // namespace rollcall::sched::cycle
