#include "res/shepherd/job_limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rollcall::res {
namespace {
constexpr rlim_t kCpuMargin = 30;  // seconds

// A client may send any number; negative ones, and those that overflow as bytes, mean unlimited.
rlim_t bytes_of(std::int64_t kb) {
  return kb < 0 || kb > std::numeric_limits<std::int64_t>::max() / 1024 ? RLIM_INFINITY
                                                                        : static_cast<rlim_t>(kb) * 1024;
}
}  // namespace

std::vector<io::SpawnLimit> process_limits(const wire::Limits& limits, const wire::Enforcement& enforcement) {
  std::vector<io::SpawnLimit> result;
  const auto add = [&](int resource, std::int64_t kb) { result.push_back({resource, bytes_of(kb)}); };
  if (limits.has_core_kb()) add(RLIMIT_CORE, limits.core_kb());
  if (limits.has_data_kb()) add(RLIMIT_DATA, limits.data_kb());
  if (limits.has_file_kb()) add(RLIMIT_FSIZE, limits.file_kb());
  if (limits.has_stack_kb()) add(RLIMIT_STACK, limits.stack_kb());
  // The kernel sends XCPU at the soft limit, and KILL at the hard one.
  if (limits.has_cpu_s() && enforcement.cpu_of_process()) {
    const auto seconds = static_cast<rlim_t>(limits.cpu_s());
    // If the shepherd enforces the job's limit, the hard one stays unlimited, so that bmod may raise the soft one.
    result.push_back({RLIMIT_CPU, seconds, enforcement.cpu_of_job() ? RLIM_INFINITY - seconds : kCpuMargin});
  }
  // The kernel does not limit resident sets; a limit on the address space is the nearest one.
  if (limits.has_memory_kb() && enforcement.memory_of_process()) add(RLIMIT_AS, limits.memory_kb());
  return result;
}

void change_limits(const wire::Limits& limits, const wire::Enforcement& enforcement,
                   const std::vector<pid_t>& processes) {
  std::vector<io::SpawnLimit> wanted = process_limits(limits, enforcement);
  // Lift the limits that the job no longer has.
  if (!limits.has_cpu_s() && enforcement.cpu_of_process()) wanted.push_back({RLIMIT_CPU, RLIM_INFINITY, 0});
  if (!limits.has_memory_kb() && enforcement.memory_of_process())
    wanted.push_back({RLIMIT_AS, RLIM_INFINITY, 0});
  for (const pid_t pid : processes)
    for (const auto& limit : wanted) {
      if (limit.resource != RLIMIT_CPU && limit.resource != RLIMIT_AS) continue;
      rlimit now{};
      if (prlimit(pid, static_cast<__rlimit_resource>(limit.resource), nullptr, &now) != 0) continue;
      now.rlim_cur = std::min(limit.value, now.rlim_max);
      prlimit(pid, static_cast<__rlimit_resource>(limit.resource), &now, nullptr);
    }
}

}  // namespace rollcall::res
