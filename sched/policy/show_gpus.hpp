// What -gpu adds to bjobs -l and bhist -l: what a job asks for of GPUs, and which it has. Pure.
//
// GPUs are counted by an elim and known by their numbers (docs/decisions/0036): what only a driver could tell is "-".
#pragma once

#include <string>
#include <string_view>

#include "sched/policy/show_jobs.hpp"

namespace rollcall::sched {

// " GPU REQUIREMENT DETAILS:" of a job that asks for some, " GPU_ALLOCATION:" of one that has some; else "".
std::string gpu_blocks(const JobView& job, const wire::Submission& asked, Wrapping wrapping);
// `gpus`: of the job's record, "hostA 0,1;hostB 0". The table begins with a blank line; "" for none.
std::string gpu_allocation(std::string_view gpus);

}  // namespace rollcall::sched
