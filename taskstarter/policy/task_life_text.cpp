// The one-line forms of events and effects.
#include <array>

#include "taskstarter/policy/task_life.hpp"

namespace rollcall::taskstarter {
namespace {

constexpr std::array<const char*, 7> kFailures{"no answer", "hung up",   "refused",    "unknown host",
                                               "stranger",  "other pam", "turned away"};
constexpr std::array<const char*, 3> kSources{"pam", "launcher", "terminal"};
constexpr std::array<const char*, 5> kComplaints{"no pam", "pam dead", "pam silent", "cannot execute",
                                                 "cannot end leftovers"};

std::string name(DialFailure why) { return kFailures[static_cast<std::size_t>(why)]; }
std::string milliseconds(Duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()) + " ms";
}

struct EventText {
  std::string operator()(const Began&) const { return "Began"; }
  std::string operator()(const Answered&) const { return "Answered"; }
  std::string operator()(const Connected& e) const {
    return e.relayed ? "Connected to the relay" : "Connected";
  }
  std::string operator()(const DialFailed& e) const { return "DialFailed " + name(e.why); }
  std::string operator()(const PutOff& e) const { return "PutOff " + milliseconds(e.pause); }
  std::string operator()(const Welcomed&) const { return "Welcomed"; }
  std::string operator()(const LinkLost&) const { return "LinkLost"; }
  std::string operator()(const Delivered&) const { return "Delivered"; }
  std::string operator()(const TaskStarted&) const { return "TaskStarted"; }
  std::string operator()(const StartFailed& e) const {
    return e.not_found ? "StartFailed not found" : "StartFailed";
  }
  std::string operator()(const TaskStopped&) const { return "TaskStopped"; }
  std::string operator()(const TaskContinued&) const { return "TaskContinued"; }
  std::string operator()(const TaskExited& e) const {
    return "TaskExited " + e.status.text() + (e.left ? ", descendants left" : "");
  }
  std::string operator()(const DescendantsChanged& e) const {
    return "DescendantsChanged " + std::to_string(e.left);
  }
  std::string operator()(const SignalArrived& e) const {
    return "SignalArrived " + signal_name(e.signo) + " from " + kSources[static_cast<std::size_t>(e.source)];
  }
  std::string operator()(const EndRequested& e) const { return "EndRequested " + milliseconds(e.grace); }
  std::string operator()(const OrphansReported&) const { return "OrphansReported"; }
  std::string operator()(const ParentGone&) const { return "ParentGone"; }
  std::string operator()(const OuterGone&) const { return "OuterGone"; }
  std::string operator()(const TimePassed&) const { return "TimePassed"; }
};

struct EffectText {
  std::string operator()(const Dial&) const { return "Dial"; }
  std::string operator()(const StartTask&) const { return "StartTask"; }
  std::string operator()(const SendRegistration&) const { return "SendRegistration"; }
  std::string operator()(const SendParentLost&) const { return "SendParentLost"; }
  std::string operator()(const SendStarterLost&) const { return "SendStarterLost"; }
  std::string operator()(const SendTaskEnded&) const { return "SendTaskEnded"; }
  std::string operator()(const SignalTask& e) const { return "SignalTask " + signal_name(e.signo); }
  std::string operator()(const SignalDescendants& e) const {
    return "SignalDescendants " + signal_name(e.signo);
  }
  std::string operator()(const ContinueOuter&) const { return "ContinueOuter"; }
  std::string operator()(const EndOrphans&) const { return "EndOrphans"; }
  std::string operator()(const Complain& e) const {
    return std::string("Complain ") + kComplaints[static_cast<std::size_t>(e.what)] + ", " + name(e.why);
  }
  std::string operator()(const Finish& e) const { return "Finish " + e.status.text(); }
};

}  // namespace

std::string text(const Event& event) { return std::visit(EventText{}, event); }
std::string text(const Effect& effect) { return std::visit(EffectText{}, effect); }

}  // namespace rollcall::taskstarter
