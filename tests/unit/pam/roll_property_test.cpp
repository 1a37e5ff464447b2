// Any order of events leaves the roll sound, and when the launcher is gone it always ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <csignal>

#include "tests/unit/pam/roll_driver.hpp"

namespace rollcall::pam {
namespace {

ExitStatus any_status() {
  return *rc::gen::element(ExitStatus::exited(0), ExitStatus::exited(3), ExitStatus::signaled(SIGTERM),
                           ExitStatus::signaled(SIGKILL));
}

RollRules any_rules() {
  RollRules rules;
  rules.launcher = "mpirun";
  rules.host = "n1";
  rules.expected = *rc::gen::element<std::optional<int>>(std::nullopt, 1, 3, 5);
  rules.registration_timeout = std::chrono::seconds(*rc::gen::element(0, 5, 300));
  rules.linger = std::chrono::seconds(*rc::gen::element(0, 10));
  if (*rc::gen::arbitrary<bool>()) rules.clean_job_delay = std::chrono::seconds(*rc::gen::element(0, 3));
  if (*rc::gen::arbitrary<bool>()) rules.first_timeout = std::chrono::seconds(2);
  return rules;
}

Tid any_tid(const RollDriver& d) {
  return *rc::gen::inRange<Tid>(0, static_cast<Tid>(d.roll.tasks.size()) + 2);
}

void any_event(RollDriver& d) {
  const Tid tid = any_tid(d);
  switch (*rc::gen::inRange(0, 11)) {
    case 0:
      d.task(*rc::gen::element<std::string>("n1", "n2"),
             *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 0, 1));
      break;
    case 1:
      d.task();
      break;
    case 2:
      d.fails_to_start(*rc::gen::element(ENOENT, EACCES));
      break;
    case 3:
      d.ends(tid, any_status());
      break;
    case 4:
      d.feed(event::LinkEnded{tid, *rc::gen::arbitrary<bool>(), 1});
      break;
    case 5:
      d.feed(event::TaskResumed{d.next_connection++, tid, "n1", static_cast<pid_t>(1000 + tid)});
      break;
    case 6:
      d.feed(event::ParentLost{tid, 5, "orted", any_status(), *rc::gen::arbitrary<bool>()});
      break;
    case 7:
      d.feed(event::StarterLost{tid, 5, 1});
      break;
    case 8:
      d.feed(event::SignalArrived{
          *rc::gen::element(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH),
          *rc::gen::arbitrary<bool>()});
      break;
    case 9:
      d.pass(std::chrono::milliseconds(*rc::gen::element(10, 150, 1500, 20000)));
      break;
    default:
      if (d.roll.launcher_running() && *rc::gen::inRange(0, 4) == 0) d.launcher_ends(any_status());
  }
}

RC_GTEST_PROP(RollProperty, AnyOrderOfEventsStaysSoundAndEnds, ()) {
  RollDriver d(any_rules());
  d.launch();
  for (int count = *rc::gen::inRange(0, 60); count > 0; --count) {
    any_event(d);
    RC_ASSERT(broken_invariant(d.roll) == "");
  }
  // From here on the only event is the launcher's end.
  if (d.roll.launcher_running() && !d.finished) d.launcher_ends(any_status());
  d.pass(std::chrono::hours(1));
  RC_ASSERT(d.finished.has_value());
  RC_ASSERT(d.finished->exit_code >= 0);
  RC_ASSERT(d.finished->exit_code < 256);
}

RC_GTEST_PROP(RollProperty, OneFinishAndNothingAfterIt, ()) {
  RollDriver d(any_rules());
  d.launch();
  for (int count = *rc::gen::inRange(0, 60); count > 0; --count) any_event(d);
  const auto finishes =
      std::count_if(d.all.begin(), d.all.end(), [](auto& t) { return t.starts_with("Finish"); });
  RC_ASSERT(finishes <= 1);
  if (finishes == 1) RC_ASSERT(d.all.back().starts_with("Finish"));
}

}  // namespace
}  // namespace rollcall::pam
