#include "sched/policy/cycle/schedule.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "sched/policy/cycle/host_search.hpp"
#include "sched/policy/cycle/job_obstacle.hpp"
#include "sched/policy/cycle/next_job.hpp"
#include "sched/policy/cycle/preemption.hpp"
#include "sched/policy/cycle/suspension.hpp"

namespace rollcall::sched::cycle {
namespace {

constexpr std::size_t kMostReserved = 1 << 17;  // dispatches
constexpr std::int64_t kDecayLook_s = 60;       // how often a cycle is due while a reservation decays

class Cycle {
 public:
  Cycle(const Snapshot& snapshot, WallTime now, NextJob& next, PreemptionLog* log)
      : state_(snapshot, now),
        search_(state_),
        preemption_(state_, search_, log),
        log_(log),
        next_(next),
        looks_(snapshot.demands().size()) {}

  Plan run() {
    plan_suspensions(state_, plan_);
    for (const Resume& resume : plan_.resumes) preemption_.leave_alone(resume.job);
    for (const DemandNumber number : state_.snapshot().waiting_demands()) enter(number);
    plan_.dispatches.reserve(most_dispatches());
    while (state_.free_slots() > 0 || preemption_.in_use()) {
      const auto candidate = next_.next();
      if (!candidate) break;
      if (preemption_.in_use()) preemption_.go_on(queue_of(*candidate).priority, plan_);
      one_job(*candidate);
    }
    if (preemption_.in_use()) preemption_.go_on(std::numeric_limits<int>::min(), plan_);
    look_ahead();
    return std::move(plan_);
  }

 private:
  void enter(DemandNumber number) {
    const Snapshot::DemandEntry& entry = state_.snapshot().demands()[number];
    if (entry.demand.begin > state_.now()) look_at(entry.demand.begin);
    const JobObstacle obstacle = obstacle_of(state_, entry).obstacle;
    if (obstacle != JobObstacle::none && !may_preempt_at(obstacle, entry)) return;
    next_.enter(number, entry);
  }

  // Jobs of lower queues are all that the limit counts too many, perhaps.
  bool may_preempt_at(JobObstacle obstacle, const Snapshot::DemandEntry& entry) const {
    return obstacle == JobObstacle::limit && preemption_.by(entry.compiled->queue) &&
           reaches_limits_of_running_jobs(state_, entry);
  }

  // No more jobs than wait, nor than there are free slots; a larger plan grows by itself.
  std::size_t most_dispatches() const {
    std::size_t jobs = 0;
    for (const DemandNumber number : state_.snapshot().waiting_demands())
      jobs += state_.snapshot().demands()[number].ready.size();
    return std::min({jobs, static_cast<std::size_t>(std::max(0LL, state_.free_slots())), kMostReserved});
  }

  const QueueRule& queue_of(const Candidate& candidate) const {
    return state_.rules().queues[candidate.entry->compiled->queue];
  }

  void one_job(const Candidate& candidate) {
    const Snapshot::DemandEntry& entry = *candidate.entry;
    const bool preempts = preemption_.by(entry.compiled->queue);
    const bool borrows = preemption_.lends_to(entry.compiled->queue);
    if (state_.free_slots() <= 0 && !preempts && !borrows) return next_.close(candidate);
    const PendingJob& job = *candidate.job;
    const WallTime ready = ready_at(state_.rules(), entry, job);
    if (ready > state_.now()) {
      look_at(ready);
      return next_.passed_over(candidate);
    }
    const JobObstacle obstacle = obstacle_of(state_, entry).obstacle;
    const bool at_limit = may_preempt_at(obstacle, entry);
    if (obstacle != JobObstacle::none && !at_limit) return next_.close(candidate);
    if (at_limit) {  // it may start if jobs of its own user stop
    } else if (auto found = search_.find(look(candidate), job)) {
      dispatch(candidate, std::move(*found));
      return next_.dispatched(candidate, plan_.dispatches.back());
    }
    const bool preempts_now = preempts && may_preempt_yet(job);
    if (preempts_now || (borrows && !at_limit)) {
      if (auto found = preemption_.find(look(candidate), job, preempts_now)) {
        preempt(candidate, std::move(*found));
        return next_.dispatched(candidate, plan_.dispatches.back());
      }
      look_at(preemption_.next_preemptable());
    }
    if (job.excluded.empty()) return next_.close(candidate);
    next_.passed_over(candidate);  // other jobs of the demand may use the hosts that this one excludes
  }

  HostSearch::Look& look(const Candidate& candidate) {
    auto& look = looks_[candidate.demand];
    if (!look) {
      look = std::make_unique<HostSearch::Look>(search_.look(*candidate.entry));
      ++plan_.demands_looked_at;
    }
    return *look;
  }

  void dispatch(const Candidate& candidate, Allocation found) {
    const Snapshot::DemandEntry& entry = *candidate.entry;
    Dispatch& dispatch = plan_.dispatches.emplace_back();
    dispatch.job = candidate.job->key;
    dispatch.demand = candidate.demand;
    dispatch.effective_resreq = effective_text(*entry.compiled, *found.alternative);
    dispatch.placement = state_.take(entry.demand, *entry.compiled, std::move(found));
    dispatch.placement.expected_end = expected_end(state_.now(), candidate.job->times);
    const auto& reservations = dispatch.placement.reservations;
    if (!reservations.empty()) search_.reserved_on(dispatch.placement.hosts);
    for (const Reservation& reservation : reservations) look_at_end_of(reservation);
  }

  bool may_preempt_yet(const PendingJob& job) {
    const WallTime from{job.submitted.us + job.preempt_delay_s * std::int64_t{1'000'000}};
    look_at(from);
    if (from <= state_.now()) return true;
    if (log_) log_->push_back({.job = job.key, .demand = job.demand, .allowed_from = from});
    return false;
  }

  void preempt(const Candidate& candidate, Preemption::Found found) {
    const JobKey by = candidate.job->key;
    for (const PlacedJob* victim : found.victims)
      plan_.suspends.push_back(
          {victim->key, wire::SUSPEND_PREEMPT,
           victim->suspended == 0
               ? preemption_.preempted_text(by, candidate.entry->compiled->queue)
               : "A job of a lower queue uses its slots: " + text(by) + " of " + queue_of(candidate).name,
           by});
    dispatch(candidate, std::move(found.room));
    // What is left over is free in the next cycle.
    const Dispatch& started = plan_.dispatches.back();
    if (preemption_.settle(started.demand, started.placement, found.victims)) look_at({state_.now().us + 1});
  }

  // ------------------------------------------------------------ when time alone changes something

  void look_at(WallTime at) {
    if (at > state_.now() && (!plan_.next_look || at < *plan_.next_look)) plan_.next_look = at;
  }
  void look_at_end_of(const Reservation& reservation) {
    if (!ends(reservation) || !waits_) return;
    look_at(reservation.until);
    const WallTime soon{state_.now().us + kDecayLook_s * 1'000'000};
    if (reservation.decay && soon < reservation.until) look_at(soon);
  }
  void look_at(const TimeWindows& windows) {
    if (windows.empty() || !seen_.insert(windows.text()).second) return;
    if (const auto change = next_change(windows, state_.now(), state_.snapshot().utc_offset_s))
      look_at(*change);
  }

  void look_ahead() {
    const Snapshot& snapshot = state_.snapshot();
    for (const QueueRule& queue : state_.rules().queues) {
      if (waits_ || snapshot.placed_count() > 0 || !plan_.dispatches.empty()) look_at(queue.run_windows);
      if (waits_) look_at(queue.dispatch_windows);
    }
    if (!waits_) return;
    for (const BatchRow& row : state_.rules().rows) look_at(row.dispatch_windows);
    for (const LimitRule& rule : state_.rules().limits)
      for (const auto& amount : rule.amounts) look_at(amount.windows);
    for (const JobKey key : snapshot.tallies().timed)
      for (const Reservation& reservation : snapshot.placed(key)->placement.reservations)
        look_at_end_of(reservation);
    std::int64_t interval = 0;
    for (const DemandNumber number : snapshot.waiting_demands()) {
      const auto queue = snapshot.demands()[number].compiled->queue;
      if (queue != kNoQueue) interval = std::max(interval, state_.rules().queues[queue].accept_interval_s);
    }
    if (interval == 0) return;
    for (HostNumber host = 0; host < state_.rules().hosts.size(); ++host) {
      const WallTime last = state_.started_now(host) ? state_.now() : snapshot.host(host).last_start;
      if (!last.never()) look_at({last.us + interval * 1'000'000});
    }
  }

  WorkingState state_;
  HostSearch search_;
  Preemption preemption_;
  PreemptionLog* const log_;
  Plan plan_;
  NextJob& next_;
  std::vector<std::unique_ptr<HostSearch::Look>> looks_;  // by demand; null: not looked at yet
  std::set<std::string> seen_;
  const bool waits_ = !state_.snapshot().waiting_demands().empty();
};

}  // namespace

Plan schedule(const Snapshot& snapshot, WallTime now, NextJob& next, PreemptionLog* log) {
  return Cycle(snapshot, now, next, log).run();
}

Plan schedule(const Snapshot& snapshot, WallTime now) {
  QueueOrder order(snapshot.rules());
  return schedule(snapshot, now, order);
}

void apply(const Plan& plan, WallTime now, Snapshot& snapshot) {
  const auto change = [&](JobKey key, std::uint32_t begin, std::uint32_t end) {
    const PlacedJob* known = snapshot.placed(key);
    if (known == nullptr) return;
    PlacedJob job = *known;
    const bool stopped = job.suspended != 0;
    job.suspended = (job.suspended | begin) & ~end;
    if (stopped != (job.suspended != 0)) job.status_since = now;
    snapshot.place(std::move(job));
  };
  for (const Suspend& suspend : plan.suspends) change(suspend.job, suspend.reasons, 0);
  for (const Resume& resume : plan.resumes) change(resume.job, 0, resume.reasons);
  for (const Dispatch& dispatch : plan.dispatches) {
    PlacedJob job;
    job.key = dispatch.job;
    job.demand = dispatch.demand;
    job.placement = dispatch.placement;
    job.started = job.status_since = now;
    snapshot.place(std::move(job));
  }
}

}  // namespace rollcall::sched::cycle
