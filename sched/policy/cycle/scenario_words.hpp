// Single words of a scenario (scenario.hpp): a time, the ids of an array, a reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/wall_time.hpp"

namespace rollcall::sched::cycle {

// "Mon" and "12:00".
WallTime scenario_time(const std::string& day, const std::string& clock);

// "12" or "12[1-6]".
struct JobRange {
  std::int32_t id = 0, first = 0, last = 0;
};
std::optional<JobRange> job_range(const std::string& text);

// "LOAD": the bit of wire::SuspendReason; 0: not one of them.
std::uint32_t suspend_reason(const std::string& word);
// The words of these bits, in the order in which plans print them.
std::vector<std::string> suspend_words(std::uint32_t reasons);

}  // namespace rollcall::sched::cycle
