// A cluster of a scenario, driven through cycles: for the tests of the scheduler.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sched/policy/cycle/scenario.hpp"

namespace rollcall::sched::cycle {

inline Scenario scenario_of(const std::string& text) {
  auto scenario = read_scenario(text, "scenario");
  if (!scenario) throw std::runtime_error(scenario.error().text);
  return std::move(*scenario);
}

// Four slots on each of two hosts, and one queue.
inline const std::string kTwoHosts =
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 4 0.1 0 1000\nhostB ok 4 0.2 0 1000\nEnd "
    "Machine\n";

// "1[1] hostA, 2 2*hostB".
inline std::string starts(const Plan& plan, const Snapshot& snapshot) {
  std::string said;
  for (const Dispatch& dispatch : plan.dispatches) {
    said += (said.empty() ? "" : ", ") + text(dispatch.job);
    for (const SlotsOn& on : dispatch.placement.hosts)
      said += " " + (on.slots == 1 ? "" : std::to_string(on.slots) + "*") +
              snapshot.rules().hosts[on.host].text();
  }
  return said;
}
inline std::string starts(const std::string& text) {
  const Scenario scenario = scenario_of(text);
  return starts(schedule(scenario.snapshot, scenario.now), scenario.snapshot);
}

// "suspend 2 for 9, resume 1, start 9 hostA".
inline std::string said(const Plan& plan, const Snapshot& snapshot) {
  std::string text;
  const auto add = [&text](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  for (const Suspend& suspend : plan.suspends)
    add("suspend " + sched::text(suspend.job) + " for " + sched::text(suspend.by));
  for (const Resume& resume : plan.resumes) add("resume " + sched::text(resume.job));
  if (const std::string started = starts(plan, snapshot); !started.empty()) add("start " + started);
  return text;
}
inline std::string said(const std::string& text) {
  const Scenario scenario = scenario_of(text);
  return said(schedule(scenario.snapshot, scenario.now), scenario.snapshot);
}

inline std::string queue(const std::string& name, int priority, const std::string& more = "") {
  return "Begin Queue\nQUEUE_NAME = " + name + "\nPRIORITY = " + std::to_string(priority) + "\n" + more +
         "End Queue\n";
}
inline std::string pending(const std::string& rows) { return "Begin Pending\n" + rows + "End Pending\n"; }
inline std::string running(const std::string& rows) { return "Begin Running\n" + rows + "End Running\n"; }

}  // namespace rollcall::sched::cycle
