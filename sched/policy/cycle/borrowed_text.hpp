// Why a job that starts got borrowed hosts: words for bsched-query --why. Why a borrowed host was not taken is a pending reason
// (demand_reasons.cpp).
#pragma once

#include <string>

#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::cycle {

// A line for each borrowed host that `plan` gives the job, each with its newline; "": it gives none. `before`: what the plan was made
// of.
std::string borrowed_text(const Snapshot& before, WallTime now, const Plan& plan, JobKey job);

}  // namespace rollcall::sched::cycle
