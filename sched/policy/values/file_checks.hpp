// What is wrong with the batch system's files beside what common/conf finds: requirements are a language of their own, which
// only those who schedule know. A function. badmin asks it before new files are taken, mbatchd for its log.
#pragma once

#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::sched {

// RES_REQ, RESUME_COND and STOP_COND of each queue. Errors: what cannot be read; warnings: a resource that no file defines.
void check_requirements(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                        conf::Problems& problems);

}  // namespace rollcall::sched
