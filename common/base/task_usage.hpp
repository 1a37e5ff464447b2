// What a task and everything it started has used. A value.
#pragma once

#include <chrono>
#include <cstdint>

namespace rollcall {

struct TaskUsage {
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
  std::uint64_t peak_memory_bytes = 0;  // the largest resident set of any one process of the task
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t read_bytes = 0;  // from storage, in blocks of 512 bytes as getrusage counts them
  std::uint64_t written_bytes = 0;
};

}  // namespace rollcall
