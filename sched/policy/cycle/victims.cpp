#include "sched/policy/cycle/victims.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::cycle {
namespace {

LeftAlone bound_of(const PlacedJob& job) {
  switch (job.preemptable_until_by) {
    case PreemptionBound::total_time:
      return LeftAlone::max_total_time_preempt;
    case PreemptionBound::run_time:
      return LeftAlone::no_preempt_run_time;
    case PreemptionBound::finish_time:
      return LeftAlone::no_preempt_finish_time;
    default:
      return LeftAlone::max_job_preempt;
  }
}

}  // namespace

bool reachable(const Snapshot& snapshot, const PlacedJob& job) {
  if (job.silent) return false;
  const auto& hosts = job.placement.hosts;
  return std::all_of(hosts.begin(), hosts.end(), [&snapshot](const SlotsOn& on) {
    const HostState& host = snapshot.host(on.host);
    return !host.unavailable && !host.unreachable;
  });
}

LeftAlone left_alone(const Snapshot& snapshot, const PlacedJob& job, WallTime now) {
  if (job.suspended != 0) return LeftAlone::suspended;
  if (job.placement.exclusive && !snapshot.rules().preempts_exclusive) return LeftAlone::exclusive;
  if (!job.preemptable_until.never() && now >= job.preemptable_until) return bound_of(job);
  if (now < job.preemptable_from) return LeftAlone::no_preempt_interval;
  return reachable(snapshot, job) ? LeftAlone::no : LeftAlone::host_away;
}

bool lends_slots(const Snapshot& snapshot, const PlacedJob& job) {
  if (job.suspended == 0 || (job.suspended & wire::SUSPEND_PREEMPT) != 0) return false;
  if (job.placement.exclusive && !snapshot.rules().preempts_exclusive) return false;
  return reachable(snapshot, job);
}

std::vector<std::vector<QueueNumber>> lending_queues(const Snapshot& snapshot) {
  const PlacementRules& rules = snapshot.rules();
  std::set<std::pair<int, QueueNumber>> lenders;
  if (rules.preempts_any && rules.lsb->params.use_suspended_slots)
    for (const JobKey key : snapshot.tallies().suspended) {
      const PlacedJob& job = *snapshot.placed(key);
      const QueueNumber queue = snapshot.demands()[job.demand].compiled->queue;
      if (queue != kNoQueue && !rules.preempts[queue].empty() && lends_slots(snapshot, job))
        lenders.emplace(rules.queues[queue].priority, queue);
    }
  std::vector<std::vector<QueueNumber>> lending(lenders.empty() ? 0 : rules.queues.size());
  for (const auto& [priority, lender] : lenders)
    for (const QueueNumber lower : rules.preempts[lender]) lending[lower].push_back(lender);
  return lending;
}

std::string words_of(LeftAlone why, const PlacedJob& job, WallTime now) {
  switch (why) {
    case LeftAlone::no:
      return "may be preempted";
    case LeftAlone::suspended:
      return "suspended already";
    case LeftAlone::exclusive:
      return "exclusive";
    case LeftAlone::max_job_preempt:
      return "MAX_JOB_PREEMPT: preempted as often as it may be";
    case LeftAlone::max_total_time_preempt:
      return "MAX_TOTAL_TIME_PREEMPT: preempted as long as it may be";
    case LeftAlone::no_preempt_run_time:
      return "NO_PREEMPT_RUN_TIME: has run so long";
    case LeftAlone::no_preempt_finish_time:
      return "NO_PREEMPT_FINISH_TIME: ends soon";
    case LeftAlone::no_preempt_interval:
      return "NO_PREEMPT_INTERVAL: for " +
             std::to_string((job.preemptable_from.us - now.us + 999'999) / 1'000'000) + " s more";
    case LeftAlone::host_away:
      return "one of its hosts is not available";
  }
  return "";
}

void set_preemptable(const conf::PreemptionLimits& limits, PreemptedBefore before, const JobTimes& times,
                     PlacedJob& job) {
  constexpr std::int64_t kMinute = 60'000'000;
  const auto length = [&times](const std::optional<conf::PartOfRun>& part) -> std::optional<std::int64_t> {
    if (!part || (part->percent && times.run_limit_s <= 0)) return std::nullopt;
    return part->percent ? times.run_limit_s * part->amount * 10'000 : part->amount * kMinute;
  };
  const auto until = [&job](WallTime bound, PreemptionBound by) {
    if (!job.preemptable_until.never() && job.preemptable_until <= bound) return;
    job.preemptable_until = bound;
    job.preemptable_until_by = by;
  };
  if (limits.interval_min) job.preemptable_from = {job.status_since.us + *limits.interval_min * kMinute};
  if (limits.most && before.times >= *limits.most) until(job.started, PreemptionBound::times);
  if (limits.total_min && before.us >= *limits.total_min * kMinute)
    until(job.started, PreemptionBound::total_time);
  if (const auto most = length(limits.run_time)) until({job.started.us + *most}, PreemptionBound::run_time);
  const WallTime end = job.placement.expected_end;
  if (const auto last = length(limits.finish_time); last && !end.never())
    until({end.us - *last}, PreemptionBound::finish_time);
}

}  // namespace rollcall::sched::cycle
