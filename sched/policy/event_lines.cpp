#include "sched/policy/event_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sched/policy/event_options.hpp"
#include "sched/policy/job.hpp"

namespace rollcall::sched {
namespace {

constexpr std::string_view kVersion = "10.1";
constexpr std::int64_t kNone = -1;  // a limit or a usage that is not known

// A record under construction.
class Line {
 public:
  Line(std::string_view type, std::int64_t at_us) {
    string(type);
    string(kVersion);
    number(at_us / 1'000'000);
  }

  Line& string(std::string_view text) {
    begin();
    line_ += '"';
    for (const char c : text) {
      if (c == '\n' || c == '\r')
        line_ += ';';
      else if (c == '"')
        line_ += "\"\"";
      else
        line_ += c;
    }
    line_ += '"';
    return *this;
  }
  Line& number(std::int64_t value) {
    begin();
    line_ += std::to_string(value);
    return *this;
  }
  Line& real(double value, int digits = 6) {
    char text[64];
    const int size = std::snprintf(text, sizeof text, "%.*f", digits, std::isfinite(value) ? value : 0.0);
    begin();
    line_.append(text, static_cast<std::size_t>(std::clamp<int>(size, 0, sizeof text - 1)));
    return *this;
  }
  // Not quoted: hosts of the usage per host.
  Line& word(std::string_view text) {
    begin();
    line_ += text;
    return *this;
  }

  std::string end() { return std::move(line_) + "\n"; }

 private:
  void begin() {
    if (!line_.empty()) line_ += ' ';
  }
  std::string line_;
};

std::int64_t seconds(std::int64_t us) { return us / 1'000'000; }

template <class Hosts>
void put_hosts(Line& line, const Hosts& hosts, const EventStyle& style) {
  std::int64_t items = 0;
  for (const auto& host : hosts) items += style.short_hosts ? 1 : host.slots();
  line.number(items);
  for (const auto& host : hosts) {
    if (style.short_hosts)
      line.string(host.slots() == 1 ? host.name() : std::to_string(host.slots()) + "*" + host.name());
    else
      for (std::uint32_t slot = 0; slot < host.slots(); ++slot) line.string(host.name());
  }
}

std::int64_t limit(bool given, std::int64_t value) { return given ? value : kNone; }

void put_limits(Line& line, const wire::Limits& of) {
  line.number(limit(of.has_cpu_s(), of.cpu_s()))
      .number(limit(of.has_file_kb(), of.file_kb()))
      .number(limit(of.has_data_kb(), of.data_kb()))
      .number(limit(of.has_stack_kb(), of.stack_kb()))
      .number(limit(of.has_core_kb(), of.core_kb()))
      .number(limit(of.has_memory_kb(), of.memory_kb()))
      .number(kNone)
      .number(kNone)
      .number(kNone)
      .number(limit(of.has_run_s(), of.run_s()))
      .number(kNone);
}

void put_asked_hosts(Line& line, const wire::Submission& asked) {
  line.number(asked.asked_hosts_size());
  for (const auto& host : asked.asked_hosts()) line.string(asked_host_text(host));
}

std::string job_file(const JobKey& key, std::int64_t submit_us) {
  return std::to_string(seconds(submit_us)) + "." + std::to_string(key.id);
}

std::int64_t least_slots(const wire::Submission& asked) { return std::max<std::int64_t>(1, asked.min_slots()); }
std::int64_t most_slots(const wire::Submission& asked) {
  return std::max<std::int64_t>(least_slots(asked), asked.max_slots());
}

void put_transfers(Line& line, const wire::Submission& asked) {
  line.number(asked.transfers_size());
  for (const auto& file : asked.transfers())
    line.string(file.local()).string(file.remote()).number(transfer_options(file.direction()));
}

// JOB_NEW, and JOB_MODIFY, whose list is the same. $4 and on.
std::string submission_line(std::string_view type, const wire::JobEvent& event, const wire::Submission& asked,
                            const std::string& queue, std::int64_t submit_us) {
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
  line.string(asked.dependency()).string(asked.pre_exec()).string(job_name_text(asked)).string(asked.command());
  put_transfers(line, asked);
  line.string(asked.mail_user()).string(asked.project());
  if (asked.interactive() != wire::Submission::NONE) line.number(0);  // the port of LSF's own NIOS: none is used
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
  return line.end();
}

// The 19 fields of lsfRusage.
void put_usage(Line& line, const wire::JobUsage& usage) {
  line.real(usage.user_s()).real(usage.system_s());
  line.number(0).number(0).number(kNone).number(0).number(0);  // maxrss ixrss ismrss idrss isrss
  for (int i = 0; i < 5; ++i) line.number(0);                  // minflt majflt nswap inblock oublock
  line.number(kNone);                                          // ioch
  for (int i = 0; i < 5; ++i) line.number(0);                  // msgsnd msgrcv nsignals nvcsw nivcsw
  line.number(kNone);                                          // exutime
}

int status_number(const wire::JobEvent::Status& status) {
  if (status.post() == wire::POST_DONE || status.post() == wire::POST_ERR)
    return static_cast<int>(status.status()) + static_cast<int>(status.post());
  return static_cast<int>(status.status());
}

// The code as a shell gives it: readers of lsb.events take it for that (lsb.acct has the word of wait).
int plain_exit(int wait_word) {
  const int number = wait_word & 0x7f;
  return number == 0 ? (wait_word >> 8) & 0xff : 128 + number;
}

std::string status_line(const wire::JobEvent& event) {
  const auto& status = event.status();
  const bool over = finished(status.status());
  // Readers know no sum of 32: a job that failed is told once.
  if (status.status() == wire::STATUS_EXIT && (status.post() == wire::POST_DONE || status.post() == wire::POST_ERR))
    return "";
  const bool used = over && status.has_usage();
  Line line("JOB_STATUS", event.at_us());
  line.number(event.key().id())
      .number(status_number(status))
      .number(status.reasons())
      .number(0)
      .real(used ? status.usage().user_s() + status.usage().system_s() : 0.0)
      .number(over ? seconds(status.end_us()) : 0)
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
      return submission_line("JOB_NEW", event, event.new_job().asked(), event.new_job().queue(), event.at_us());
    case What::kModify:
      return submission_line("JOB_MODIFY", event, event.modify().asked(),
                             event.modify().asked().queues_size() > 0 ? event.modify().asked().queues(0) : "",
                             event.at_us());
    case What::kStart:
      return start_line(event, style);
    case What::kStartAccept:
    case What::kExecute:
      return of_a_run(event);
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

std::string head_line(std::int64_t number) { return "# " + std::to_string(number) + "\n"; }

namespace {

// What stands before the hosts, $4 to $22.
void put_finish_head(Line& line, const wire::Submission& asked, const wire::JobRecord& record) {
  const JobKey key = key_of(record.key());
  line.number(key.id)
      .number(asked.uid())
      .number(submission_options(asked))
      .number(slots_of(asked, record))
      .number(seconds(record.submit_us()))
      .number(seconds(asked.begin_us()))
      .number(seconds(asked.terminate_us()))
      .number(seconds(record.start_us()))
      .string(asked.user())
      .string(record.queue())
      .string(asked.resreq())
      .string(asked.dependency())
      .string(asked.pre_exec())
      .string(asked.from_host())
      .string(asked.cwd())
      .string(asked.input_file())
      .string(asked.output_file())
      .string(asked.error_file())
      .string(job_file(key, record.submit_us()));
}

// $25+o to $59+o: what LSF 5.1 had.
void put_finish_result(Line& line, const wire::JobEvent::Finish& finish) {
  const auto& asked = finish.asked();
  const auto& record = finish.record();
  line.number(record.status()).real(finish.cpu_factor(), 2).string(element_name_text(asked, record.key().index()));
  line.string(asked.command());
  put_usage(line, record.usage());
  line.string(asked.mail_user())
      .string(asked.project())
      .number(record.exit_status())
      .number(most_slots(asked))
      .string(asked.login_shell())
      .string("")  // time event
      .number(record.key().index())
      .number(record.usage().max_memory_kb())
      .number(record.usage().max_swap_kb())
      .string("")
      .string("")  // spooled files
      .string(asked.reservation());
}

// $60+o to $78+o: what LSF 7 added.
void put_finish_seven(Line& line, const wire::JobEvent::Finish& finish) {
  const auto& asked = finish.asked();
  line.string(asked.service_class())
      .number(0)   // exceptions
      .string("")  // additional information
      .number(finish.record().term_reason())
      .string("")
      .number(asked.warning_seconds() > 0 ? static_cast<std::int64_t>(asked.warning_seconds()) : kNone)
      .string("")  // charged share account
      .string("")  // licence project
      .string(asked.application())
      .string(asked.post_exec())
      .number(0)  // estimated run time
      .string(asked.job_group())
      .string(asked.requeue_exits())
      .number(submission_options2(asked))
      .string("")  // resize command
      .number(0)   // last resize
      .string(asked.reservation())
      .string(asked.description())
      .number(0);  // external submission options
}

// From $79+o on: 9.1 and 10.1, in the order that real records have.
void put_finish_nine(Line& line, const wire::JobEvent::Finish& finish, std::int64_t run_s, const EventStyle& style) {
  const auto& record = finish.record();
  const auto& used = style.host_usage ? record.usage() : wire::JobUsage::default_instance();
  line.number(used.hosts_size());
  for (const auto& host : used.hosts())
    line.word(host.host())
        .number(host.memory_kb())
        .number(host.swap_kb())
        .real(host.user_s())
        .real(host.system_s())
        .number(0);
  line.number(limit(finish.asked().limits().has_run_s(), finish.asked().limits().run_s()))
      .number(0)  // options3
      .number(record.usage().average_memory_kb())
      .string(record.effective_resreq().empty() ? "" : record.effective_resreq() + " ")
      .string("")
      .number(0)
      .string("")
      .number(0)    // source and destination of a forwarded job
      .number(0)    // when it was forwarded
      .string("")   // flow
      .number(0)    // wait for other systems
      .number(0)    // provisioning
      .string(finish.asked().output_dir())
      .number(run_s)
      .string(finish.asked().cwd())
      .number(0)    // networks
      .string("");  // affinity
}

void put_finish_ten(Line& line, const wire::JobRecord& record, const EventStyle& style) {
  for (int i = 0; i < 5; ++i) line.real(0.0);  // energy, cpi, gips, gbs, gflops
  put_hosts(line, record.hosts(), style);      // allocated slots
  line.number(0).number(0).number(0).number(0).number(0).number(0);  // ineligible, ranges, requeue, GPUs, storage, pairs
}

}  // namespace

std::string account_line(const wire::JobEvent& event, const EventStyle& style) {
  if (!event.has_finish()) return "";
  const auto& finish = event.finish();
  const auto& record = finish.record();
  const std::int64_t end_us = record.end_us() > 0 ? record.end_us() : event.at_us();
  Line line("JOB_FINISH", end_us);
  put_finish_head(line, finish.asked(), record);
  put_asked_hosts(line, finish.asked());
  const bool ran = record.start_us() > 0;
  put_hosts(line, ran ? record.hosts() : wire::JobRecord().hosts(), style);
  put_finish_result(line, finish);
  put_finish_seven(line, finish);
  put_finish_nine(line, finish, ran ? seconds_between({record.start_us()}, {end_us}) : 0, style);
  put_finish_ten(line, ran ? record : wire::JobRecord(), style);
  return line.end();
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
          return configuration_error("byte " + std::to_string(begun + 1) + ": found a string that does not end");
        if (line[at] == '"' && at + 1 < line.size() && line[at + 1] == '"') ++at;
        else if (line[at] == '"') break;
        field += line[at];
      }
      ++at;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace rollcall::sched
