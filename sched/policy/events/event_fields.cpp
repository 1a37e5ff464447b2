#include "sched/policy/events/event_fields.hpp"

namespace rollcall::sched::events::event_fields {

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

std::int64_t least_slots(const wire::Submission& asked) {
  return std::max<std::int64_t>(1, asked.min_slots());
}
std::int64_t most_slots(const wire::Submission& asked) {
  return std::max<std::int64_t>(least_slots(asked), asked.max_slots());
}

void put_transfers(Line& line, const wire::Submission& asked) {
  line.number(asked.transfers_size());
  for (const auto& file : asked.transfers())
    line.string(file.local()).string(file.remote()).number(transfer_options(file.direction()));
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

}  // namespace rollcall::sched::events::event_fields
