// Reads the records of lsb.events that concern jobs, and finds where records begin and end.
#include "sched/policy/events/event_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sched/policy/events/event_field_reader.hpp"
#include "sched/policy/events/event_lines.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::events {
namespace {

using namespace event_words;

constexpr std::size_t kMostRecord = 4 << 20;  // bytes; LSF's longest are reported to have 200,000

void set_job(wire::JobEvent& event, std::int64_t id, std::int64_t index) {
  set_key(*event.mutable_key(), {static_cast<std::int32_t>(id), static_cast<std::int32_t>(index)});
}

// The fields between project and loginShell. Only interactive jobs have the number niosPort.
void take_port_and_slots(EventFieldReader& words, wire::Submission& asked) {
  if (words.is_number(1)) {
    words.skip(1);
    asked.set_interactive(wire::Submission::PLAIN);
  }
  asked.set_max_slots(static_cast<std::uint32_t>(std::max(1, words.small())));
}

// The fields after userPriority, from the reservation to the job's description.
constexpr std::size_t kLastFields = 18;
constexpr std::size_t kOfAnotherCluster = 5;  // behind them: of a job that another cluster has forwarded
void take_last_fields(EventFieldReader& words, wire::Submission& asked) {
  asked.set_reservation(words.later_text());
  asked.set_job_group(words.later_text());
  asked.set_service_class(words.later_text());
  if (const auto threads = words.later_number(); threads > 0) asked.mutable_limits()->set_threads(threads);
  words.later_text();  // external scheduler
  words.later_text();  // warning action
  if (const auto seconds = words.later_number(); seconds > 0)
    asked.set_warning_seconds(static_cast<std::uint32_t>(std::min<std::int64_t>(seconds, 1'000'000'000)));
  words.later_number();  // run limit of the service class
  words.later_text();    // licence project
  words.later_number();  // options3
  asked.set_application(words.later_text());
  asked.set_post_exec(words.later_text());
  words.later_number();  // estimated run time
  asked.set_requeue_exits(words.later_text());
  words.later_number();  // first checkpoint
  words.later_number();  // migration
  words.later_text();    // resize command
  asked.set_description(words.later_text());
}

// Fields that came after LSF 4. The bits of `options` are Rollcall's only in records that end where Rollcall's end.
void take_late_fields(EventFieldReader& words, std::int64_t options, wire::Submission& asked,
                      wire::JobEvent& event) {
  words.later_text();  // host type
  asked.set_login_shell(words.later_text());
  words.later_text();  // time event
  asked.set_user_group(words.later_text());
  words.later_text();  // exceptions
  const auto options2 = words.later_number();
  event.mutable_key()->set_index(words.more() ? words.small() : 0);
  for (int i = 0; i < 3; ++i) words.later_text();  // spooled files
  const bool told = words.more();
  if (const auto priority = words.later_number(); told && priority >= 0)
    asked.set_priority(static_cast<std::uint32_t>(std::min<std::int64_t>(priority, 1'000'000)));
  // Rollcall's records end here (older releases) or after the description; LSF's go on.
  const bool with_source = words.left() == kLastFields + kOfAnotherCluster && words.is_number(kLastFields) &&
                           words.is_number(kLastFields + 1);
  const bool ours = told && (!words.more() || words.left() == kLastFields || with_source);
  if (words.more()) take_last_fields(words, asked);
  if (ours) take_option_bits(options, options2, asked);
}

void take_transfers(EventFieldReader& words, wire::Submission& asked) {
  for (std::int64_t count = words.number(); count > 0 && !words.trouble(); --count) {
    auto& file = *asked.add_transfers();
    file.set_local(words.text());
    file.set_remote(words.text());
    const auto way = words.number();
    file.set_direction(way == 2   ? wire::FileTransfer::FROM_HOST
                       : way == 3 ? wire::FileTransfer::BOTH
                       : way == 4 ? wire::FileTransfer::APPEND_BACK
                                  : wire::FileTransfer::TO_HOST);
  }
}

// JOB_NEW and JOB_MODIFY; returns the queue.
std::string take_submission(EventFieldReader& words, wire::JobEvent& event, wire::Submission& asked) {
  set_job(event, words.small(), 0);
  asked.set_uid(static_cast<std::uint32_t>(words.number()));
  const auto options = words.number();
  asked.set_min_slots(static_cast<std::uint32_t>(std::max(1, words.small())));
  words.skip(1);  // the submission time equals the record's time
  asked.set_begin_us(words.moment_us());
  asked.set_terminate_us(words.moment_us());
  words.skip(3);  // signal, checkpoint period, restart pid
  asked.set_user(words.text());
  take_limits(words, *asked.mutable_limits());
  asked.mutable_limits()->set_run_spec(words.text());
  words.skip(1);  // host factor
  asked.set_umask(static_cast<std::uint32_t>(words.number()));
  std::string queue = words.text();
  if (!queue.empty()) asked.add_queues(queue);
  asked.set_resreq(words.text());
  asked.set_from_host(words.text());
  asked.set_cwd(words.text());
  words.skip(1);  // checkpoint directory
  asked.set_input_file(words.text());
  asked.set_output_file(words.text());
  asked.set_error_file(words.text());
  asked.set_home(words.text());
  words.skip(1);  // job file
  take_asked_hosts(words, asked);
  asked.set_dependency(words.text());
  asked.set_pre_exec(words.text());
  const std::string name = words.text();
  asked.set_command(words.text());
  take_transfers(words, asked);
  asked.set_mail_user(words.text());
  asked.set_project(words.text());
  take_port_and_slots(words, asked);
  take_late_fields(words, options, asked, event);
  take_job_name(name, event.key().index(), asked);
  return queue;
}

void take_new_job(EventFieldReader& words, wire::JobEvent& event) {
  auto& told = *event.mutable_new_job();
  told.set_queue(take_submission(words, event, *told.mutable_asked()));
  if (words.left() != kOfAnotherCluster || !words.is_number(0) || !words.is_number(1)) return;
  if (words.number() != 0) return;  // extended submission values follow
  const auto id = words.small();
  auto cluster = words.text();
  if (id < 1 || cluster.empty()) return;
  auto& from = *told.mutable_record()->mutable_from();
  from.mutable_key()->set_id(id);
  from.set_cluster(std::move(cluster));
}

void take_modify(EventFieldReader& words, wire::JobEvent& event) {
  auto& told = *event.mutable_modify();
  take_submission(words, event, *told.mutable_asked());
  told.set_user(told.asked().user());
  told.set_uid(told.asked().uid());
}

void take_start(EventFieldReader& words, wire::JobEvent& event) {
  auto& start = *event.mutable_start();
  const auto id = words.small();
  words.skip(3);  // status, pid, pgid
  start.set_cpu_factor(words.real());
  take_hosts(words, *start.mutable_hosts());
  start.set_pre_exec(words.later_text());
  start.set_post_exec(words.later_text());
  words.later_number();  // flags
  start.set_user_group(words.later_text());
  set_job(event, id, words.later_number());
}

void take_start_accept(EventFieldReader& words, wire::JobEvent& event) {
  auto& pids = *event.mutable_start_accept();
  const auto id = words.small();
  pids.set_pid(words.small());
  pids.set_pgid(words.small());
  set_job(event, id, words.later_number());
}

void take_execute(EventFieldReader& words, wire::JobEvent& event) {
  auto& run = *event.mutable_execute();
  const auto id = words.small();
  run.set_uid(static_cast<std::uint32_t>(words.number()));
  run.set_pgid(words.small());
  run.set_cwd(words.text());
  run.set_home(words.text());
  run.set_user(words.text());
  run.set_pid(words.more() ? words.small() : 0);
  set_job(event, id, words.later_number());
}

// 64 or 32, plus 128 or 256 for the state of post-execution.
void take_status_number(EventFieldReader& words, wire::JobEvent::Status& status) {
  const auto number = words.small();
  const int post = number & (wire::POST_DONE | wire::POST_ERR);
  const int base = number - post;
  if (post != 0 && (base == wire::STATUS_DONE || base == wire::STATUS_EXIT) && wire::PostStatus_IsValid(post))
    status.set_post(static_cast<wire::PostStatus>(post));
  else if (post != 0 || !wire::JobStatus_IsValid(base))
    words.fail("a status");
  status.set_status(wire::JobStatus_IsValid(base) ? static_cast<wire::JobStatus>(base) : wire::STATUS_NULL);
}

void take_status(EventFieldReader& words, wire::JobEvent& event) {
  auto& status = *event.mutable_status();
  const auto id = words.small();
  take_status_number(words, status);
  status.set_reasons(0);  // LSF's numbers are not documented
  words.skip(2);
  const double cpu = words.real();
  status.set_end_us(words.moment_us());
  if (words.number() == 1)
    take_usage(words, *status.mutable_usage());
  else if (cpu > 0)
    status.mutable_usage()->set_user_s(cpu);
  // Existing files have the plain exit code; a number above 255 can only be a status of wait(2).
  const auto code = words.later_number();
  status.set_exit_status(
      static_cast<std::int32_t>(code > 255 ? code & 0xffff : std::max<std::int64_t>(0, code) << 8));
  set_job(event, id, words.later_number());
  status.set_term_reason(words.more() ? words.small() : 0);
}

void take_signal(EventFieldReader& words, wire::JobEvent& event) {
  auto& signal = *event.mutable_signal();
  const auto id = words.small();
  signal.set_uid(static_cast<std::uint32_t>(words.number()));
  signal.set_run_count(words.small());
  signal.set_symbol(words.text());
  set_job(event, id, words.later_number());
  signal.set_user(words.later_text());
}

void take_switch(EventFieldReader& words, wire::JobEvent& event) {
  auto& change = *event.mutable_switched();
  change.set_uid(static_cast<std::uint32_t>(words.number()));
  const auto id = words.small();
  change.set_queue(words.text());
  set_job(event, id, words.later_number());
  change.set_user(words.later_text());
}

void take_move(EventFieldReader& words, wire::JobEvent& event) {
  auto& move = *event.mutable_move();
  move.set_uid(static_cast<std::uint32_t>(words.number()));
  const auto id = words.small();
  move.set_position(words.small());
  move.set_to_bottom(words.number() == 2);
  set_job(event, id, words.later_number());
  move.set_user(words.later_text());
}

void take_requeue(EventFieldReader& words, wire::JobEvent& event) {
  event.mutable_requeue();
  const auto id = words.small();
  set_job(event, id, words.later_number());
}

void take_clean(EventFieldReader& words, wire::JobEvent& event) {
  event.mutable_clean();
  const auto id = words.small();
  set_job(event, id, words.later_number());
}

// LSF's files may end behind the index.
void take_forward(EventFieldReader& words, wire::JobEvent& event) {
  auto& forward = *event.mutable_forward();
  const auto id = words.small();
  const auto hosts = words.number();
  forward.set_cluster(words.text());
  words.skip(static_cast<std::size_t>(std::max<std::int64_t>(0, hosts)));
  set_job(event, id, words.later_number());
  forward.set_queue(words.later_text());
  forward.set_why(words.later_text());
}

void take_accept(EventFieldReader& words, wire::JobEvent& event) {
  auto& accept = *event.mutable_accept();
  const auto id = words.small();
  accept.mutable_there()->set_id(words.small());
  accept.set_cluster(words.text());
  set_job(event, id, words.later_number());
  accept.mutable_there()->set_index(static_cast<std::int32_t>(words.later_number()));
  accept.set_queue(words.later_text());
  accept.set_came(words.later_number() == 1);
}

struct Kind {
  const char* type;
  void (*take)(EventFieldReader&, wire::JobEvent&);
};
constexpr std::array<Kind, 14> kKinds{{{"JOB_NEW", take_new_job},
                                       {"JOB_MODIFY", take_modify},
                                       {"JOB_START", take_start},
                                       {"JOB_START_ACCEPT", take_start_accept},
                                       {"JOB_EXECUTE", take_execute},
                                       {"JOB_STATUS", take_status},
                                       {"JOB_FORWARD", take_forward},
                                       {"JOB_ACCEPT", take_accept},
                                       {"JOB_SIGNAL", take_signal},
                                       {"JOB_SWITCH", take_switch},
                                       {"JOB_MOVE", take_move},
                                       {"JOB_REQUEUE", take_requeue},
                                       {"JOB_CLEAN", take_clean},
                                       {"JOB_FINISH", event_words::take_finish}}};

// `"JOB_NEW" "10.1" ...`: a line that continues a string does not look like this.
bool begins_record(std::string_view line) {
  if (line.size() < 4 || line[0] != '"' || line[1] < 'A' || line[1] > 'Z') return false;
  const auto end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 1);
  return end != std::string_view::npos && line.substr(end, 3) == "\" \"";
}

bool odd_quotes(std::string_view text) { return std::count(text.begin(), text.end(), '"') % 2 != 0; }

}  // namespace

Result<std::optional<wire::JobEvent>> read_event(const std::vector<std::string>& fields) {
  if (fields.empty()) return std::optional<wire::JobEvent>();
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& one) { return fields[0] == one.type; });
  if (kind == kKinds.end()) return std::optional<wire::JobEvent>();
  EventFieldReader words(fields);
  words.skip(2);  // type, version
  wire::JobEvent event;
  event.set_at_us(words.moment_us());
  kind->take(words, event);
  if (words.trouble()) return configuration_error(*words.trouble());
  if (event.key().id() < 1 || event.key().index() < 0)
    return configuration_error("found the job " + std::to_string(event.key().id()) +
                               ", expected a number from 1");
  return std::optional(std::move(event));
}

void EventReader::pass_over(std::string why) {
  if (passed_.lines++ > 0) return;
  passed_.first = begun_;
  passed_.why = std::move(why);
}

void EventReader::take_record(const Take& take) {
  if (begun_ == 0) return;
  const auto fields = split_event_line(record_);
  if (!fields) {
    pass_over(fields.error().text);
  } else if (const auto event = read_event(*fields); !event) {
    pass_over(event.error().text);
  } else if (*event) {
    take(**event);
  }
  record_.clear();
  begun_ = 0;
  open_ = false;
}

void EventReader::take_line(const Take& take) {
  ++number_;
  const bool too_long = std::exchange(too_long_, false);
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  if (open_ && !begins_record(line_) && !too_long && record_.size() + line_.size() < kMostRecord) {
    record_ += ";" + line_;
    open_ = odd_quotes(line_) != open_;
  } else {
    take_record(take);
    begun_ = number_;
    record_ = std::move(line_);
    open_ = odd_quotes(record_) && !record_.starts_with('#');
    if (too_long) {
      pass_over("found more than " + std::to_string(kMostRecord) + " bytes in a line");
      begun_ = 0;
      open_ = false;
    }
  }
  line_.clear();
}

void EventReader::read(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > kMostRecord)
      too_long_ = true;
    else if (!too_long_)
      line_ += piece;
    if (end == std::string_view::npos) return;
    take_line(take);
    bytes.remove_prefix(end + 1);
  }
}

void EventReader::end(const Take& take) {
  if (!line_.empty() || too_long_) take_line(take);
  take_record(take);
}

}  // namespace rollcall::sched::events
