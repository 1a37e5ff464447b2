#include "pam/policy/away_tasks.hpp"

#include <algorithm>

namespace rollcall::pam {

void AwayTasks::add(Tid tid, const Away& away) {
  remove(tid);
  away_.emplace(tid, away);
  times_.emplace(away.until, tid);
}

void AwayTasks::remove(Tid tid) {
  const auto found = away_.find(tid);
  if (found == away_.end()) return;
  times_.erase({found->second.until, tid});
  away_.erase(found);
}

const Away* AwayTasks::find(Tid tid) const {
  const auto found = away_.find(tid);
  return found == away_.end() ? nullptr : &found->second;
}

std::optional<TimePoint> AwayTasks::next() const {
  if (times_.empty()) return std::nullopt;
  return times_.begin()->first;
}

std::vector<Tid> AwayTasks::due(TimePoint now) const {
  std::vector<Tid> tids;
  for (auto at = times_.begin(); at != times_.end() && at->first <= now; ++at) tids.push_back(at->second);
  std::sort(tids.begin(), tids.end());
  return tids;
}

}  // namespace rollcall::pam
