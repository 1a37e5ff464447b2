// When mbatchd gives freed memory back to the kernel: a pure rule. The daemon asks it at a quiet moment, every so often.
#pragma once

#include <cstdint>

namespace rollcall::sched {

// A trim walks the whole heap and the next jobs take the pages again: it is worth that where much is free, and much of the whole.
constexpr bool worth_giving_back(std::uint64_t free_bytes, std::uint64_t used_bytes) {
  constexpr std::uint64_t kMuch = 16 << 20;
  return free_bytes >= kMuch && free_bytes >= used_bytes / 4;
}

}  // namespace rollcall::sched
