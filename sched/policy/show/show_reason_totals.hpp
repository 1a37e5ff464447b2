// ReasonTotals: the output of bjobs -psum: each pending reason once, summed over all jobs. A value to which jobs are added; pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sched/policy/show/show_jobs.hpp"

namespace rollcall::sched::show {

class ReasonTotals {
 public:
  void add(const JobView& job);  // ignores a job that does not pend
  // A line with date and number of jobs, then a row for each reason, ordered by number of jobs.
  std::string table(const std::string& cluster, const ShowTime& time) const;

 private:
  struct Sum {
    std::uint64_t jobs = 0,
                  occurrences = 0;  // an occurrence: a job with a host that it cannot use for this reason
    std::set<std::string> hosts;
  };
  // What each further job with the same reasons adds; the first one has added the hosts.
  struct Share {
    Sum* sum;
    std::uint64_t jobs, occurrences;
  };
  std::vector<Share> shares_of(const JobView& job);
  std::unordered_map<std::uint32_t, std::vector<Share>> shared_;  // by JobView.shared_reasons
  std::map<std::string, Sum> reasons_;                            // by LSF's text
  std::uint64_t jobs_ = 0;
};

}  // namespace rollcall::sched::show
