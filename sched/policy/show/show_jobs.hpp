// show_jobs: the tables of bjobs, with reasons below the rows, and rows of arrays. Pure. A row is made from one job alone, so that
// answers of any length can be streamed. -l is in show_job_long.hpp, -o in show_job_fields.hpp.
//
// The columns are those of "IBM Spectrum LSF 10.1"; programs find them by the header's words.
#pragma once

#include <string>

#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched::show {

using JobView = wire::BatchReply::JobView;

enum class JobForm {
  narrow,          // bjobs: long values are cut
  wide,            // bjobs -w
  full,            // bjobs -W: with project, usage and times
  arrays,          // bjobs -A: a row for each array
  forwarded,       // bjobs -fwd: with the cluster and the time of the forward; long values are cut
  forwarded_wide,  // bjobs -fwd -w
};
std::string jobs_header(JobForm form);
// Several lines if the narrow form has more than one host.
std::string job_row(const JobView& job, const wire::Submission& asked, JobForm form, const ShowTime& time);

// A row (and the lines below it) with another cell at the row's end: bjobs -WF, -WL, -WP.
std::string with_cell(std::string row, const std::string& cell);

// bjobs -sum: numbers of slots that jobs have, or wait for, by state.
class SlotTotals {
 public:
  void add(wire::JobStatus status, std::uint64_t slots);
  void add_forwarded(std::uint64_t slots) { forwarded_ += slots; }  // of jobs that wait in another cluster
  std::string table() const;                                        // a header line and one row

 private:
  std::uint64_t run_ = 0, ssusp_ = 0, ususp_ = 0, unknown_ = 0, pend_ = 0, forwarded_ = 0;
};

// How bjobs -p, -s and -l show reasons.
enum class ReasonForm {
  counted,  // LSF's text: " Not enough job slots: 3 hosts;"
  named,    // the same with hosts: -l
  words,    // --why: " 3 hosts: mem is 380 MB, job asks for 500"
};
std::string reason_lines(const JobView& job, ReasonForm form);

// bjobs -p1: removes all reasons but the key reason.
void keep_key_reason(JobView& job);

// The text of bjobs if no job fits. LSF's clients look for these texts.
enum class JobChoice { unfinished, any, pending, running, suspended, finished, named };
std::string no_job_text(JobChoice choice);

}  // namespace rollcall::sched::show
