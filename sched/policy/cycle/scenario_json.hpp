// What bsched-query -json prints: the plan of one cycle of a scenario, its preemptions with the jobs that they passed over, and why jobs
// still pend. A function; names are those of the man page, bsched-query(1).
#pragma once

#include <optional>
#include <string>

#include "sched/policy/cycle/scenario.hpp"

namespace rollcall::sched::cycle {

// With `job` only what concerns this job.
std::string scenario_json(Scenario scenario, std::optional<JobKey> job);

}  // namespace rollcall::sched::cycle
