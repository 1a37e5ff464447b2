// The records of lsb.acct.
#include "sched/policy/events/event_fields.hpp"

namespace rollcall::sched::events {
namespace {

using namespace event_fields;

// The fields before the hosts, $4 to $22.
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

// $25+o to $59+o: fields since LSF 5.1.
void put_finish_result(Line& line, const wire::JobEvent::Finish& finish) {
  const auto& asked = finish.asked();
  const auto& record = finish.record();
  line.number(record.status())
      .real(finish.cpu_factor(), 2)
      .string(element_name_text(asked, record.key().index()));
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

// $60+o to $78+o: fields since LSF 7.
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

// From $79+o: fields since LSF 9.1 and 10.1, in the order of existing files.
void put_finish_nine(Line& line, const wire::JobEvent::Finish& finish, std::int64_t run_s,
                     const EventStyle& style) {
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
      .string(record.from().cluster())
      .number(record.from().key().id())
      .string(record.forwarded().cluster())
      .number(record.forwarded().there().key().id())
      .number(seconds(record.forwarded().at_us()))
      .string("")  // flow
      .number(0)   // wait for other systems
      .number(0)   // provisioning
      .string(finish.asked().output_dir())
      .number(run_s)
      .string(finish.asked().cwd())
      .number(0)    // networks
      .string("");  // affinity
}

void put_finish_ten(Line& line, const wire::JobRecord& record, const EventStyle& style) {
  for (int i = 0; i < 5; ++i) line.real(0.0);  // energy, cpi, gips, gbs, gflops
  put_hosts(line, record.hosts(), style);      // allocated slots
  line.number(0).number(0).number(0).number(0).number(0).number(
      0);  // ineligible, ranges, requeue, GPUs, storage, pairs
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

}  // namespace rollcall::sched::events
