// clocks: the two times of a shepherd: its own steady one, by which it waits, and that of the calendar, which it tells.
#pragma once

#include <cstdint>

#include "common/base/job_clock.hpp"

namespace rollcall::res {

TimePoint steady_now();
std::int64_t wall_us();  // microseconds since 1970

}  // namespace rollcall::res
