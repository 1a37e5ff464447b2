// clocks: the two times of a shepherd: its own steady one, by which it waits, and that of the calendar, which it tells.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/job_clock.hpp"

namespace rollcall::res {

TimePoint steady_now();
std::int64_t wall_us();  // microseconds since 1970

// A time of the calendar that is told once when it has come.
class CalendarAlarm {
 public:
  explicit CalendarAlarm(std::int64_t at_us) { set(at_us); }
  void set(std::int64_t at_us) { at_us_ = at_us; }  // 0: none
  std::optional<TimePoint> due() const;
  bool rings();

 private:
  std::int64_t at_us_ = 0;
};

}  // namespace rollcall::res
