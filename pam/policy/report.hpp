// What pam shows of a finished job: the closing table and that of --usage for people, the JSON report for programs.
// Functions.
//
// The table's columns are those of LSF 7.0's pam, byte for byte (the sample in the CTSM user's guide); the STATUS words
// beyond "Exit (n)" are ours: docs/decisions/0006.
#pragma once

#include <functional>
#include <string>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

// Turns microseconds since 1970 into "MM/DD/YYYY HH:MM:SS" of the user's time zone.
using LocalTime = std::function<std::string(std::int64_t us)>;

// "Job  COMMAND", an empty line, and the table; rows in the order of TID. fold: equal neighbours become one row.
std::string closing_table(const Roll& roll, const std::string& command, const LocalTime& local_time,
                          bool fold);

// The table of --usage: what each task and all that it started has used, rows and order as in the
// closing table, then the sums (of memory the largest). "" where no task has registered.
std::string usage_table(const Roll& roll, bool fold);

// The report of --report, schema in docs/report.schema.json; ends with a newline.
std::string json_report(const Roll& roll, const std::vector<std::string>& command, int exit_code);

// "32 of 64 tasks registered, 4 hosts, 3 tasks ended, 12 s": the progress of a launch.
std::string progress_line(const Roll& roll, TimePoint now);

}  // namespace rollcall::pam
