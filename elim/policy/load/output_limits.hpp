// OutputLimits: limits on an elim's output, and how often MELIM reads it. Values; the time is handed in.
//
// FloodGate: an elim's output is read at most every kReadPause, so that one that writes a byte at a time does not keep MELIM
// awake. An elim that writes more than kFloodBytes within kFloodWindow is stopped; these numbers bound what a flood costs.
// LineBudget: so many lines at once, then one each `refill`; further lines are counted, not logged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/base/job_clock.hpp"

namespace rollcall::load {

inline constexpr Duration kReadPause = std::chrono::milliseconds(50);
inline constexpr std::size_t kReadBytes = 64 * 1024;  // at a time: a pipe holds no more
inline constexpr std::size_t kFloodBytes = 512 * 1024;
inline constexpr Duration kFloodWindow = std::chrono::seconds(10);

class FloodGate {
 public:
  bool open(TimePoint now) const { return now >= open_at_; }
  TimePoint opens_at() const { return open_at_; }

  // Counts bytes that were read; false: a flood.
  bool took(std::size_t bytes, TimePoint now) {
    if (now - window_ >= kFloodWindow) {
      window_ = now;
      bytes_ = 0;
    }
    open_at_ = now + kReadPause;
    bytes_ += bytes;
    return bytes_ <= kFloodBytes;
  }

 private:
  TimePoint open_at_{};
  TimePoint window_{};
  std::size_t bytes_ = 0;
};

class LineBudget {
 public:
  LineBudget(unsigned burst, Duration refill) : burst_(burst), refill_(refill), left_(burst) {}

  // True where one more line may be written.
  bool take(TimePoint now) {
    const auto gained = (now - filled_) / refill_;
    if (left_ + gained >= burst_) {
      left_ = burst_;
      filled_ = now;
    } else {
      left_ += static_cast<unsigned>(gained);
      filled_ = filled_ + gained * refill_;
    }
    if (left_ == 0) {
      ++left_out_;
      return false;
    }
    --left_;
    return true;
  }

  // The number of lines left out since the last call.
  std::uint64_t left_out() { return std::exchange(left_out_, 0); }

 private:
  unsigned burst_;
  Duration refill_;
  unsigned left_;
  TimePoint filled_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace rollcall::load
