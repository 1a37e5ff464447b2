#include "res/shepherd/job_limits.hpp"

#include <sys/resource.h>

namespace rollcall::res {
namespace {
constexpr rlim_t kCpuMargin = 30;  // seconds
}

std::vector<io::SpawnLimit> process_limits(const wire::Limits& limits, const wire::Enforcement& enforcement) {
  std::vector<io::SpawnLimit> result;
  const auto add = [&](int resource, std::int64_t value) {
    result.push_back({resource, static_cast<rlim_t>(value)});
  };
  if (limits.has_core_kb()) add(RLIMIT_CORE, limits.core_kb() * 1024);
  if (limits.has_data_kb()) add(RLIMIT_DATA, limits.data_kb() * 1024);
  if (limits.has_file_kb()) add(RLIMIT_FSIZE, limits.file_kb() * 1024);
  if (limits.has_stack_kb()) add(RLIMIT_STACK, limits.stack_kb() * 1024);
  // The kernel sends XCPU at the limit, and KILL at the hard one.
  if (limits.has_cpu_s() && enforcement.cpu_of_process())
    result.push_back({RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_s()), kCpuMargin});
  // The kernel keeps no limit on resident sets; that on address spaces is the nearest one.
  if (limits.has_memory_kb() && enforcement.memory_of_process()) add(RLIMIT_AS, limits.memory_kb() * 1024);
  return result;
}

}  // namespace rollcall::res
