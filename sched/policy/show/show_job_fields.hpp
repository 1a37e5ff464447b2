// JobFields: bjobs -o: all fields that bjobs(1) documents, of one job at a time, as columns or as JSON. Pure.
//
// A field of a feature that does not exist here (licences, energy, other clusters) is always "-", or "" in JSON: programs that ask
// for it must get their column.
#pragma once

#include <string>

#include "common/base/output_format.hpp"
#include "sched/policy/show/show_jobs.hpp"

namespace rollcall::sched::show {

struct FieldUnits {
  bool hms = false;  // -hms: times as hh:mm:ss
  std::string size;  // LSB_UNIT_FOR_JOBS_DISPLAY; "": scaled
};

class JobFields {
 public:
  // `text`: the words of -o or LSB_BJOBS_FORMAT; "all": every field. Errors (usage): an unknown field.
  static Result<JobFields> parse(const std::string& text, FieldUnits units);

  std::string header() const;
  std::string line(const JobView& job, const wire::Submission& asked, const ShowTime& time) const;
  std::string json(const JobView& job, const wire::Submission& asked, const ShowTime& time) const;

  // Whether the answer must contain more than a table needs.
  bool needs_submissions() const { return needs_submissions_; }
  bool needs_reasons() const { return needs_reasons_; }

 private:
  JobFields(OutputFormat format, FieldUnits units);
  std::vector<std::string> values(const JobView& job, const wire::Submission& asked, const ShowTime& time,
                                  const char* none) const;
  OutputFormat format_;
  FieldUnits units_;
  bool needs_submissions_ = false, needs_reasons_ = false;
};

// The fields of -json without -o.
inline constexpr const char* kDefaultJobFields =
    "jobid stat user queue job_name proj_name from_host exec_host submit_time";

}  // namespace rollcall::sched::show
