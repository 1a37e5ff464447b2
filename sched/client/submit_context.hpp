// submit_context: what the options of bsub and bmod depend on besides their words: the directory and time of the call, the
// settings.
#pragma once

#include <string>

#include "common/conf/cluster_files.hpp"
#include "sched/policy/submit/submission.hpp"

namespace rollcall::client {

// Error: LSF_UNIT_FOR_LIMITS is invalid.
Result<sched::submit::SubmitContext> submit_context(const conf::ClusterFiles& files,
                                                    const std::string& from_host);

}  // namespace rollcall::client
