// Questions about a Roll; roll.cpp changes it.
#include <algorithm>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

std::optional<TimePoint> next_deadline(const Roll& roll) {
  std::optional<TimePoint> next;
  const auto consider = [&](const std::optional<TimePoint>& at) {
    if (at && (!next || *at < *next)) next = at;
  };
  if (roll.finished()) return next;
  for (const auto& at :
       {roll.first_deadline, roll.all_deadline, roll.settle_at, roll.linger_at, roll.clean_at,
        roll.verdict_at, roll.drain_at, roll.stop_at, roll.launcher_term_at, roll.launcher_kill_at,
        roll.tasks_kill_at, roll.losses_at, roll.give_up_at, roll.orphans_at})
    consider(at);
  consider(roll.away.next());
  return next;
}

std::string broken_invariant(const Roll& roll) {
  std::size_t live = 0;
  std::size_t lost = 0;
  std::size_t not_started = 0;
  std::size_t away = 0;
  for (const auto& task : roll.tasks) {
    live += task.live() ? 1 : 0;
    lost += task.state == TaskState::lost ? 1 : 0;
    away += task.state == TaskState::away ? 1 : 0;
    not_started += task.state == TaskState::not_started ? 1 : 0;
  }
  if (live != roll.live)
    return "live counts " + std::to_string(roll.live) + ", there are " + std::to_string(live);
  if (lost != roll.lost)
    return "lost counts " + std::to_string(roll.lost) + ", there are " + std::to_string(lost);
  if (not_started != roll.not_started) return "not_started is miscounted";
  if (away != roll.away.size()) return "a task that is away has no timer, or one that is not has";
  if (roll.finished() && next_deadline(roll)) return "finished, and still timed";
  const bool ends_by_itself = roll.launcher_running() || roll.live == 0 || roll.drain_at || roll.give_up_at;
  if (!roll.finished() && roll.phase != Phase::waiting && !ends_by_itself)
    return "the launcher is gone, tasks are left, and nothing is timed to end them";
  return {};
}

std::vector<std::uint32_t> table_ids(const Roll& roll) {
  RankRanges ranks;
  const bool by_rank = std::all_of(roll.tasks.begin(), roll.tasks.end(),
                                   [&](const Task& task) { return task.rank && ranks.insert(*task.rank); });
  std::vector<std::uint32_t> ids;
  ids.reserve(roll.tasks.size());
  for (Tid tid = 0; tid < roll.tasks.size(); ++tid) ids.push_back(by_rank ? *roll.tasks[tid].rank : tid);
  return ids;
}

}  // namespace rollcall::pam
