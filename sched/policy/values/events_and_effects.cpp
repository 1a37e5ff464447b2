#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched {
namespace {

std::string host_list(const std::vector<Placement::Slots>& hosts) {
  std::string line;
  for (const auto& [host, slots] : hosts)
    line += (line.empty() ? "" : " ") + std::to_string(slots) + "*" + host.text();
  return line;
}
std::string by(const event::By& who) {
  return " by " + who.user + (who.owner ? "" : who.admin ? " (administrator)" : " (stranger)");
}

struct EventText {
  std::string operator()(const event::Dispatched& e) const {
    return "Dispatched to " + host_list(e.placement.hosts) +
           (e.forwarded ? " queue " + e.forwarded->queue() : "");
  }
  std::string operator()(const event::SuspendPlanned& e) const {
    return "SuspendPlanned for " + std::to_string(e.reasons) + " " + e.why;
  }
  std::string operator()(const event::ResumePlanned&) const { return "ResumePlanned"; }
  std::string operator()(const event::Ran& e) const { return "Ran as process " + std::to_string(e.told.pid); }
  std::string operator()(const event::StoppedThere&) const { return "StoppedThere"; }
  std::string operator()(const event::ResumedThere&) const { return "ResumedThere"; }
  std::string operator()(const event::Ended& e) const {
    return "Ended how " + std::to_string(static_cast<int>(e.told.how)) + " status " +
           std::to_string(e.told.exit_status);
  }
  std::string operator()(const event::EndHeld& e) const { return "EndHeld: " + e.why; }
  std::string operator()(const event::PostEnded& e) const {
    return e.failed ? "PostEnded badly" : "PostEnded";
  }
  std::string operator()(const event::HostBack& e) const {
    return e.held ? "HostBack with it in state " + std::to_string(static_cast<int>(*e.held))
                  : "HostBack without it";
  }
  std::string operator()(const event::Prepared& e) const { return "Prepared on " + e.host; }
  std::string operator()(const event::NotPrepared& e) const {
    return "NotPrepared on " + e.host + ": " + e.why;
  }
  std::string operator()(const event::Begun&) const { return "Begun"; }
  std::string operator()(const event::StartNotTaken& e) const { return "StartNotTaken: " + e.why; }
  std::string operator()(const event::HostLost& e) const {
    return e.all_hosts ? "HostLost with all others" : "HostLost";
  }
  std::string operator()(const event::GivenUpEnded& e) const {
    return "GivenUpEnded status " + std::to_string(e.told.exit_status);
  }
  std::string operator()(const event::KillAsked& e) const {
    return (e.requeue ? "KillAsked to requeue" : "KillAsked") + by(e.by);
  }
  std::string operator()(const event::RemoveAsked& e) const { return "RemoveAsked" + by(e.by); }
  std::string operator()(const event::LimitsChanged&) const { return "LimitsChanged"; }
  std::string operator()(const event::SignalAsked& e) const {
    return "SignalAsked " + std::to_string(e.signal) + by(e.by);
  }
  std::string operator()(const event::StopAsked& e) const {
    return "StopAsked" + by(e.by) + (e.cut_off ? ", cut off" : "");
  }
  std::string operator()(const event::ResumeAsked& e) const {
    return "ResumeAsked" + by(e.by) + (e.cut_off ? ", cut off" : "");
  }
  std::string operator()(const event::RestartAsked& e) const { return "RestartAsked" + by(e.by); }
  std::string operator()(const event::TerminateTimeCame&) const { return "TerminateTimeCame"; }
  std::string operator()(const event::AvoidanceOver&) const { return "AvoidanceOver"; }
  std::string operator()(const event::PauseOver&) const { return "PauseOver"; }
  std::string operator()(const event::Elsewhere& e) const {
    return "Elsewhere " + text(key_of(e.job.key())) + " in status " + std::to_string(e.job.status());
  }
  std::string operator()(const event::RecallDue&) const { return "RecallDue"; }
  std::string operator()(const event::WrittenOff&) const { return "WrittenOff"; }
  std::string operator()(const event::PartGone& e) const { return "PartGone from " + e.host; }
  std::string operator()(const event::PartLost& e) const {
    return "PartLost on " + e.host + (e.recalled ? ", recalled: " : ": ") + e.why;
  }
  std::string operator()(const event::GivenBack& e) const {
    return e.why.empty() ? "GivenBack as asked" : "GivenBack: " + e.why;
  }
  std::string operator()(const event::PartReleased&) const { return "PartReleased"; }
  std::string operator()(const event::CarriedOut& e) const {
    return "CarriedOut by " + e.cluster + " up to " + std::to_string(e.number);
  }
};

// The action with its parameters.
std::string signal_text(const wire::SentSignal& sent) {
  switch (sent.action()) {
    case wire::SentSignal::SEND:
      return "SEND " + std::to_string(sent.signal());
    case wire::SentSignal::TERMINATE:
      return sent.sequential() ? "TERMINATE" : "TERMINATE at once";
    case wire::SentSignal::SUSPEND:
      return "SUSPEND";
    case wire::SentSignal::RESUME:
      return "RESUME";
    case wire::SentSignal::LIMITS:
      return "LIMITS";
    default:
      return "action " + std::to_string(sent.action());
  }
}
std::string_view event_kind(const wire::JobEvent& event) {
  using E = wire::JobEvent;
  switch (event.what_case()) {
    case E::kNewJob:
      return "new job";
    case E::kStart:
      return "start";
    case E::kStartAccept:
      return "start accepted";
    case E::kExecute:
      return "execute";
    case E::kStatus:
      return "status";
    case E::kSignal:
      return "signal";
    case E::kSwitched:
      return "switch";
    case E::kMove:
      return "move";
    case E::kRequeue:
      return "requeue";
    case E::kClean:
      return "clean";
    case E::kModify:
      return "modify";
    case E::kFinish:
      return "finish";
    case E::kQueueControl:
      return "queue control";
    case E::kHostControl:
      return "host control";
    case E::kForward:
      return "forward";
    case E::kAccept:
      return "accept";
    default:
      return "of the system";
  }
}

struct EffectText {
  std::string operator()(const effect::SaveJob& e) const { return "SaveJob " + text(e.key); }
  std::string operator()(const effect::SaveSubmission& e) const {
    return "SaveSubmission " + std::to_string(e.number);
  }
  std::string operator()(const effect::SavePayload& e) const {
    return "SavePayload " + std::to_string(e.row.number) + " of " + std::to_string(e.row.body.size()) +
           " bytes";
  }
  std::string operator()(const effect::DropPayload& e) const {
    return "DropPayload " + std::to_string(e.number);
  }
  std::string operator()(const effect::RemoveJob& e) const {
    return "RemoveJob " + text(key_of(e.record.key()));
  }
  std::string operator()(const effect::SaveCounters&) const { return "SaveCounters"; }
  std::string operator()(const effect::SaveToken&) const { return "SaveToken"; }
  std::string operator()(const effect::ForgetTokens&) const { return "ForgetTokens"; }
  std::string operator()(const effect::SaveControl& e) const {
    return std::string("SaveControl ") + (e.state.host() ? "host " : "queue ") + e.state.name() +
           (e.state.closed() ? " closed" : " open") + (e.state.inactive() ? " inactive" : "");
  }
  std::string operator()(const effect::RecordEvent& e) const {
    std::string line = "RecordEvent " + std::string(event_kind(e.event));
    if (e.event.has_key()) line += " of " + text(key_of(e.event.key()));
    if (e.event.has_status()) line += " " + std::to_string(e.event.status().status());
    return line;
  }
  std::string operator()(const effect::OrderStart& e) const {
    return "OrderStart " + text(e.key) + " on " + e.host;
  }
  std::string operator()(const effect::OrderExpect& e) const {
    return "OrderExpect " + text(e.key) + " on " + e.host;
  }
  std::string operator()(const effect::OrderGo& e) const {
    return "OrderGo " + text(e.key) + " on " + e.host;
  }
  std::string operator()(const effect::OrderSignal& e) const {
    return "OrderSignal " + signal_text(e.signal.sent) + " number " + std::to_string(e.signal.sent.number()) +
           " to " + text(e.signal.attempt) + " on " + e.host;
  }
  std::string operator()(const effect::OrderAcknowledge& e) const {
    return "OrderAcknowledge " + text(e.attempt) + " to " + e.host;
  }
  std::string operator()(const effect::OrderRelease& e) const {
    return "OrderRelease " + text(e.attempt) + " on " + e.host;
  }
  std::string operator()(const effect::TellWaiters& e) const { return "TellWaiters " + text(e.key); }
  std::string operator()(const effect::ScheduleSoon&) const { return "ScheduleSoon"; }
};

}  // namespace

std::string text(const JobHappening& event) { return std::visit(EventText{}, event); }
std::string text(const Effect& effect) { return std::visit(EffectText{}, effect); }

}  // namespace rollcall::sched
