// memory_limits: the memory and CPUs that a program on this host can use: the machine's, or a container's limits. Functions.
#pragma once

#include <cstdint>
#include <optional>

#include "elim/reader/files_below.hpp"

namespace rollcall::load {

struct Memory {
  std::uint64_t total = 0, available = 0;            // KB
  std::uint64_t swap_total = 0, swap_available = 0;  // KB
};

// The values of /proc/meminfo, reduced by a limit of the topmost cgroup that we see: the machine's own has none, so such a limit
// is a container's.
std::optional<Memory> read_memory(const FilesBelow& files);

// The number of CPUs that a container's quota allows; none where there is no quota.
std::optional<double> cpu_quota(const FilesBelow& files);

}  // namespace rollcall::load
