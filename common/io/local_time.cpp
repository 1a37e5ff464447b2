#include "common/io/local_time.hpp"

#include <chrono>
#include <ctime>

namespace rollcall::io {

LocalTime local_time() {
  return [](std::int64_t seconds) {
    const auto moment = static_cast<std::time_t>(seconds);
    std::tm t{};
    ::localtime_r(&moment, &t);
    return CivilTime{t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, t.tm_wday};
  };
}

WallTime wall_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(now).count()};
}

}  // namespace rollcall::io
