#include "pam/policy/roll_events.hpp"

#include <type_traits>

namespace rollcall::pam {
namespace {

std::string n(std::uint64_t number) { return std::to_string(number); }
std::string whom(const std::optional<Tid>& only) { return only ? " task " + n(*only) : " all tasks"; }

struct EventText {
  std::string operator()(const event::LauncherStarted& e) const {
    return "LauncherStarted pid " + std::to_string(e.pid);
  }
  std::string operator()(const event::LauncherNotStarted& e) const {
    return "LauncherNotStarted " + e.failure.stage + " " + e.failure.path + " errno " +
           std::to_string(e.failure.error);
  }
  std::string operator()(const event::LauncherEnded& e) const { return "LauncherEnded " + e.status.text(); }
  std::string operator()(const event::TaskRegistered& e) const {
    const auto& r = e.registration;
    return "TaskRegistered host " + r.host + (r.rank ? " rank " + n(*r.rank) : "") +
           (std::holds_alternative<StartFailure>(r.outcome) ? " not started" : "");
  }
  std::string operator()(const event::TaskResumed& e) const { return "TaskResumed " + n(e.tid); }
  std::string operator()(const event::TaskEnded& e) const {
    return "TaskEnded " + n(e.tid) + " " + e.status.text();
  }
  std::string operator()(const event::LinkEnded& e) const {
    return "LinkEnded " + n(e.tid) + (e.cut ? " cut" : " closed");
  }
  std::string operator()(const event::StarterLost& e) const { return "StarterLost " + n(e.tid); }
  std::string operator()(const event::ParentLost& e) const {
    return "ParentLost " + n(e.tid) + " " + e.name + (e.status ? " " + e.status->text() : "") +
           (e.background ? " background" : "");
  }
  std::string operator()(const event::SignalArrived& e) const {
    return "SignalArrived " + signal_name(e.signo) + (e.from_terminal ? " from the terminal" : "");
  }
  std::string operator()(const event::StartersWait& e) const { return "StartersWait " + n(e.count); }
  std::string operator()(const event::Tick&) const { return "Tick"; }
};

struct EffectText {
  std::string operator()(const effect::Welcome& e) const { return "Welcome task " + n(e.tid); }
  std::string operator()(const effect::Refuse& e) const { return "Refuse connection " + n(e.connection); }
  std::string operator()(const effect::DeliverSignal& e) const {
    return "DeliverSignal " + signal_name(e.signo) + " to" + whom(e.only);
  }
  std::string operator()(const effect::EndTasks& e) const {
    return "EndTasks in " + n(e.grace_ms) + " ms:" + whom(e.only);
  }
  std::string operator()(const effect::EndOrphans& e) const {
    return "EndOrphans on " + e.host + " by " + (e.by ? "task " + n(*e.by) : "pam");
  }
  std::string operator()(const effect::SignalLauncher& e) const {
    return "SignalLauncher " + signal_name(e.signo) + (e.only_if_caught ? " if caught" : "");
  }
  std::string operator()(const effect::KillLauncherTree&) const { return "KillLauncherTree"; }
  std::string operator()(const effect::StopSelf&) const { return "StopSelf"; }
  std::string operator()(const effect::Say& e) const { return "Say " + e.text; }
  std::string operator()(const effect::Note& e) const { return "Note " + e.text; }
  std::string operator()(const effect::Finish& e) const {
    return "Finish " + std::to_string(e.exit_code) + ": " + e.why;
  }
};

}  // namespace

std::string text(const Event& event) { return std::visit(EventText{}, event); }
std::string text(const Effect& effect) { return std::visit(EffectText{}, effect); }

}  // namespace rollcall::pam
