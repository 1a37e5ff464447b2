// JobPicks: which jobs of an answer bjobs shows, by options that its question to mbatchd does not have. A value; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sched/policy/show/show_jobs.hpp"

namespace rollcall::sched::show {

// A pending job that no scheduling can start: held, its time has not come, or what it depends on has not happened.
bool ineligible(const JobView& job, const wire::Submission& asked, WallTime now);

struct JobPicks {
  bool eligible = false, ineligible = false;  // -pe, -pi
  bool exceptional = false;                   // -x: an exception is told of it (job_exceptions.hpp)
  bool forwarded = false;                     // -fwd: no job is ever forwarded to another cluster
  std::vector<std::string> reserves;          // -rusage: of each of these resources

  // Whether the answer must bring more than tables need.
  bool any() const { return eligible || ineligible || exceptional || forwarded || !reserves.empty(); }
  bool keep(const JobView& job, const wire::Submission& asked, WallTime now) const;
};

// The names of -rusage: "mem,swp", also with blanks between them.
std::vector<std::string> resource_words(std::string_view text);

}  // namespace rollcall::sched::show
