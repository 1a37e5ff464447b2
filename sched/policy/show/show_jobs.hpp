// What bjobs prints in rows: its tables, reasons behind the rows, and the rows of arrays. Pure: a row is made of one job
// alone, so that any number of them streams through. -l is show_job_long.hpp, -o show_job_fields.hpp.
//
// The columns are those of "IBM Spectrum LSF 10.1"; programs find them by the header's words.
#pragma once

#include <string>

#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched::show {

using JobView = wire::BatchReply::JobView;

enum class JobForm {
  narrow,  // bjobs: what is too long is cut
  wide,    // bjobs -w
  full,    // bjobs -W: with project, usage and times
  arrays,  // bjobs -A: a row for each array
};
std::string jobs_header(JobForm form);
// Several lines where the narrow form has more than one host.
std::string job_row(const JobView& job, const wire::Submission& asked, JobForm form, const ShowTime& time);

// A row (and the lines below it) with one cell more behind the row: bjobs -WF, -WL, -WP.
std::string with_cell(std::string row, const std::string& cell);

// bjobs -sum: how many slots jobs have, and wait for, by state.
class SlotTotals {
 public:
  void add(wire::JobStatus status, std::uint64_t slots);
  std::string table() const;  // a header line and one row

 private:
  std::uint64_t run_ = 0, ssusp_ = 0, ususp_ = 0, unknown_ = 0, pend_ = 0;
};

// How reasons are told: bjobs -p, -s and -l.
enum class ReasonForm {
  counted,  // LSF's text: " Not enough job slots: 3 hosts;"
  named,    // the same with hosts: -l
  words,    // --why: " 3 hosts: mem is 380 MB, job asks for 500"
};
std::string reason_lines(const JobView& job, ReasonForm form);

// bjobs -p1: of several reasons the key one alone.
void keep_key_reason(JobView& job);

// What bjobs says where no job fits; LSF's clients look for these.
enum class JobChoice { unfinished, any, pending, running, suspended, finished, named };
std::string no_job_text(JobChoice choice);

}  // namespace rollcall::sched::show
