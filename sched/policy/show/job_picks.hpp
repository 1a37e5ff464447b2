// JobPicks: which jobs of an answer bjobs shows, by the options that its request to mbatchd does not have. A value; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sched/policy/show/show_jobs.hpp"

namespace rollcall::sched::show {

// A pending job that cannot be scheduled: it is held, its begin time has not come, or its dependency is not satisfied.
bool ineligible(const JobView& job, const wire::Submission& asked, WallTime now);

struct JobPicks {
  bool eligible = false, ineligible = false;  // -pe, -pi
  bool exceptional = false;                   // -x: it has an exception (job_exceptions.hpp)
  bool forwarded = false;                     // -fwd: in another cluster
  std::vector<std::string> reserves;          // -rusage: it reserves all of these resources

  // Whether the answer must contain more than tables need.
  bool any() const { return eligible || ineligible || exceptional || forwarded || !reserves.empty(); }
  bool keep(const JobView& job, const wire::Submission& asked, WallTime now) const;
};

// The names of -rusage: "mem,swp" or "mem swp".
std::vector<std::string> resource_words(std::string_view text);

}  // namespace rollcall::sched::show
