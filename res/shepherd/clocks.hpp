// clocks: the two clocks of a shepherd: the steady one, for waiting, and the calendar, for reports.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/job_clock.hpp"

namespace rollcall::res {

TimePoint steady_now();
std::int64_t wall_us();  // microseconds since 1970

// A calendar time that gives true once when it has come.
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
