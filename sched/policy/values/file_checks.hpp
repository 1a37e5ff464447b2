// check_requirements: checks the resource requirements in the batch system's files, which common/conf does not parse. A function.
// badmin calls it before a reconfiguration, mbatchd for its log.
#pragma once

#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::sched {

// RES_REQ, RESUME_COND and STOP_COND of queues, RES_REQ of profiles. Errors: syntax; warnings: a resource that no file defines.
void check_requirements(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                        conf::Problems& problems);

}  // namespace rollcall::sched
