#include "res/shepherd/clocks.hpp"

#include <time.h>

#include <algorithm>

namespace rollcall::res {

TimePoint steady_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec)};
}

std::int64_t wall_us() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1000;
}

std::optional<TimePoint> CalendarAlarm::due() const {
  if (at_us_ == 0) return std::nullopt;
  return steady_now() + std::chrono::microseconds(std::max<std::int64_t>(at_us_ - wall_us(), 0));
}

bool CalendarAlarm::rings() {
  if (at_us_ == 0 || wall_us() < at_us_) return false;
  at_us_ = 0;
  return true;
}

}  // namespace rollcall::res
