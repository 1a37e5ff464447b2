// The lines of lsb.events and lsb.acct, field for field as lsb.events(5) and lsb.acct(5) of LSF 10.1 have them, and the
// words of such a line again. Functions; the files are mbatchd's.
//
//   line    = field { " " field } newline
//   field   = number | host | string
//   string  = `"` { any byte but `"`, CR and LF | `""` } `"`       no backslash escapes
//
// A CR or LF inside a string is written as `;` (a script's lines), since readers take a line for a record. Fields that
// real readers count (docs/decisions/0029) are where they expect them; the optional tails that no document gives in
// full are left out, as the manual allows. Readers of ours accept more: see split_event_line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched::events {

struct EventStyle {
  bool short_hosts = false;  // LSF_HPC_EXTENSIONS=SHORT_EVENTFILE: "4*hostA" for four slots there
  bool host_usage = false;   // HOST_RUSAGE: JOB_FINISH says what a job has used on each of its hosts
};

// One record with its newline; "" for what goes to lsb.acct alone.
std::string event_line(const wire::JobEvent& event, const EventStyle& style = {});
// JOB_FINISH; "" for every other event.
std::string account_line(const wire::JobEvent& event, const EventStyle& style = {});

// The first line of the current lsb.events (`number`: where its history begins, bytes) and of an older one (its newest
// record's time). All have the same length, blanks behind the number, so that one may take the place of another.
std::string head_line(std::int64_t number);

// The fields of a line, unquoted: strings with their `""` undone. Several blanks count as one, as real files have them;
// a line that begins with "#" and an empty one have no fields. Errors name the byte at which a string does not end.
Result<std::vector<std::string>> split_event_line(std::string_view line);

}  // namespace rollcall::sched::events
