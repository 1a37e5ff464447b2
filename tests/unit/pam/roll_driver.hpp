// RollDriver: drives the roll in a test: feeds events at given times, keeps every effect's text, checks the invariant
// after every step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

class RollDriver {
 public:
  explicit RollDriver(RollRules rules) : roll(std::move(rules)) {}

  // Feeds one event and returns the texts of what it asks for.
  std::vector<std::string> feed(const Event& event) {
    std::vector<std::string> texts;
    for (const auto& effect : step(roll, event, now)) {
      texts.push_back(text(effect));
      if (const auto* finish = std::get_if<effect::Finish>(&effect)) finished = *finish;
    }
    EXPECT_EQ(broken_invariant(roll), "") << "after " << text(event);
    all.insert(all.end(), texts.begin(), texts.end());
    return texts;
  }

  // Lets time pass, with a Tick at every deadline on the way.
  std::vector<std::string> pass(Duration duration) {
    std::vector<std::string> texts;
    const TimePoint until = now + duration;
    for (auto next = next_deadline(roll); next && *next <= until; next = next_deadline(roll)) {
      now = std::max(now, *next);
      for (auto& t : feed(event::Tick{})) texts.push_back(t);
    }
    now = until;
    for (auto& t : feed(event::Tick{})) texts.push_back(t);
    return texts;
  }

  void launch() { feed(event::LauncherStarted{100}); }

  Tid task(const std::string& host = "n1", std::optional<std::uint32_t> rank = {}) {
    Registration r;
    r.host = host;
    r.rank = rank;
    r.starter_pid = static_cast<pid_t>(1000 + roll.tasks.size());
    r.command = command;
    r.outcome = static_cast<pid_t>(2000 + roll.tasks.size());
    feed(event::TaskRegistered{next_connection++, r});
    return static_cast<Tid>(roll.tasks.size() - 1);
  }

  // What the task's TaskStarter said, as far as pam keeps it.
  Registration registration(Tid tid) const {
    const Task& known = roll.tasks[tid];
    Registration r;
    r.host = roll.tasks.host(known);
    r.rank = known.rank;
    r.starter_pid = known.starter_pid;
    r.start_us = known.start_us;
    r.command = roll.tasks.command(known);
    r.outcome = known.pid;
    return r;
  }

  std::vector<std::string> fails_to_start(int error = ENOENT, const std::string& host = "n1",
                                          const std::string& path = "/x/app") {
    Registration r;
    r.host = host;
    r.outcome = StartFailure{"execute", error, path};
    return feed(event::TaskRegistered{next_connection++, r});
  }

  std::vector<std::string> ends(Tid tid, ExitStatus status = ExitStatus::exited(0)) {
    return feed(event::TaskEnded{tid, status, 1, {}, 0});
  }
  std::vector<std::string> launcher_ends(ExitStatus status = ExitStatus::exited(0)) {
    return feed(event::LauncherEnded{status});
  }

  bool said(const std::string& part) const {
    return std::any_of(all.begin(), all.end(),
                       [&](auto& t) { return t.starts_with("Say ") && t.find(part) != t.npos; });
  }
  bool did(const std::string& effect_text) const {
    return std::find(all.begin(), all.end(), effect_text) != all.end();
  }

  Roll roll;
  std::string command = "./app";  // of the next tasks
  TimePoint now{};
  ConnectionId next_connection = 1;
  std::vector<std::string> all;
  std::optional<effect::Finish> finished;
};

}  // namespace rollcall::pam
