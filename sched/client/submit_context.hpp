// submit_context: what the surroundings of bsub and bmod say to their options: where they were called, by which settings, when.
#pragma once

#include <string>

#include "common/conf/cluster_files.hpp"
#include "sched/policy/submit/submission.hpp"

namespace rollcall::client {

// The error: LSF_UNIT_FOR_LIMITS cannot be meant.
Result<sched::submit::SubmitContext> submit_context(const conf::ClusterFiles& files,
                                                    const std::string& from_host);

}  // namespace rollcall::client
