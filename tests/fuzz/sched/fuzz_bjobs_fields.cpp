// Any text as -o of bjobs and bhosts (LSB_BJOBS_FORMAT), and any bytes as the job or host that is shown: one error, or
// lines that fit together.
//
//   input = format NUL message      the message: a JobView, and the same bytes as a Submission and as BatchHosts
#include <algorithm>
#include <cstdint>
#include <string>

#include "sched/policy/show/show_batch_hosts.hpp"
#include "sched/policy/show/show_job_fields.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::show;
using rollcall::fuzz::require;

namespace {

// A count of slots is no size of the input.
void tame(wire::JobRecord& record) {
  for (auto& host : *record.mutable_hosts()) host.set_slots(host.slots() % 64);
}

void print(const std::string& format, const JobView& job, const wire::Submission& asked) {
  const ShowTime time{WallTime{1'795'275'000'000'000}, utc_time};
  for (const FieldUnits& units : {FieldUnits{}, FieldUnits{true, "MB"}}) {
    const auto fields = JobFields::parse(format, units);
    if (!fields) return require(!fields.error().text.empty());
    (void)fields->header();
    (void)fields->line(job, asked, time);
    require(fields->json(job, asked, time).find('{') != std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string format = text.substr(0, text.find('\0'));
  const std::string bytes = format.size() == text.size() ? "" : text.substr(format.size() + 1);
  JobView job;
  wire::Submission asked;
  BatchHosts hosts;
  if (!job.ParseFromString(bytes)) job.Clear();
  if (!asked.ParseFromString(bytes)) asked.Clear();
  if (!hosts.ParseFromString(bytes)) hosts.Clear();
  tame(*job.mutable_record());
  print(format, job, asked);
  (void)job_block(job, asked, Wrapping::at_80, ReasonForm::words,
                  {WallTime{1'795'275'000'000'000}, utc_time});
  (void)batch_hosts_fields(hosts, format, FieldForm{});
  return 0;
}
