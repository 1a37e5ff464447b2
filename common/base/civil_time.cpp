#include "common/base/civil_time.hpp"

#include <cstdio>

namespace rollcall {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// Days since 1970 of a date of the Gregorian calendar; years begin in March here, so that leap days come last.
std::int64_t days_of(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  char text[64];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

const char* month_name(const CivilTime& t) { return kMonths[static_cast<unsigned>(t.month - 1) % 12]; }

}  // namespace

CivilTime utc_time(std::int64_t seconds) {
  const std::int64_t days = floor_div(seconds, kDay);
  const int rest = static_cast<int>(seconds - days * kDay);
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = floor_div(shifted, 146097);
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int march_month = static_cast<int>((5 * of_year + 2) / 153);
  CivilTime t;
  t.day = static_cast<int>(of_year - (153 * march_month + 2) / 5 + 1);
  t.month = march_month + (march_month < 10 ? 3 : -9);
  t.year = static_cast<int>(year_of_era + era * 400 + (t.month <= 2 ? 1 : 0));
  t.hour = rest / 3600;
  t.minute = rest / 60 % 60;
  t.second = rest % 60;
  t.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  return t;
}

std::int64_t utc_seconds(const CivilTime& t) {
  const std::int64_t month = t.month - 1;
  const std::int64_t year = t.year + floor_div(month, 12);
  const int in_year = static_cast<int>(month - floor_div(month, 12) * 12) + 1;
  return (days_of(year, in_year, 1) + t.day - 1) * kDay + t.hour * 3600LL + t.minute * 60LL + t.second;
}

std::string short_date(const CivilTime& t) {
  return printed("%s %2d %02d:%02d", month_name(t), t.day, t.hour, t.minute);
}

std::string long_date(const CivilTime& t) {
  return printed("%s %s %2d %02d:%02d:%02d", kDays[static_cast<unsigned>(t.weekday) % 7], month_name(t),
                 t.day, t.hour, t.minute, t.second);
}

std::string numeric_date(const CivilTime& t) {
  return printed("%02d/%02d-%02d:%02d:%02d", t.month, t.day, t.hour, t.minute, t.second);
}

}  // namespace rollcall
