// event_lines: writes the lines of lsb.events and lsb.acct, field for field as in lsb.events(5) and lsb.acct(5) of LSF 10.1, and
// splits such a line into fields. Functions; mbatchd writes the files.
//
//   line    = field { " " field } newline
//   field   = number | host | string
//   string  = `"` { any byte but `"`, CR and LF | `""` } `"`       no backslash escapes
//
// A CR or LF inside a string is written as `;` (a script's lines), since readers take each line as a record. Fields have the places
// where existing readers expect them (docs/decisions/0029). Optional fields at the end which no document describes in full are left
// out, as the manual allows. split_event_line() accepts more than this grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched::events {

struct EventStyle {
  bool short_hosts = false;  // LSF_HPC_EXTENSIONS=SHORT_EVENTFILE: "4*hostA" for four slots there
  bool host_usage = false;   // HOST_RUSAGE: JOB_FINISH has the usage on each host
};

// One record with its newline; "": the event goes to lsb.acct alone.
std::string event_line(const wire::JobEvent& event, const EventStyle& style = {});
// JOB_FINISH; "" for every other event.
std::string account_line(const wire::JobEvent& event, const EventStyle& style = {});

// The first line of an lsb.events. `number`: in the current file the offset of its history in bytes, in an older one the time of
// its newest record. Blanks after the number make all first lines equally long, so that one can overwrite another.
std::string head_line(std::int64_t number);

// The fields of a line, without quotes. Several blanks count as one, since existing files have them. An empty line, or one that
// begins with "#", has no fields. Error: a string without an end, with the byte at which it begins.
Result<std::vector<std::string>> split_event_line(std::string_view line);

}  // namespace rollcall::sched::events
