// ReasonRound: which pending jobs of another cluster it is told about in one interval. A stepper.
//
// LSF: MC_PENDING_REASON_PKG_SIZE bounds the reasons that are sent in one cycle. A round begins behind the last job of the one before, in
// the order of keys, and goes on at the first, so every job has its turn.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sched/policy/values/job.hpp"

namespace rollcall::sched::peers {

struct ToldReason {
  JobKey job;
  std::string why;
};

class ReasonRound {
 public:
  // most_bytes: of all reasons together; none: no bound. At least one job is told about. `why` is called for those alone that are taken,
  // and for one more.
  std::vector<ToldReason> next(const std::set<JobKey>& pending, std::optional<std::size_t> most_bytes,
                               const std::function<std::string(JobKey)>& why);

 private:
  std::optional<JobKey> last_;
};

}  // namespace rollcall::sched::peers
