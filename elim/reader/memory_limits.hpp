// The memory of this host as a program in it can have it: the machine's, or less where it is a container. Functions.
#pragma once

#include <cstdint>
#include <optional>

#include "elim/reader/files_below.hpp"

namespace rollcall::load {

struct Memory {
  std::uint64_t total = 0, available = 0;            // KB
  std::uint64_t swap_total = 0, swap_available = 0;  // KB
};

// What /proc/meminfo says, less where the cgroup at the root of what we see has a limit: that of the machine itself has
// none, so a limit there is a container's.
std::optional<Memory> read_memory(const FilesBelow& files);

// How many CPUs a container's quota is worth; nothing where there is none.
std::optional<double> cpu_quota(const FilesBelow& files);

}  // namespace rollcall::load
