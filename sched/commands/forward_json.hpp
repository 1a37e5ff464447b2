// What bsched-query -json prints of remote queues: for each job the offers, and every queue with its verdict, its numbers and their
// age. A function; names are those of the man page, bsched-query(1).
#pragma once

#include <string>

#include "sched/policy/forward/forward_scenario.hpp"

namespace rollcall::sched {

// With `job` of that one alone.
std::string forward_json(const forward::ForwardScenario& scenario, const std::string& job);

}  // namespace rollcall::sched
