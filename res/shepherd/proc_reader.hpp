// proc_reader: what the kernel says of processes, in the words of res/policy/job_usage.hpp. Functions.
#pragma once

#include <sys/types.h>

#include <vector>

#include "res/policy/job_usage.hpp"

namespace rollcall::res {

// Of those that live (no zombies); a process that goes meanwhile is left out.
std::vector<ProcessFacts> read_processes(const std::vector<pid_t>& pids);

// Of everything this process has waited for.
struct EndedUsage {
  double user_s = 0, system_s = 0;
  std::int64_t largest_kb = 0;  // the largest resident set of one process
};
EndedUsage ended_usage();
// Of this process itself.
EndedUsage own_times();

}  // namespace rollcall::res
