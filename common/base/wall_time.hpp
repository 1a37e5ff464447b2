// WallTime: a moment of the calendar, as jobs are dated: microseconds since 1970. A value.
//
// What a job is told and asked about outlives the daemons, so it is dated by the calendar; only what is waited for within
// one run of a program is timed by JobClock. A calendar may be set back: durations made of it are never taken as negative.
#pragma once

#include <cstdint>

namespace rollcall {

struct WallTime {
  std::int64_t us = 0;  // 0: never

  std::int64_t seconds() const { return us / 1'000'000; }
  bool never() const { return us == 0; }
  friend auto operator<=>(const WallTime&, const WallTime&) = default;
};
inline WallTime wall_seconds(std::int64_t s) { return {s * 1'000'000}; }
// Seconds from `from` to `to`, whole ones; 0 where the clock went back.
inline std::int64_t seconds_between(WallTime from, WallTime to) {
  return to.us > from.us ? (to.us - from.us) / 1'000'000 : 0;
}

}  // namespace rollcall
