// show_gpus: the part of bjobs -l and bhist -l that -gpu adds: the GPUs that a job asks for, and those that it has. Pure.
//
// An elim counts GPUs, and only their numbers are known (docs/decisions/0036). Values that need a driver are "-".
#pragma once

#include <string>

#include "sched/policy/show/show_jobs.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::show {

// " GPU REQUIREMENT DETAILS:" if the job asks for GPUs, " GPU_ALLOCATION:" if it has some; else "".
std::string gpu_blocks(const JobView& job, const wire::Submission& asked, Wrapping wrapping);
// The table begins with a blank line; "" for none.
std::string gpu_allocation(const JobDevices& gpus);

}  // namespace rollcall::sched::show
