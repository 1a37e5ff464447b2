// esub_run: runs the esubs of a submission one after the other, and applies their changes.
//
// They run as the user who submits, on this host, from LSF_SERVERDIR: esub, esub.NAME. What they print on standard output
// goes with the job, to eexec of the execution host; their standard error is that of the program. How their files look:
// sched/policy/submit/esub_parameters.hpp.
#pragma once

#include <string>

#include "sched/policy/submit/submission.hpp"

namespace rollcall::client {

struct EsubPlaces {
  std::string server_dir;  // LSF_SERVERDIR
  std::string bin_dir;     // LSF_BINDIR
  std::string env_dir;     // LSF_ENVDIR
  std::string method;      // LSB_ESUB_METHOD of lsf.conf
};

inline constexpr std::size_t kMostEsubOutput = 64 << 10;  // bytes, of all esubs of a job

// Errors: an esub that is asked for and not there, one that refuses the job (it exits with LSB_SUB_ABORT_VALUE), invalid
// changes, more output than kMostEsubOutput.
struct EsubsRun {
  Result<void> done;
  std::string output;  // where they failed: what they printed, which may say why
};
EsubsRun run_esubs(sched::submit::Draft& draft, const EsubPlaces& places,
                   const sched::submit::SubmitContext& context);

}  // namespace rollcall::client
