#include "pam/policy/away_tasks.hpp"

#include <algorithm>

namespace rollcall::pam {

void AwayTasks::add(Tid tid, const Task& task, const Away& away) {
  remove(tid, task);
  away_.emplace(tid, away);
  times_.emplace(away.until, tid);
  starters_.emplace(task.host, task.starter_pid, task.start_us, tid);
}

void AwayTasks::remove(Tid tid, const Task& task) {
  const auto found = away_.find(tid);
  if (found == away_.end()) return;
  times_.erase({found->second.until, tid});
  starters_.erase({task.host, task.starter_pid, task.start_us, tid});
  away_.erase(found);
}

const Away* AwayTasks::find(Tid tid) const {
  const auto found = away_.find(tid);
  return found == away_.end() ? nullptr : &found->second;
}

std::optional<Tid> AwayTasks::of_starter(std::uint32_t host, pid_t starter_pid, std::int64_t start_us) const {
  const auto found = starters_.lower_bound({host, starter_pid, start_us, Tid{0}});
  if (found == starters_.end()) return std::nullopt;
  const auto& [its_host, its_pid, its_start, tid] = *found;
  if (its_host != host || its_pid != starter_pid || its_start != start_us) return std::nullopt;
  return tid;
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
