// PieceQueue: the questions for pieces of files that wait for one place, another cluster or this one, as decisions: which is asked
// next, which is refused, which is given up. A stepper; times are passed in, and questions are numbers.
//
// mbatchd passes each piece on, so pieces must never hold up its other work or the messages about jobs on the same connection. That
// is bounded three times: few questions are under way at once, so little lies before the next message; their bytes have a rate; and
// what waits is bounded for each asker. Askers (a user, a job) take turns, so a flood waits behind itself.
//
//   question x event |
//   -         add    -> waits; refused where too many wait, of all or of its asker
//   waits     begin  -> under way, when fewer than `under_way` are and the rate allows it; askers in turn
//   under way over   -> gone, its bytes are counted
//   any       late   -> gone after `patience`: its asker is told
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"

namespace rollcall::sched::peers {

struct PieceLimits {
  std::size_t under_way = 8;
  std::size_t waiting = 1000;
  std::size_t waiting_of_one = 32;
  std::uint64_t bytes_per_s = std::uint64_t{32} << 20;
  Duration patience = std::chrono::seconds(20);
};

class PieceQueue {
 public:
  explicit PieceQueue(PieceLimits limits = {}) : limits_(limits) {}

  // False: too many wait.
  bool add(std::uint64_t number, const std::string& asker, TimePoint now);
  // Those that are to be asked now.
  std::vector<std::uint64_t> begin(TimePoint now);
  // The answer has come, with so many bytes. False: the question is not under way.
  bool over(std::uint64_t number, std::size_t bytes, TimePoint now);
  // Questions without an answer in time; they are forgotten.
  std::vector<std::uint64_t> late(TimePoint now);
  // All of them; they are forgotten.
  std::vector<std::uint64_t> clear();
  // When begin() or late() has something to do without another event; none: never.
  std::optional<TimePoint> next() const;

 private:
  struct Asked {
    std::uint64_t number = 0;
    TimePoint until;
  };
  const PieceLimits limits_;
  std::map<std::string, std::deque<Asked>> waiting_;  // by asker
  std::string last_;                                  // the asker whose turn it was
  std::size_t all_waiting_ = 0;
  std::map<std::uint64_t, TimePoint> under_way_;  // with the time until which it is waited for
  TimePoint free_at_;                             // by the rate
};

}  // namespace rollcall::sched::peers
