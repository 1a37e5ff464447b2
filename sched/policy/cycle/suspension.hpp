// Which running jobs stop and which suspended ones go on: by load (loadStop, STOP_COND; loadSched, RESUME_COND), run windows
// and locked hosts. A function over a WorkingState, in which jobs that go on take back what they had released.
//
// What users and administrators stopped is not its business. Rules: "Administering Platform LSF", load thresholds.
//
//   a host of the job       its queue's RUN_WINDOW    | load             | then
//   locked                  any                       | any              | suspended: HOST_LOCKED, at once
//   any                     closed                    | any              | suspended: WINDOW, at once
//   any                     open                      | beyond loadStop  | suspended: LOAD, one job of a host in an interval
//   all open                open                      | below loadSched  | goes on, likewise one by one
#pragma once

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

// Adds to `plan`.
void plan_suspensions(WorkingState& state, Plan& plan);

}  // namespace rollcall::sched::cycle
