#include "pam/conversation.hpp"

#include "common/base/host_list.hpp"

namespace rollcall::pam {
namespace {

ExitStatus status_of(bool by_signal, int value, bool core = false) {
  return by_signal ? ExitStatus::signaled(value, core) : ExitStatus::exited(value);
}

TaskUsage usage_of(const wire::Usage& message) {
  TaskUsage usage;
  usage.user = std::chrono::microseconds(message.user_us());
  usage.system = std::chrono::microseconds(message.system_us());
  usage.peak_memory_bytes = message.peak_memory_bytes();
  usage.voluntary_switches = message.voluntary_switches();
  usage.involuntary_switches = message.involuntary_switches();
  usage.read_bytes = message.read_bytes();
  usage.written_bytes = message.written_bytes();
  return usage;
}

}  // namespace

std::string plain_host(std::string host) {
  for (char& c : host)
    if (!host_name(std::string(1, c))) c = '?';
  return host.empty() ? "?" : host.substr(0, 255);
}

Result<Registration> registration_of(const wire::Register& message) {
  Registration registration;
  registration.host = plain_host(message.host());
  registration.starter_pid = message.starter_pid();
  registration.inner_pid = message.inner_pid();
  registration.start_us = message.start_time_us();
  if (message.has_rank()) registration.rank = message.rank();
  registration.command = message.command();
  registration.parent_pid = message.parent_pid();
  registration.parent_name = message.parent_name();
  if (message.outcome_case() == wire::Register::kTaskPid)
    registration.outcome = pid_t{message.task_pid()};
  else if (message.outcome_case() == wire::Register::kFailed)
    registration.outcome =
        StartFailure{message.failed().stage(), message.failed().error(), message.failed().path()};
  else
    return internal_error("outcome: found none, expected task_pid or failed");
  return registration;
}

event::TaskResumed task_resumed_of(const wire::Register& message, ConnectionId connection) {
  return {connection, message.tid(), plain_host(message.host()), message.starter_pid()};
}

event::TaskEnded task_ended_of(const wire::TaskEnded& message, Tid tid) {
  return {tid, status_of(message.by_signal(), message.value(), message.core_dumped()), message.end_time_us(),
          usage_of(message.usage()), message.leftovers()};
}

event::ParentLost parent_lost_of(const wire::ParentLost& message, Tid tid) {
  event::ParentLost event{tid, message.pid(), message.name(), std::nullopt, message.background()};
  if (message.cause() != wire::ParentLost::UNKNOWN)
    event.status = status_of(message.cause() == wire::ParentLost::SIGNALED, message.value());
  return event;
}

wire::FromPam message_of(const effect::Welcome& effect) {
  wire::FromPam message;
  message.mutable_welcome()->set_tid(effect.tid);
  message.mutable_welcome()->set_patience_ms(
      static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(effect.patience).count()));
  return message;
}

wire::FromPam message_of(const effect::DeliverSignal& effect) {
  wire::FromPam message;
  message.mutable_deliver_signal()->set_sequence(effect.sequence);
  message.mutable_deliver_signal()->set_signo(effect.signo);
  return message;
}

wire::FromPam message_of(const effect::EndTasks& effect) {
  wire::FromPam message;
  message.mutable_end_task()->set_grace_ms(effect.grace_ms);
  return message;
}

wire::FromPam message_of(const effect::EndOrphans&) {
  wire::FromPam message;
  message.mutable_end_orphans();
  return message;
}

}  // namespace rollcall::pam
