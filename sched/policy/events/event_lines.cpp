// The records of lsb.events.
#include "sched/policy/events/event_lines.hpp"

#include "sched/policy/events/event_fields.hpp"

namespace rollcall::sched::events {
namespace {

using namespace event_fields;

constexpr std::size_t kHeadDigits = 12;

// The fields after userPriority, from the reservation to the job's description.
void put_later_fields(Line& line, const wire::Submission& asked) {
  line.string(asked.reservation())
      .string(asked.job_group())
      .string(asked.service_class())
      .number(asked.limits().has_threads() ? asked.limits().threads() : kNone)
      .string("")  // external scheduler
      .string("")  // warning action
      .number(asked.warning_seconds() > 0 ? static_cast<std::int64_t>(asked.warning_seconds()) : kNone)
      .number(kNone)  // run limit of the service class
      .string("")     // licence project
      .number(0)      // options3
      .string(asked.application())
      .string(asked.post_exec())
      .number(kNone)  // estimated run time
      .string(asked.requeue_exits())
      .number(kNone)  // first checkpoint
      .number(kNone)  // migration
      .string("")     // resize command
      .string(asked.description());
}

// JOB_NEW, and JOB_MODIFY, which has the same fields. `from`: of a job of another cluster, else null.
std::string submission_line(std::string_view type, const wire::JobEvent& event, const wire::Submission& asked,
                            const std::string& queue, std::int64_t submit_us,
                            const wire::ForwardedFrom* from) {
  const JobKey key = key_of(event.key());
  Line line(type, event.at_us());
  line.number(key.id)
      .number(asked.uid())
      .number(submission_options(asked))
      .number(least_slots(asked))
      .number(seconds(submit_us))
      .number(seconds(asked.begin_us()))
      .number(seconds(asked.terminate_us()))
      .number(asked.has_warning_signal() ? asked.warning_signal() : 0)
      .number(0)  // checkpoint period
      .number(0)  // restart pid
      .string(asked.user());
  put_limits(line, asked.limits());
  line.string(asked.limits().run_spec())
      .real(1.0, 2)
      .number(asked.umask())
      .string(queue)
      .string(asked.resreq())
      .string(asked.from_host())
      .string(asked.cwd())
      .string("")  // checkpoint directory
      .string(asked.input_file())
      .string(asked.output_file())
      .string(asked.error_file())
      .string(asked.home())
      .string(job_file(key, submit_us));
  put_asked_hosts(line, asked);
  line.string(asked.dependency())
      .string(asked.pre_exec())
      .string(job_name_text(asked))
      .string(asked.command());
  put_transfers(line, asked);
  line.string(asked.mail_user()).string(asked.project());
  if (asked.interactive() != wire::Submission::NONE) line.number(0);  // niosPort: unused here
  line.number(most_slots(asked))
      .string("")  // host type
      .string(asked.login_shell())
      .string("")  // time event
      .string(asked.user_group())
      .string("")  // exceptions
      .number(submission_options2(asked))
      .number(key.index)
      .string("")
      .string("")
      .string("")  // spooled input, command, and their directory
      .number(asked.has_priority() ? static_cast<std::int64_t>(asked.priority()) : kNone);
  put_later_fields(line, asked);
  if (from)
    line.number(0)  // extended submission values
        .number(from->key().id())
        .string(from->cluster())
        .number(kNone)
        .string("");  // the job was not forwarded further
  return line.end();
}

int status_number(const wire::JobEvent::Status& status) {
  if (status.post() == wire::POST_DONE || status.post() == wire::POST_ERR)
    return static_cast<int>(status.status()) + static_cast<int>(status.post());
  return static_cast<int>(status.status());
}

// The exit code as in a shell, which readers of lsb.events expect (lsb.acct has the status of wait(2)).
int plain_exit(int wait_word) {
  const int number = wait_word & 0x7f;
  return number == 0 ? (wait_word >> 8) & 0xff : 128 + number;
}

std::string status_line(const wire::JobEvent& event) {
  const auto& status = event.status();
  const bool over = finished(status.status());
  if (status.status() == wire::STATUS_NULL) return "";  // a line of bhist alone
  // Readers do not know 32 plus a post-execution state: a failed job gets one record.
  if (status.status() == wire::STATUS_EXIT &&
      (status.post() == wire::POST_DONE || status.post() == wire::POST_ERR))
    return "";
  // An attempt was over before, and the job pends since then.
  const bool heard_late =
      pending(status.status()) && status.end_us() != 0 && seconds(status.end_us()) < seconds(event.at_us());
  const bool used = over && status.has_usage();
  Line line("JOB_STATUS", event.at_us());
  line.number(event.key().id())
      .number(status_number(status))
      .number(status.reasons())
      .number(0)
      .real(used ? status.usage().user_s() + status.usage().system_s() : 0.0)
      .number(over || heard_late ? seconds(status.end_us()) : 0)
      .number(used ? 1 : 0);
  if (used) put_usage(line, status.usage());
  line.number(plain_exit(status.exit_status())).number(event.key().index()).number(status.term_reason());
  return line.end();
}

std::string start_line(const wire::JobEvent& event, const EventStyle& style) {
  const auto& start = event.start();
  Line line("JOB_START", event.at_us());
  line.number(event.key().id()).number(wire::STATUS_RUN).number(0).number(0).real(start.cpu_factor(), 2);
  put_hosts(line, start.hosts(), style);
  line.string(start.pre_exec()).string(start.post_exec()).number(0).string(start.user_group());
  line.number(event.key().index());
  return line.end();
}

// JOB_FORWARD and JOB_ACCEPT of MultiCluster. Behind LSF's fields: the remote queue, and why. Both clusters write JOB_ACCEPT: the
// executing one, as LSF's, ends it in 1.
std::string of_another_cluster(const wire::JobEvent& event) {
  const auto& key = event.key();
  if (event.has_forward()) {
    const auto& forward = event.forward();
    return Line("JOB_FORWARD", event.at_us())
        .number(key.id())
        .number(0)
        .string(forward.cluster())
        .number(key.index())
        .string(forward.queue())
        .string(forward.why())
        .end();
  }
  const auto& accept = event.accept();
  Line line("JOB_ACCEPT", event.at_us());
  line.number(key.id())
      .number(accept.there().id())
      .string(accept.cluster())
      .number(key.index())
      .number(accept.there().index())
      .string(accept.queue());
  if (accept.came()) line.number(1);
  return line.end();
}

std::string of_a_run(const wire::JobEvent& event) {
  const auto& key = event.key();
  if (event.has_start_accept()) {
    const auto& pids = event.start_accept();
    return Line("JOB_START_ACCEPT", event.at_us())
        .number(key.id())
        .number(pids.pid())
        .number(pids.pgid())
        .number(key.index())
        .end();
  }
  const auto& run = event.execute();
  return Line("JOB_EXECUTE", event.at_us())
      .number(key.id())
      .number(run.uid())
      .number(run.pgid())
      .string(run.cwd())
      .string(run.home())
      .string(run.user())
      .number(run.pid())
      .number(key.index())
      .end();
}

std::string of_a_request(const wire::JobEvent& event) {
  const auto& key = event.key();
  if (event.has_signal()) {
    const auto& signal = event.signal();
    return Line("JOB_SIGNAL", event.at_us())
        .number(key.id())
        .number(signal.uid())
        .number(signal.run_count())
        .string(signal.symbol())
        .number(key.index())
        .string(signal.user())
        .end();
  }
  if (event.has_switched()) {
    const auto& change = event.switched();
    return Line("JOB_SWITCH", event.at_us())
        .number(change.uid())
        .number(key.id())
        .string(change.queue())
        .number(key.index())
        .string(change.user())
        .end();
  }
  const auto& move = event.move();
  return Line("JOB_MOVE", event.at_us())
      .number(move.uid())
      .number(key.id())
      .number(move.position())
      .number(move.to_bottom() ? 2 : 1)
      .number(key.index())
      .string(move.user())
      .end();
}

template <class Control>
std::string control_line(std::string_view type, const wire::JobEvent& event, const Control& control,
                         const std::string& name) {
  return Line(type, event.at_us())
      .number(control.operation())
      .string(name)
      .number(control.uid())
      .string(control.user())
      .string(control.comment())
      .end();
}

std::string of_the_system(const wire::JobEvent& event) {
  using What = wire::JobEvent::WhatCase;
  switch (event.what_case()) {
    case What::kMbdStart:
      return Line("MBD_START", event.at_us())
          .string(event.mbd_start().host())
          .string(event.mbd_start().cluster())
          .number(event.mbd_start().hosts())
          .number(event.mbd_start().queues())
          .end();
    case What::kMbdDie:
      return Line("MBD_DIE", event.at_us())
          .string(event.mbd_die().host())
          .number(event.mbd_die().removed_jobs())
          .number(event.mbd_die().exit_code())
          .end();
    case What::kQueueControl:
      return control_line("QUEUE_CTRL", event, event.queue_control(), event.queue_control().queue());
    case What::kHostControl:
      return control_line("HOST_CTRL", event, event.host_control(), event.host_control().host());
    case What::kLoadIndices: {
      Line line("LOAD_INDEX", event.at_us());
      line.number(event.load_indices().names_size());
      for (const auto& name : event.load_indices().names()) line.string(name);
      return line.end();
    }
    case What::kLogSwitch:
      return Line("LOG_SWITCH", event.at_us()).number(event.log_switch().highest_id()).end();
    default:
      return "";
  }
}

}  // namespace

std::string event_line(const wire::JobEvent& event, const EventStyle& style) {
  using What = wire::JobEvent::WhatCase;
  const auto& key = event.key();
  switch (event.what_case()) {
    case What::kNewJob:
      return submission_line(
          "JOB_NEW", event, event.new_job().asked(), event.new_job().queue(), event.at_us(),
          event.new_job().record().has_from() ? &event.new_job().record().from() : nullptr);
    case What::kModify:
      return submission_line("JOB_MODIFY", event, event.modify().asked(),
                             event.modify().asked().queues_size() > 0 ? event.modify().asked().queues(0) : "",
                             event.at_us(), nullptr);
    case What::kStart:
      return start_line(event, style);
    case What::kStartAccept:
    case What::kExecute:
      return of_a_run(event);
    case What::kForward:
    case What::kAccept:
      return of_another_cluster(event);
    case What::kStatus:
      return status_line(event);
    case What::kSignal:
    case What::kSwitched:
    case What::kMove:
      return of_a_request(event);
    case What::kRequeue:
      return Line("JOB_REQUEUE", event.at_us()).number(key.id()).number(key.index()).end();
    case What::kClean:
      return Line("JOB_CLEAN", event.at_us()).number(key.id()).number(key.index()).end();
    default:
      return of_the_system(event);
  }
}

std::string head_line(std::int64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < kHeadDigits) digits.resize(kHeadDigits, ' ');
  return "# " + digits + "\n";
}

Result<std::vector<std::string>> split_event_line(std::string_view line) {
  std::vector<std::string> fields;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with('#')) return fields;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    std::string field;
    if (line[at] != '"') {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      field = line.substr(at, end - at);
      at = end;
    } else {
      const std::size_t begun = at++;
      for (;; ++at) {
        if (at >= line.size())
          return configuration_error("byte " + std::to_string(begun + 1) +
                                     ": found a string that does not end");
        if (line[at] == '"' && at + 1 < line.size() && line[at + 1] == '"')
          ++at;
        else if (line[at] == '"')
          break;
        field += line[at];
      }
      ++at;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace rollcall::sched::events
