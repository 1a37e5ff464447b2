// esub_run: starts the esubs of a submission, one behind the other, and takes over what they change.
//
// They run as the user who submits, on this host, from LSF_SERVERDIR: esub, esub.NAME. What they print on standard output
// goes with the job, to eexec of the execution host, and is shown nowhere. How their files look: policy/esub_parameters.hpp.
#pragma once

#include <string>

#include "sched/policy/submit/submission.hpp"

namespace rollcall::sched {

struct EsubPlaces {
  std::string server_dir;  // LSF_SERVERDIR
  std::string bin_dir;     // LSF_BINDIR
  std::string env_dir;     // LSF_ENVDIR
  std::string method;      // LSB_ESUB_METHOD of lsf.conf
};

inline constexpr std::size_t kMostEsubOutput = 64 << 10;  // bytes, of all esubs of a job

// Errors: an esub that is asked for and not there, one that refuses the job (it exits with LSB_SUB_ABORT_VALUE), changes
// that cannot be meant, more output than kMostEsubOutput.
Result<void> run_esubs(submit::Draft& draft, const EsubPlaces& places, const submit::SubmitContext& context);

}  // namespace rollcall::sched
