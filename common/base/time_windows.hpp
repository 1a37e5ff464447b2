// TimeWindows: when something is open: "[day:]hour[:minute]-[day:]hour[:minute] ...", as RUN_WINDOW and DISPATCH_WINDOW
// write it. A value; the wall clock is passed in.
//
// Day 0 is Sunday. One field is an hour, two are hour and minute; no blanks inside a window, blanks between windows; one
// pair of parentheses round all of them is taken off. A window that ends before it begins goes over midnight (or over the
// end of the week where days are named). Rules: "Platform LSF Administration", run windows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall {

struct WeekMinute {
  int day = 0;     // 0 = Sunday
  int minute = 0;  // of the day, 0..1439
};

class TimeWindows {
 public:
  // "" and "-" and "()" are no windows at all. The error says which word was found.
  static Result<TimeWindows> parse(std::string_view text);

  bool empty() const { return windows_.empty(); }
  // True inside a window (its end excluded), and where there are none.
  bool open(WeekMinute now) const;
  // As parse() reads it, one blank between windows; "" for none.
  const std::string& text() const { return text_; }

  friend bool operator==(const TimeWindows& a, const TimeWindows& b) { return a.text_ == b.text_; }

 private:
  struct Window {
    int begin = 0, end = 0;  // minutes of the week
    bool daily = true;       // minutes of any day
  };
  std::vector<Window> windows_;
  std::string text_;
};

}  // namespace rollcall
