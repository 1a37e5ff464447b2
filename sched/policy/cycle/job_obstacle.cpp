#include "sched/policy/cycle/job_obstacle.hpp"

#include <algorithm>

#include "sched/policy/values/week_minute.hpp"

namespace rollcall::sched::cycle {
namespace {

// The limit counts all hosts together, and has no room for the least of the demand.
bool reached(const WorkingState& state, const Demand& demand, Charge charge) {
  const LimitRule& rule = state.rules().limits[charge.rule];
  if (rule.per_host || rule.hosts) return false;
  const double wanted = rule.of == LimitOf::slots ? demand.min_slots : rule.of == LimitOf::jobs ? 1 : 0;
  return state.full({charge, kNoHost, wanted});
}

}  // namespace

bool reaches_limits_of_running_jobs(const WorkingState& state, const Snapshot::DemandEntry& entry) {
  const auto& charges = entry.compiled->charges;
  return std::all_of(charges.begin(), charges.end(), [&](const Charge& charge) {
    return charge.running_only || !reached(state, entry.demand, charge);
  });
}

WallTime ready_at(const PlacementRules& rules, const Snapshot::DemandEntry& entry, const PendingJob& job) {
  const std::int64_t delay = rules.queues[entry.compiled->queue].new_job_delay_s;
  return delay == 0 ? WallTime{} : WallTime{job.submitted.us + delay * 1'000'000};
}

JobVerdict obstacle_of(const WorkingState& state, const Snapshot::DemandEntry& entry) {
  const Demand& demand = entry.demand;
  const Compiled& compiled = *entry.compiled;
  if (compiled.application_gone) return {JobObstacle::application};
  if (!compiled.error.empty()) return {JobObstacle::impossible};
  const QueueRule& queue = state.rules().queues[compiled.queue];
  if (!state.snapshot().queue(compiled.queue).active) return {JobObstacle::queue_inactive};
  if (!state.open(queue.dispatch_windows)) return {JobObstacle::queue_window};
  if (!state.open(queue.run_windows)) return {JobObstacle::run_window};
  if (demand.begin > state.now()) return {JobObstacle::begin_time};
  if (demand.array != 0 && state.array_jobs(demand.array) >= demand.array_slots)
    return {JobObstacle::array_limit};
  for (const Charge charge : compiled.charges)
    if (reached(state, demand, charge)) return {JobObstacle::limit, charge.rule};
  return {};
}

std::optional<WallTime> next_change(const TimeWindows& windows, WallTime now, std::int32_t utc_offset_s) {
  if (windows.empty()) return std::nullopt;
  constexpr std::int64_t kMinute = 60, kWeek = 7 * 24 * 60;
  const bool open = windows.open(week_minute(now, utc_offset_s));
  const std::int64_t first = (now.seconds() / kMinute + 1) * kMinute;
  for (std::int64_t minute = 0; minute <= kWeek; ++minute) {
    const WallTime at = wall_seconds(first + minute * kMinute);
    if (windows.open(week_minute(at, utc_offset_s)) != open) return at;
  }
  return std::nullopt;
}

}  // namespace rollcall::sched::cycle
