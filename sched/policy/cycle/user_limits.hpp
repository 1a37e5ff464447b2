// user_limits: the limits of section User of lsb.users. A function.
#pragma once

#include <vector>

#include "common/conf/lsb/lsb_users.hpp"
#include "sched/policy/cycle/placement_rules.hpp"

namespace rollcall::sched::cycle {

// MAX_JOBS and JL/P: "user" one user, "group" its members together, "group@" each of its members, "default" each user without a row, and
// each group of lsb.users without one: its members together (reference of LSF 6.2, lsb.users).
std::vector<LimitRule> user_limits(const conf::LsbUsers& users);

}  // namespace rollcall::sched::cycle
