#include "sched/policy/events/event_options.hpp"

#include <algorithm>

namespace rollcall::sched::events {

std::int64_t submission_options(const wire::Submission& asked) {
  namespace bit = submission_bit;
  std::int64_t bits = 0;
  const auto set = [&bits](bool is, std::int64_t which) { bits |= is ? which : 0; };
  set(!asked.job_name().empty() || asked.indices_size() > 0, bit::job_name);
  set(asked.queues_size() > 0, bit::queue);
  set(asked.asked_hosts_size() > 0, bit::asked_hosts);
  set(!asked.input_file().empty(), bit::input_file);
  set(!asked.output_file().empty(), bit::output_file);
  set(!asked.error_file().empty(), bit::error_file);
  set(asked.exclusive(), bit::exclusive);
  set(asked.mail_at_start(), bit::mail_at_start);
  set(asked.mail_report(), bit::mail_report);
  set(!asked.resreq().empty(), bit::resreq);
  set(!asked.dependency().empty(), bit::dependency);
  set(!asked.pre_exec().empty(), bit::pre_exec);
  set(!asked.login_shell().empty(), bit::login_shell);
  set(asked.rerunnable(), bit::rerunnable);
  set(asked.interactive() != wire::Submission::NONE, bit::interactive);
  set(asked.interactive() == wire::Submission::TERMINAL || asked.interactive() == wire::Submission::SHELL,
      bit::terminal);
  set(!asked.project().empty(), bit::project);
  set(!asked.user_group().empty(), bit::user_group);
  set(asked.hold(), bit::hold);
  set(asked.waits(), bit::waits);
  return bits;
}

std::int64_t submission_options2(const wire::Submission& asked) {
  return (asked.output_overwrite() ? 1 : 0) | (asked.error_overwrite() ? 2 : 0) |
         (asked.has_priority() ? 4 : 0) | (asked.application().empty() ? 0 : 8) |
         (asked.job_group().empty() ? 0 : 16) | (asked.gpu().empty() ? 0 : 32);
}

std::int64_t transfer_options(wire::FileTransfer::Direction direction) {
  switch (direction) {
    case wire::FileTransfer::FROM_HOST:
      return 2;
    case wire::FileTransfer::BOTH:
      return 3;
    case wire::FileTransfer::APPEND_BACK:
      return 4;
    default:
      return 1;
  }
}

std::string asked_host_text(const wire::AskedHost& host) {
  std::string text = (host.excluded() ? "~" : "") + host.name();
  if (host.first_execution()) text += "!";
  if (host.preference() > 0) text += "+" + std::to_string(host.preference());
  return text;
}

std::string job_name_text(const wire::Submission& asked) {
  std::string text = asked.job_name();
  if (asked.indices_size() == 0) return text;
  text += "[";
  for (int i = 0; i < asked.indices_size(); ++i) {
    const auto& range = asked.indices(i);
    if (i > 0) text += ",";
    text += std::to_string(range.first());
    if (range.last() != range.first()) text += "-" + std::to_string(range.last());
    if (range.step() > 1) text += ":" + std::to_string(range.step());
  }
  text += "]";
  if (asked.array_slots() > 0) text += "%" + std::to_string(asked.array_slots());
  return text;
}

std::string element_name_text(const wire::Submission& asked, int index) {
  if (index == 0) return job_name_text(asked);
  return asked.job_name() + "[" + std::to_string(index) + "]";
}

std::int64_t slots_of(const wire::Submission& asked, const wire::JobRecord& record) {
  std::int64_t slots = 0;
  for (const auto& host : record.hosts()) slots += host.slots();
  return std::max<std::int64_t>({slots, record.start_us() > 0 ? 0 : asked.min_slots(), 1});
}

}  // namespace rollcall::sched::events
