// What pam shows of a finished job: the closing table and that of --usage for people, the JSON report for programs.
// Functions.
//
// The table's columns are those of LSF 7.0's pam, byte for byte (the sample in the CTSM user's guide); the STATUS words
// beyond "Exit (n)" are ours: docs/decisions/0006.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

// Turns microseconds since 1970 into "MM/DD/YYYY HH:MM:SS" of the user's time zone.
using LocalTime = std::function<std::string(std::int64_t us)>;

// Takes the next part of a text that is never held whole: a million rows are 100 MB.
using TextSink = std::function<void(std::string_view part)>;

// "Job  COMMAND", an empty line, and the table; rows in the order of TID. fold: equal neighbours become one row.
void closing_table(const Roll& roll, const std::string& command, const LocalTime& local_time, bool fold,
                   const TextSink& sink);

// The table of --usage: what each task and all that it started has used, rows and order as in the
// closing table, then the sums (of memory the largest). Nothing where no task has registered.
void usage_table(const Roll& roll, bool fold, const TextSink& sink);

// "the tasks used 2.75 s in user and 0.50 s in system mode, and 12.0 MiB of memory at the most"
std::string usage_line(const TaskUsage& used);

// The report of --report, schema in docs/report.schema.json; ends with a newline.
void json_report(const Roll& roll, const std::vector<std::string>& command, int exit_code,
                 const TextSink& sink);

// "32 of 64 tasks registered, 4 hosts, 3 tasks ended, 12 s": the progress of a launch.
std::string progress_line(const Roll& roll, TimePoint now);

}  // namespace rollcall::pam
