// CivilTime: a moment as a calendar on the wall shows it: what tables print and dates on command lines say. A value.
//
// Which zone that is, is handed in as a LocalTime: nothing here asks the system. common/io/local_time.hpp has the system's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace rollcall {

struct CivilTime {
  int year = 1970;
  int month = 1;  // 1..12
  int day = 1;
  int hour = 0, minute = 0, second = 0;
  int weekday = 4;  // 0 = Sunday
  friend bool operator==(const CivilTime&, const CivilTime&) = default;
};

// Seconds since 1970 to the calendar of some zone.
using LocalTime = std::function<CivilTime(std::int64_t)>;

CivilTime utc_time(std::int64_t seconds);
// The inverse; the weekday is not looked at, fields out of range carry over.
std::int64_t utc_seconds(const CivilTime& time);

// "May 10 21:09", "Tue May 10 21:09:22", "05/10-21:09:22".
std::string short_date(const CivilTime& time);
std::string long_date(const CivilTime& time);
std::string numeric_date(const CivilTime& time);

}  // namespace rollcall
