// A task's life with a clock of its own: events in, the one-line forms of the effects out.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "taskstarter/policy/task_life.hpp"

namespace rollcall::taskstarter {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;
inline constexpr auto kPam = SignalSource::pam;
inline constexpr auto kLauncher = SignalSource::launcher;
inline constexpr auto kTerminal = SignalSource::terminal;

class TaskLife : public ::testing::Test {
 protected:
  Lines on(const Event& event) {
    Lines lines;
    bool last = false;
    for (const Effect& effect : step(state, event, now)) {
      lines.push_back(text(effect));
      last = std::holds_alternative<SendTaskEnded>(effect);
    }
    if (last && kernel_takes && !state.relayed)
      for (auto& line : on(Delivered{})) lines.push_back(line);
    return lines;
  }

  // Lets the time pass, deadline for deadline, and gathers what is done in it.
  Lines pass(Duration duration) {
    const TimePoint end = now + duration;
    Lines lines;
    while (const auto next = next_deadline(state)) {
      if (*next > end) break;
      now = std::max(now, *next);
      for (auto& line : on(TimePassed{})) lines.push_back(line);
      const auto after = next_deadline(state);
      if (after && *after <= now) {
        ADD_FAILURE() << "a deadline stands still: the loop would spin";
        break;
      }
    }
    now = end;
    return lines;
  }

  // Answers every dial with what `answer` does until that ends the dialing: the pauses before each dial, in ms.
  // What is done in the end is in `last`.
  template <class Answer>
  std::vector<long> pauses(Answer answer, Lines& last) {
    std::vector<long> result;
    for (int i = 0; i < 1000; ++i) {
      answer();
      const TimePoint before = now;
      do {
        const auto next = next_deadline(state);
        if (!next) return result;
        last = pass(std::max(*next - now, Duration{0}));
      } while (last.empty());
      if (last != Lines{"Dial"}) return result;
      result.push_back(static_cast<long>(std::chrono::duration_cast<milliseconds>(now - before).count()));
    }
    ADD_FAILURE() << "dialed without an end";
    return result;
  }

  void dialing() { on(Began{}); }
  void running() {
    dialing();
    on(Connected{});
    on(TaskStarted{});
    on(Welcomed{kRedialLimit});
    ASSERT_EQ(state.phase, Phase::running);
  }
  void ending(Duration grace = seconds(10)) {
    running();
    on(EndRequested{grace});
    ASSERT_EQ(state.phase, Phase::ending);
  }
  void leftovers(unsigned left = 2) {
    running();
    on(TaskExited{ExitStatus::exited(3), true});
    on(DescendantsChanged{left});
    ASSERT_EQ(state.phase, Phase::leftovers);
  }
  void reporting() {
    running();
    on(LinkLost{});
    on(TaskExited{ExitStatus::exited(3), false});
    ASSERT_EQ(state.phase, Phase::reporting);
  }
  // The relay of the host has the task's end, and has said nothing of it yet.
  void reporting_to_the_relay() {
    dialing();
    on(Connected{true});
    on(TaskStarted{});
    on(Welcomed{kRedialLimit});
    EXPECT_THAT(on(TaskExited{ExitStatus::exited(3), false}), ElementsAre("SendTaskEnded"));
    ASSERT_EQ(state.phase, Phase::reporting);
  }
  void shared() { state.settings.shared_group = true; }

  State state;
  TimePoint now{};
  bool kernel_takes = true;  // the last message, at once
};

}  // namespace rollcall::taskstarter
