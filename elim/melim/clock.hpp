// clock: MELIM's times: for deadlines, and for the lines of its log.
#pragma once

#include <time.h>

#include <string>

#include "common/base/job_clock.hpp"

namespace rollcall::melim {

// Monotonic. After a stop its timers are late, so MELIM first reads what has arrived.
inline TimePoint time_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec)};
}

// "2026-11-21 14:03:07", local time.
inline std::string date_text() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  char text[32];
  return {text, strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

}  // namespace rollcall::melim
