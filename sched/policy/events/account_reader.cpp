// JOB_FINISH of lsb.acct.
#include <algorithm>

#include "sched/policy/events/event_field_reader.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::events::event_words {
namespace {

// $4 to $22.
std::int32_t take_finish_head(EventFieldReader& words, wire::Submission& asked, wire::JobRecord& record) {
  const auto id = words.small();
  asked.set_uid(static_cast<std::uint32_t>(words.number()));
  words.skip(1);  // options
  asked.set_min_slots(static_cast<std::uint32_t>(std::max(1, words.small())));
  record.set_submit_us(words.moment_us());
  asked.set_begin_us(words.moment_us());
  asked.set_terminate_us(words.moment_us());
  record.set_start_us(words.moment_us());
  asked.set_user(words.text());
  record.set_queue(words.text());
  asked.set_resreq(words.text());
  asked.set_dependency(words.text());
  asked.set_pre_exec(words.text());
  asked.set_from_host(words.text());
  asked.set_cwd(words.text());
  asked.set_input_file(words.text());
  asked.set_output_file(words.text());
  asked.set_error_file(words.text());
  words.skip(1);  // job file
  return id;
}

// $25+o to $59+o: fields since LSF 5.1.
void take_finish_result(EventFieldReader& words, std::int32_t id, wire::JobEvent::Finish& finish) {
  auto& asked = *finish.mutable_asked();
  auto& record = *finish.mutable_record();
  const auto status = words.number();
  if (status != wire::STATUS_EXIT && status != wire::STATUS_DONE) words.fail("32 or 64 before it");
  record.set_status(status == wire::STATUS_DONE ? wire::STATUS_DONE : wire::STATUS_EXIT);
  finish.set_cpu_factor(words.real());
  record.set_cpu_factor(finish.cpu_factor());
  const std::string name = words.text();
  asked.set_command(words.text());
  auto& usage = *record.mutable_usage();
  take_usage(words, usage);
  asked.set_mail_user(words.text());
  asked.set_project(words.text());
  record.set_exit_status(words.small());
  asked.set_max_slots(static_cast<std::uint32_t>(std::max(1, words.small())));
  asked.set_login_shell(words.text());
  words.skip(1);  // time event
  const auto index = words.small();
  set_key(*record.mutable_key(), {id, index});
  take_job_name(name, index, asked);
  usage.set_max_memory_kb(std::max<std::int64_t>(0, words.number()));
  usage.set_max_swap_kb(std::max<std::int64_t>(0, words.number()));
  words.skip(2);  // spooled files
  asked.set_reservation(words.later_text());
}

// $60+o to $78+o: fields since LSF 7; older records end before.
void take_finish_seven(EventFieldReader& words, wire::JobEvent::Finish& finish) {
  auto& asked = *finish.mutable_asked();
  asked.set_service_class(words.later_text());
  words.later_number();  // exceptions
  words.later_text();    // additional information
  finish.mutable_record()->set_term_reason(words.more() ? words.small() : 0);
  words.later_text();  // warning action
  if (const auto seconds = words.later_number(); seconds > 0)
    asked.set_warning_seconds(static_cast<std::uint32_t>(std::min<std::int64_t>(seconds, 1'000'000'000)));
  words.later_text();  // charged share account
  words.later_text();  // licence project
  asked.set_application(words.later_text());
  asked.set_post_exec(words.later_text());
  words.later_number();  // estimated run time
  asked.set_job_group(words.later_text());
  asked.set_requeue_exits(words.later_text());
  words.later_number();  // options2
  words.later_text();    // resize command
  words.later_number();  // last resize
  words.later_text();    // reservation again
  asked.set_description(words.later_text());
  if (const auto pairs = words.later_number(); pairs > 0)
    words.skip(2 * static_cast<std::size_t>(std::min<std::int64_t>(pairs, 1'000'000)));
}

// From $79+o. A host's usage has 5 fields in the manual, but 6 in existing files. The fields after it show which: run limit,
// options3 and average memory are numbers, and the next one, the requirement, is not.
void take_finish_nine(EventFieldReader& words, wire::JobEvent::Finish& finish) {
  const auto hosts = static_cast<std::size_t>(std::clamp<std::int64_t>(words.later_number(), 0, 1'000'000));
  const auto fits = [&](std::size_t each) {
    const auto at = hosts * each;
    return words.is_number(at) && words.is_number(at + 1) && words.is_number(at + 2) &&
           at + 3 < words.left() && !words.is_number(at + 3);
  };
  const std::size_t each = fits(6) ? 6 : 5;
  if (!fits(each)) return;
  words.skip(hosts * each);
  if (const auto seconds = words.number(); seconds >= 0)
    finish.mutable_asked()->mutable_limits()->set_run_s(seconds);
  words.number();  // options3
  auto& record = *finish.mutable_record();
  record.mutable_usage()->set_average_memory_kb(std::max<std::int64_t>(0, words.number()));
  std::string effective = words.text();
  while (effective.ends_with(' ')) effective.pop_back();
  record.set_effective_resreq(effective);
}

}  // namespace

void take_finish(EventFieldReader& words, wire::JobEvent& event) {
  auto& finish = *event.mutable_finish();
  auto& record = *finish.mutable_record();
  record.set_end_us(event.at_us());
  const auto id = take_finish_head(words, *finish.mutable_asked(), record);
  take_asked_hosts(words, *finish.mutable_asked());
  // Some records have no hosts and no count of them: status and CPU factor follow at once.
  const bool counted = !((words.next_is("32") || words.next_is("64")) && words.is_number(1));
  if (counted) take_hosts(words, *record.mutable_hosts());
  take_finish_result(words, id, finish);
  take_finish_seven(words, finish);
  take_finish_nine(words, finish);
  *event.mutable_key() = record.key();
}

}  // namespace rollcall::sched::events::event_words
