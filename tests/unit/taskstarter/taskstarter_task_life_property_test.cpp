// Under any order of events a task's life keeps its invariants, and ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <csignal>
#include <vector>

#include "taskstarter/policy/task_life.hpp"

namespace rollcall::taskstarter {
namespace {

using std::chrono::milliseconds;

SignalSource source_of(int n) { return static_cast<SignalSource>(n % 3); }

// Any event at all: many of them make no sense in the state they meet, as late ones do.
Event event_of(int kind, int detail) {
  switch (kind) {
    case 0:
      return Answered{};
    case 1:
      return Connected{detail % 2 == 0};
    case 2:
      return DialFailed{static_cast<DialFailure>(detail % 7)};
    case 3:
      return LinkLost{};
    case 4:
      return TaskStopped{};
    case 5:
      return TaskContinued{};
    case 6:
      return TaskExited{ExitStatus::exited(detail % 4), detail % 2 == 0};
    case 7:
      return DescendantsChanged{static_cast<unsigned>(detail % 3)};
    case 8:
      return SignalArrived{1 + detail % 31, source_of(detail), static_cast<std::uint32_t>(detail % 5)};
    case 9:
      return EndRequested{milliseconds(detail % 2000)};
    case 10:
      return ParentGone{};
    case 11:
      return OuterGone{};
    case 12:
      return Welcomed{};
    case 13:
      return OrphansReported{};
    case 14:
      return Delivered{};
    default:
      return TimePassed{};
  }
}

struct Seen {
  int starts = 0, finishes = 0;
  int ends_told = 0;                 // on this connection
  bool pam_may_not_have_it = false;  // the end, which is then told anew: on another connection
};

void check(const State& state, const Effects& effects, bool was_finished, Seen& seen) {
  for (const Effect& effect : effects) {
    RC_ASSERT(!was_finished);
    seen.starts += std::holds_alternative<StartTask>(effect);
    seen.finishes += std::holds_alternative<Finish>(effect);
    if (std::holds_alternative<SendTaskEnded>(effect)) {
      ++seen.ends_told;
      seen.pam_may_not_have_it = true;
      if (state.phase == Phase::finished) RC_ASSERT(state.outer_gone);
    }
    if (std::holds_alternative<Finish>(effect)) RC_ASSERT(&effect == &effects.back());
    if (std::holds_alternative<SendRegistration>(effect)) RC_ASSERT(state.link == Link::up);
  }
  RC_ASSERT(seen.starts <= 1 && seen.finishes <= 1 && seen.ends_told <= 1);
  RC_ASSERT((seen.finishes == 1) == (state.phase == Phase::finished));
  // A deadline must be set for the link, for a KILL that is due, and for leftovers.
  if (state.link == Link::waiting && state.phase != Phase::finished)
    RC_ASSERT(state.dial_at && state.dial_limit);
  if (state.phase == Phase::ending || state.phase == Phase::leftovers)
    RC_ASSERT(next_deadline(state) || state.left == 0);
  if (state.killing) RC_ASSERT(state.kill_at || state.phase == Phase::finished);
}

RC_GTEST_PROP(TaskLifeProperty, KeepsItsInvariantsAndEnds, ()) {
  State state;
  state.settings.shared_group = *rc::gen::arbitrary<bool>();
  TimePoint now{};
  Seen seen;
  const auto feed = [&](const Event& event) {
    const bool was_finished = state.phase == Phase::finished;
    const Effects effects = step(state, event, now);
    check(state, effects, was_finished, seen);
    return effects;
  };
  feed(Began{});
  const auto events = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 16), rc::gen::inRange(0, 5000)));
  for (const auto& [kind, detail] : events) {
    now = now + milliseconds(detail % 700);
    const Event event = event_of(kind, detail);
    // The link can only be made, or fail to be, where it is being dialed.
    if ((kind == 1 || kind == 2) && state.link != Link::dialing) continue;
    if (kind == 1 && seen.pam_may_not_have_it) seen.ends_told = 0;
    for (const Effect& effect : feed(event))
      if (std::holds_alternative<StartTask>(effect)) {
        if (detail % 5 == 0)
          feed(StartFailed{detail % 2 == 0});
        else
          feed(TaskStarted{});
      }
    feed(TimePassed{});
    const auto next = next_deadline(state);
    RC_ASSERT((!next || *next > now));  // RC_ASSERT itself evaluates both sides
  }
  // Whatever has happened: pam is dead, the task ends, and nothing is left.
  feed(EndRequested{Duration{0}});
  feed(TaskExited{ExitStatus::exited(1), true});
  feed(DescendantsChanged{0});
  if (state.link == Link::up) feed(LinkLost{});
  for (int i = 0; i < 200 && state.phase != Phase::finished; ++i) {
    if (state.link == Link::dialing) feed(DialFailed{DialFailure::no_answer});
    if (state.phase == Phase::finished) break;
    const auto next = next_deadline(state);
    RC_ASSERT(next);
    now = *next;
    feed(TimePassed{});
  }
  RC_ASSERT(state.phase == Phase::finished);
}

}  // namespace
}  // namespace rollcall::taskstarter
