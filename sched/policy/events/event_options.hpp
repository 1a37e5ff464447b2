// event_options: the numbers and short texts of lsb.events' records: options as bits, requested hosts, job names. Functions for
// event_lines.cpp. The bits are Rollcall's own: no manual documents LSF's, and only Rollcall's commands read them.
#pragma once

#include <cstdint>
#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::sched::events {

// Bits of `options`.
namespace submission_bit {
enum : std::int64_t {
  job_name = 1 << 0,
  queue = 1 << 1,
  asked_hosts = 1 << 2,
  input_file = 1 << 3,
  output_file = 1 << 4,
  error_file = 1 << 5,
  exclusive = 1 << 6,
  mail_at_start = 1 << 7,
  mail_report = 1 << 8,
  resreq = 1 << 9,
  dependency = 1 << 10,
  pre_exec = 1 << 11,
  login_shell = 1 << 12,
  rerunnable = 1 << 13,
  interactive = 1 << 14,
  terminal = 1 << 15,
  project = 1 << 16,
  user_group = 1 << 17,
  hold = 1 << 18,
  waits = 1 << 19,
};
}
std::int64_t submission_options(const wire::Submission& asked);
// Bits of `options2`: 1 -oo, 2 -eo, 4 -sp, 8 -app, 16 -g, 32 -gpu.
std::int64_t submission_options2(const wire::Submission& asked);

// 1 ">", 2 "<", 3 "><", 4 "<<".
std::int64_t transfer_options(wire::FileTransfer::Direction direction);

// "hostA+2", "hostB!", "~hostC".
std::string asked_host_text(const wire::AskedHost& host);
// "name", "name[1-10:2,15]%5".
std::string job_name_text(const wire::Submission& asked);
// An element: "name[3]"; else as job_name_text().
std::string element_name_text(const wire::Submission& asked, int index);

// Slots that the job had; if it never ran, those that it asked for.
std::int64_t slots_of(const wire::Submission& asked, const wire::JobRecord& record);

}  // namespace rollcall::sched::events
