// The grammar of time windows:
//
//   windows = [ "(" ] { window } [ ")" ] | "-"      blanks between windows, none inside one
//   window  = time "-" time                         days on both sides or on neither
//   time    = hour | hour ":" minute | day ":" hour ":" minute
//
// day 0..6, 0 and 7 being Sunday; hour 0..23, as an end also 24 with minute 0; minute 0..59. A window that ends where it
// begins is the whole day, or with days the whole week.
#include "common/base/time_windows.hpp"

#include <algorithm>
#include <optional>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"

namespace rollcall {
namespace {

constexpr std::string_view kBetween = " \t\r\n\v\f";
constexpr int kMinutesOfDay = 24 * 60;
constexpr int kMinutesOfWeek = 7 * kMinutesOfDay;

struct Moment {
  int minute = 0;  // of the day, or of the week where `with_day`
  bool with_day = false;
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Moment> moment_of(std::string_view word, bool is_end) {
  const auto fields = split(word, ':');
  if (fields.size() > 3) return std::nullopt;
  const bool with_day = fields.size() == 3;
  const auto day = with_day ? parse_whole(fields[0], 0, 7) : 0;
  const auto hour = parse_whole(fields[with_day ? 1 : 0], 0, is_end ? 24 : 23);
  const auto minute = fields.size() > 1 ? parse_whole(fields.back(), 0, 59) : 0;
  if (!day || !hour || !minute || (*hour == 24 && *minute != 0)) return std::nullopt;
  return Moment{(*day % 7) * kMinutesOfDay + *hour * 60 + *minute, with_day};
}

// A multiple of `turn` counts as its end: 24:00 must not begin the same day.
bool within(int at, int begin, int end, int turn) {
  if (begin >= end) end += turn;
  return (at >= begin && at < end) || (at + turn >= begin && at + turn < end);
}

std::string_view without_parentheses(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBetween);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(kBetween) - begin + 1);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

Result<TimeWindows> TimeWindows::parse(std::string_view text) {
  TimeWindows result;
  text = without_parentheses(text);
  if (text == "-") return result;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;
       at = text.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    const std::size_t dash = word.find('-');
    const auto begins = moment_of(word.substr(0, dash), false);
    const auto ends = dash == std::string_view::npos ? std::nullopt : moment_of(word.substr(dash + 1), true);
    if (!begins || !ends || begins->with_day != ends->with_day)
      return configuration_error("found " + printable(word) +
                                 ", expected a time window [day:]hour[:minute]-[day:]hour[:minute]");
    result.windows_.push_back({begins->minute, ends->minute, !begins->with_day});
    result.text_ += (result.text_.empty() ? "" : " ") + std::string(word);
  }
  return result;
}

bool TimeWindows::open(WeekMinute now) const {
  if (windows_.empty()) return true;
  return std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
    return window.daily
               ? within(now.minute, window.begin, window.end, kMinutesOfDay)
               : within(now.day * kMinutesOfDay + now.minute, window.begin, window.end, kMinutesOfWeek);
  });
}

}  // namespace rollcall
