// job_arguments: parsers for job ids and time intervals on the command lines of b* commands. Pure; the grammar is at the top of
// job_arguments.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/civil_time.hpp"
#include "common/base/result.hpp"
#include "common/base/wall_time.hpp"
#include "common/wire/batch.pb.h"

namespace rollcall::sched::show {

// The job in whose environment a command runs. Where it came from another cluster, LSB_JOBID is its id there, and the commands here mean the
// job here: a JOB_CONTROLS of `brequeue $LSB_JOBID` is about its own job.
struct OwnJob {
  std::string id, index, local;  // LSB_JOBID, LSB_JOBINDEX, ROLLCALL_LOCAL_JOBID; "": not set
};

// Puts "12", "12[3]", "12[1-10:2,15]", and "12@west", "12[3]@west" into the filter; a word may have several, separated by blanks. An id of
// another cluster is the one that the job has where it was submitted; mbatchd finds the job. "0" means every job and sets `all`. An id of
// `own` stands for the job's local one. Errors: an invalid id, in LSF's words ("x: Illegal job ID.").
struct JobOperands {
  bool all = false;
  bool any = false;  // an id was given
};
Result<JobOperands> take_job_ids(const std::vector<std::string>& words, const OwnJob& own,
                                 wire::JobFilter& filter);

// -t, -C, -D, -S of bhist and bacct: "from,to"; either side may be missing. Errors (usage): an invalid time.
struct TimeSpan {
  std::int64_t from_us = 0;  // 0: no bound
  std::int64_t to_us = 0;
};
Result<TimeSpan> parse_time_span(std::string_view text, WallTime now, const LocalTime& local);

}  // namespace rollcall::sched::show
