// ElimLife: when one elim is started, ended and restarted, and when it is given up.
//
// A stepper: an event and the time go in, a state and effects come out. It owns no process and reads no output. MELIM
// (elim/melim) has one for each elim file, calls step() for every event, does the effects in order, and calls it with TimePassed
// at next_deadline() at the latest. elim_end ends an elim's processes.
//
//   waiting    for `start_at`
//   running    its process lives, or has just been asked for
//   ending     it has ended or is being ended, with the processes that it left behind. `next` says what follows
//   aborted    it left with ELIM_ABORT_VALUE: nothing here is for it
//   given_up   it has been restarted as often as LSF_ELIM_RESTARTS allows
//   retired    it is no longer wanted, and none of its processes is left
//
// event \ state    | waiting            | running                | ending                   | aborted, given_up
// TimePassed       | Start at start_at  | at block_at: End,      | -                        | -
//                  |                    | then `again`           |                          |
// StringBegun      | -                  | block_at, if none      | -                        | -
// StringRead       | -                  | no block_at            | -                        | -
// StringRefused    | -                  | End, then `pause`      | `again` becomes `pause`  | -
// Flooded          | -                  | End, then `pause`      | `again` becomes `pause`  | -
// StartFailed      | -                  | -> ending, `again`     | -                        | -
// Ended, abort     | -                  | -> ending, `abort`     | `abort`, if not our wish | -
// Ended, other     | -                  | -> ending, `again`     | -                        | -
// Gone             | -                  | as Ended, other        | what `next` says         | -
// Ordered          | takes the rules    | afresh: End, `at_once` | `abort` becomes `at_once`| Start
// FileChanged      | Start              | End, then `at_once`    | `at_once`                | Start
// Retired          | -> retired         | End, then `retire`     | `retire`                 | -> retired
//
// `again` waits until the restart interval has passed since the last start. `pause`, after a malformed string, waits until it has
// passed from now. `at_once` does not wait, since the elim was not at fault. Both `again` and `pause` count as restarts, and end
// in given_up after LSF_ELIM_RESTARTS. LSF_ELIM_BLOCKTIME applies only to an elim that stopped in the middle of a string, counted
// from that string's first byte; silence is no fault.
// Rules: "Administering Platform LSF", External Load Indices; docs/decisions/0017.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/exit_status.hpp"
#include "common/base/job_clock.hpp"

namespace rollcall::melim {

// The minimum between two starts of an elim, whatever the restart interval.
inline constexpr Duration kLeastPause = std::chrono::milliseconds(100);

struct ElimRules {
  Duration restart_interval = std::chrono::seconds(90);
  Duration block_time = std::chrono::seconds(2);  // 0: a string must be there at once
  std::optional<std::uint32_t> most_restarts;     // LSF_ELIM_RESTARTS; none: no limit
  int abort_value = 99;                           // ELIM_ABORT_VALUE
};

enum class Phase { waiting, running, ending, aborted, given_up, retired };
enum class Next { again, pause, at_once, abort, retire };

// Events.
struct StringBegun {};  // output came, and stands in the middle of a string
struct StringRead {};   // output came, and every string of it is complete
struct StringRefused {};
struct Flooded {};
struct StartFailed {
  std::string why;
};
struct Ended {  // the elim itself
  ExitStatus status;
};
struct Gone {};  // all its processes are gone, and its output is closed
struct Ordered {
  ElimRules rules;
  bool afresh;  // what an elim is started with has changed
};
struct FileChanged {};
struct Retired {};
struct TimePassed {};
using Event = std::variant<StringBegun, StringRead, StringRefused, Flooded, StartFailed, Ended, Gone, Ordered,
                           FileChanged, Retired, TimePassed>;

// Effects.
struct Start {};
struct End {};  // TERM, then KILL
struct Say {    // for the log
  std::string text;
};
struct SayRest {  // the same, with the unfinished string
  std::string text;
};
using Effect = std::variant<Start, End, Say, SayRest>;
using Effects = std::vector<Effect>;

struct Life {
  ElimRules rules;
  Phase phase = Phase::waiting;
  Next next = Next::again;            // ending
  std::optional<TimePoint> start_at;  // waiting
  std::optional<TimePoint> block_at;  // running
  std::optional<TimePoint> last_start;
  std::uint64_t restarts = 0;            // all of them, for display
  std::uint32_t restarts_of_orders = 0;  // since the last orders, for LSF_ELIM_RESTARTS

  Life(ElimRules r, TimePoint now) : rules(r), start_at(now) {}
};

Effects step(Life& life, const Event& event, TimePoint now);

// When step(TimePassed) has something to do at the latest; none: nothing is timed.
std::optional<TimePoint> next_deadline(const Life& life);

// "" where the state is sound, else what is broken; true after every step.
std::string broken_invariant(const Life& life);

std::string text(const Event& event);
std::string text(const Effect& effect);

}  // namespace rollcall::melim
