// proc_reader: reads processes from the kernel into the values of res/policy/job_usage.hpp. Functions.
#pragma once

#include <sys/types.h>

#include <vector>

#include "res/policy/job_usage.hpp"

namespace rollcall::res {

// All living processes (no zombies); one that ends meanwhile is left out.
std::vector<ProcessFacts> read_processes(const std::vector<pid_t>& pids);

// Whether one of the processes runs or sleeps, so that it is not stopped. One that waits in the kernel (D) may be stopped as soon as it
// leaves it, and does nothing until then.
bool any_runs(const std::vector<pid_t>& pids);

// Usage of all processes that this one has waited for.
struct EndedUsage {
  double user_s = 0, system_s = 0;
  std::int64_t largest_kb = 0;  // the largest resident set of one process
};
EndedUsage ended_usage();
// Usage of this process itself.
EndedUsage own_times();

}  // namespace rollcall::res
