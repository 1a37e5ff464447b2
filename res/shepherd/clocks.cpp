#include "res/shepherd/clocks.hpp"

#include <time.h>

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

}  // namespace rollcall::res
