#include "sched/policy/peers/reason_round.hpp"

#include <utility>

namespace rollcall::sched::peers {

std::vector<ToldReason> ReasonRound::next(const std::set<JobKey>& pending,
                                          std::optional<std::size_t> most_bytes,
                                          const std::function<std::string(JobKey)>& why) {
  std::vector<ToldReason> told;
  std::size_t bytes = 0;
  auto at = last_ ? pending.upper_bound(*last_) : pending.begin();
  while (told.size() < pending.size()) {
    if (at == pending.end()) at = pending.begin();
    const JobKey job = *at++;
    ToldReason reason{job, why(job)};
    bytes += reason.why.size();
    if (most_bytes && bytes > *most_bytes && !told.empty()) break;
    last_ = reason.job;
    told.push_back(std::move(reason));
  }
  return told;
}

}  // namespace rollcall::sched::peers
