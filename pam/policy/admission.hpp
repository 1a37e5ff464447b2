// Admission: which TaskStarter may begin its handshake now, and when the others are to dial again. A value.
//
// A TaskStarter that dials pam by itself holds one of pam's descriptors until its task has ended. When there are none left for it, or too
// many handshakes of its host are under way, pam does not leave it in the backlog or close its connection: it answers with the time
// after which to dial again (common/io/wait_answer.hpp). The times are a row, so that those who wait come one after the other,
// however many they are. Relays are always admitted: each saves as many descriptors as it has tasks.
//
//   a Hello arrives where                          | it is told to dial again
//   as many conversations stand as may             | 5 ms behind the one before, 0.2 s to 20 s from now
//   as many handshakes of its holder are under way | 1 ms behind the one before, 0.1 s to 20 s from now
//   else                                           | not at all: it is admitted
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "common/base/job_clock.hpp"

namespace rollcall::pam {

inline constexpr Duration kLongestWait = std::chrono::seconds(20);

class Admission {
 public:
  struct Limits {
    std::size_t conversations;  // that stand or are under way
    std::size_t handshakes;     // under way, of one holder (common/base/connection_shares.hpp)
  };
  // For a process with so many descriptors, of which one holder's strangers may have `each`. Some descriptors stay free for callers, so
  // that each can be answered.
  static Limits limits_for(std::size_t descriptors, std::size_t each);

  explicit Admission(Limits limits) : limits_(limits) {}

  // None: it is admitted. Else after which time it is to dial again.
  std::optional<Duration> put_off(std::size_t conversations, std::size_t handshakes, TimePoint now);
  // How many have been told a time that is still to come.
  std::size_t waiting(TimePoint now);
  // True once: pam has as many conversations as it may have.
  bool full_for_the_first_time();
  const Limits& limits() const { return limits_; }

 private:
  Duration next_in_row(Duration pace, Duration shortest, TimePoint now);

  Limits limits_;
  std::deque<TimePoint> row_;  // the times that were told; they ascend
  bool full_ = false, told_ = false;
};

}  // namespace rollcall::pam
