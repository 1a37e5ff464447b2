// plan_suspensions: which running jobs are suspended and which suspended ones resume, by load (loadStop, STOP_COND; loadSched,
// RESUME_COND), run windows and locked hosts. A job that resumes takes back in the WorkingState what it had released.
//
// Jobs that users or administrators stopped stay so. Rules: "Administering Platform LSF", load thresholds.
//
//   hosts of the job | RUN_WINDOW of its queue | load            | the job
//   one is locked    | any                     | any             | is suspended at once: HOST_LOCKED
//   any              | closed                  | any             | is suspended at once: WINDOW
//   none is locked   | open                    | beyond loadStop | is suspended: LOAD; one job of a host in SBD_SLEEP_TIME
//   none is locked   | open                    | any             | resumes from HOST_LOCKED and WINDOW at once
//   none is locked   | open                    | below loadSched | resumes from LOAD; one job of a host in SBD_SLEEP_TIME
#pragma once

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

// Adds to `plan`.
void plan_suspensions(WorkingState& state, Plan& plan);

}  // namespace rollcall::sched::cycle
