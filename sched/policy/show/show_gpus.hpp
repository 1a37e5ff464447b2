// What -gpu adds to bjobs -l and bhist -l: what a job asks for of GPUs, and which it has. Pure.
//
// GPUs are counted by an elim and known by their numbers (docs/decisions/0036): what only a driver could tell is "-".
#pragma once

#include <string>

#include "sched/policy/show/show_jobs.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::show {

// " GPU REQUIREMENT DETAILS:" of a job that asks for some, " GPU_ALLOCATION:" of one that has some; else "".
std::string gpu_blocks(const JobView& job, const wire::Submission& asked, Wrapping wrapping);
// The table begins with a blank line; "" for none.
std::string gpu_allocation(const JobDevices& gpus);

}  // namespace rollcall::sched::show
