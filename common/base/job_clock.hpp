// JobClock: time as a job sees it. It stands still while our own process was stopped.
//
// A process that was stopped (bstop, a freezer, a debugger) wakes with every timer late at once. Nothing may be
// judged by that: so the shell turns at least once a `tick`, and a turn that comes much later than that counts as
// one tick only. Pure: the caller passes the monotonic time in.
#pragma once

#include <algorithm>
#include <chrono>

namespace rollcall {

using Duration = std::chrono::nanoseconds;

// A point on the job's own time line, counted from the start of the program.
struct TimePoint {
  Duration since_start{0};
  friend auto operator<=>(const TimePoint&, const TimePoint&) = default;
};
inline TimePoint operator+(TimePoint t, Duration d) { return {t.since_start + d}; }
inline Duration operator-(TimePoint a, TimePoint b) { return a.since_start - b.since_start; }

class JobClock {
 public:
  // tick: how often the shell turns at the least.
  explicit JobClock(Duration monotonic_now, Duration tick = std::chrono::seconds(1))
      : last_(monotonic_now), longest_step_(tick + tick / 2) {}

  // The job's time at the monotonic time `monotonic_now`. What is over one and a half ticks since the last call
  // was a stop, and does not count.
  TimePoint now(Duration monotonic_now) {
    now_.since_start += std::clamp(monotonic_now - last_, Duration{0}, longest_step_);
    last_ = monotonic_now;
    return now_;
  }

 private:
  Duration last_;
  Duration longest_step_;
  TimePoint now_{};
};

}  // namespace rollcall
