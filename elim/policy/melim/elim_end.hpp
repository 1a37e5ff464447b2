// ElimEnd: ends an elim and every process that it has started.
//
// A stepper, carried out by the elim's keeper (elim/melim/elim_keeper.cpp), a process that adopts all descendants of the elim, in
// any session. elim_life decides whether the elim is started again.
//
//   running    the elim lives, and is not to end
//   ending     it has got TERM, or has ended and left processes behind; KILL comes at `kill_at`
//   killing    KILL is sent again and again, ever more slowly, until nothing is left
//   finished   nothing is left, or KILL has not helped for kGiveUp
//
// event \ state   | running                      | ending                     | killing             | finished
// EndAsked        | TermGroup, KILL in 2 s       | -                          | -                   | -
// ElimEnded, none | Finish                       | Finish                     | Finish              | -
// ElimEnded, left | TermAll, KILL in 0.5 s       | TermAll, KILL in 0.5 s     | -                   | -
// Counted 0       | -                            | Finish, if the elim ended  | the same            | -
// TimePassed      | -                            | KillAll                    | KillAll, or Finish  | -
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/job_clock.hpp"

namespace rollcall::melim {

inline constexpr Duration kTermGrace = std::chrono::seconds(2);             // from TERM to KILL
inline constexpr Duration kLeftoverGrace = std::chrono::milliseconds(500);  // of what an ended elim left
inline constexpr Duration kKillAgain = std::chrono::milliseconds(20);       // doubled each time
inline constexpr Duration kLongestKillAgain = std::chrono::seconds(1);
inline constexpr Duration kGiveUp = std::chrono::seconds(5);  // state D, or another user's

namespace end {

enum class Phase { running, ending, killing, finished };

struct EndAsked {};
struct ElimEnded {
  bool left;  // it has left processes behind
};
struct Counted {  // after a child of any kind has ended
  unsigned left;
};
struct TimePassed {};
using Event = std::variant<EndAsked, ElimEnded, Counted, TimePassed>;

struct TermGroup {};  // TERM and CONT to the elim's process group
struct TermAll {};    // the same to every descendant
struct KillAll {};
struct Finish {};
using Effect = std::variant<TermGroup, TermAll, KillAll, Finish>;
using Effects = std::vector<Effect>;

struct State {
  Phase phase = Phase::running;
  bool elim_ended = false;
  std::optional<TimePoint> kill_at;     // ending, killing
  std::optional<TimePoint> give_up_at;  // killing
  Duration pause = kKillAgain;
};

Effects step(State& state, const Event& event, TimePoint now);
std::optional<TimePoint> next_deadline(const State& state);
std::string text(const Effect& effect);

}  // namespace end
}  // namespace rollcall::melim
