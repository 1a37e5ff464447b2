// cgroup_numbers: what a version 2 cgroup counts, from the texts of its files. Functions.
//
// flat file = ( NAME " " NUMBER "\n" )*      cpu.stat, memory.stat, memory.events
// A file that is not there is an empty text: then what it would say is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rollcall::res {

struct CgroupTexts {
  std::string_view cpu_stat, memory_current, memory_peak, memory_stat, memory_events;
};

struct CgroupNumbers {
  bool cpu = false;                   // the two below are known
  double user_s = 0, system_s = 0;    // of all that was ever in it
  bool memory = false;                // those below are known
  std::int64_t memory_kb = 0;         // without what is in the page cache
  std::int64_t peak_kb = 0;           // the same at its largest, as near as the kernel tells
  std::int64_t ended_for_memory = 0;  // processes that the kernel has killed
};
CgroupNumbers cgroup_numbers(const CgroupTexts& texts);

// The number behind `name` in a flat file; none where there is none.
std::optional<std::int64_t> flat_number(std::string_view text, std::string_view name);

}  // namespace rollcall::res
