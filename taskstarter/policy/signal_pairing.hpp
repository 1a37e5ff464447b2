// SignalPairing: one signal, three ways to come, one delivery.
//
// When a job gets a signal, it may reach a TaskStarter by pam's message, by the launcher that passes it on,
// and by the terminal, in any order, or by only some of them. The first arrival is delivered. A copy that
// comes by *another* way within a second or so belongs to it and is dropped. A second one by the *same* way is a
// new signal. Nothing is ever dropped without such a pair: what only the launcher sends is always delivered.
//
//   known arrivals of this number, in the window   | a copy comes by S | delivered?
//   none                                           | any way           | yes, and is remembered
//   some that S has not been seen for              | S                 | no: pairs off with the oldest of them
//   all of them have seen S                        | S                 | yes, and is remembered
//
// It does not deliver, and knows nothing of groups and terminals: task_life.hpp does. Pure: time is passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/job_clock.hpp"

namespace rollcall::taskstarter {

enum class SignalSource : std::uint8_t { pam, launcher, terminal };

class SignalPairing {
 public:
  // A copy that comes later than this after the first arrival is a new signal. A second, and the quarter that Open MPI
  // needs: its mpirun passes a TERM on one second after it got it.
  static constexpr Duration kWindow = std::chrono::milliseconds(1250);

  // True where this arrival is the first of its signal: the caller delivers it.
  bool first_arrival(int signo, SignalSource source, TimePoint now);

  // True where pam's signal with this sequence number came before (a connection that was taken up again).
  // The numbers grow from 1; 0 is never a repeat.
  bool repeated(std::uint32_t pam_sequence);

  // When the last remembered arrival may be forgotten; until then the clock must be kept going.
  std::optional<TimePoint> forgets_at() const;
  void forget_old(TimePoint now);

 private:
  struct Arrival {
    int signo;
    std::uint8_t seen;  // one bit for each source
    TimePoint at;
  };

  std::vector<Arrival> arrivals_;  // oldest first
  std::uint32_t last_sequence_ = 0;
};

}  // namespace rollcall::taskstarter
