// week_minute: weekday and minute of the site's local time, as time windows count. A function.
#pragma once

#include "common/base/time_windows.hpp"
#include "common/base/wall_time.hpp"

namespace rollcall::sched {

// utc_offset_s: seconds to add to UTC.
inline WeekMinute week_minute(WallTime now, std::int32_t utc_offset_s) {
  constexpr std::int64_t kDay = 24 * 3600;
  const std::int64_t local = now.seconds() + utc_offset_s;
  const std::int64_t day = local / kDay - (local % kDay < 0 ? 1 : 0);
  const std::int64_t weekday = ((day + 4) % 7 + 7) % 7;  // 1970 began on a Thursday
  return {static_cast<int>(weekday), static_cast<int>((local - day * kDay) / 60)};
}

}  // namespace rollcall::sched
