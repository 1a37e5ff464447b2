// Job: runs one parallel job: carries out what the roll decides.
//
// Owns the loop, the signals, the launcher's process and the TaskStarters' connections. It decides nothing: every
// event goes to step() of policy/roll.hpp, every effect is done as it says.
#pragma once

#include "pam/settings.hpp"

namespace rollcall::pam {

// Starts the launcher and returns pam's exit status when the job is over. Errors: what kept the launcher from being
// started at all (the key, the listening socket, the report file); nothing runs then.
Result<int> run_job(const Settings& settings);

}  // namespace rollcall::pam
