// worth_giving_back: whether mbatchd should return freed memory to the kernel. A pure rule; the daemon asks it now and then when it
// is idle.
#pragma once

#include <cstdint>

namespace rollcall::sched {

// A trim walks the whole heap, and new jobs take the pages again. It pays only if much is free, and a large share of the heap.
constexpr bool worth_giving_back(std::uint64_t free_bytes, std::uint64_t used_bytes) {
  constexpr std::uint64_t kMuch = 16 << 20;
  return free_bytes >= kMuch && free_bytes >= used_bytes / 4;
}

}  // namespace rollcall::sched
