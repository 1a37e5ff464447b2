// What bjobs -psum prints: why jobs pend, each reason once, for all of them together. A value that jobs are added to; pure.
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
  void add(const JobView& job);  // one that does not pend is passed over
  // When and of how many jobs; then a row for each reason, that of most jobs first.
  std::string table(const std::string& cluster, const ShowTime& time) const;

 private:
  struct Sum {
    std::uint64_t jobs = 0,
                  occurrences = 0;  // an occurrence: a job, and a host that it cannot have for this reason
    std::set<std::string> hosts;
  };
  // What a job with certain reasons adds; the hosts were added with the first such job.
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
