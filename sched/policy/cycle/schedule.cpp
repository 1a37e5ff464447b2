#include "sched/policy/cycle/schedule.hpp"

#include <algorithm>
#include <queue>
#include <set>

#include "sched/policy/cycle/job_obstacle.hpp"
#include "sched/policy/cycle/placement.hpp"
#include "sched/policy/cycle/suspension.hpp"

namespace rollcall::sched::cycle {
namespace {

constexpr std::int64_t kDecayLook_s = 60;  // how often what decays is looked at

// A demand at its first job that was not looked at yet.
struct Turn {
  int priority = 0;
  const Snapshot::DemandEntry* entry = nullptr;
  std::set<Snapshot::Place>::const_iterator job;
  std::size_t look = 0;  // of Cycle::looks_
};
struct Later {
  bool operator()(const Turn& a, const Turn& b) const {
    return a.priority != b.priority ? a.priority < b.priority : *b.job < *a.job;
  }
};

class Cycle {
 public:
  Cycle(const Snapshot& snapshot, WallTime now) : state_(snapshot, now), placement_(state_) {}

  Plan run() {
    plan_suspensions(state_, plan_);
    for (const DemandNumber number : state_.snapshot().waiting_demands()) enter(number);
    while (!turns_.empty() && state_.free_slots() > 0) {
      Turn turn = turns_.top();
      turns_.pop();
      if (one_job(turn) && ++turn.job != turn.entry->ready.end()) turns_.push(turn);
    }
    look_ahead();
    return std::move(plan_);
  }

 private:
  struct Looked {
    DemandNumber number = 0;
    std::optional<Placement::Look> look;
  };

  void enter(DemandNumber number) {
    const Snapshot::DemandEntry& entry = state_.snapshot().demands()[number];
    if (entry.demand.begin > state_.now()) look_at(entry.demand.begin);
    if (obstacle_of(state_, entry).obstacle != JobObstacle::none) return;
    const int priority = state_.rules().queues[entry.compiled->queue].priority;
    turns_.push({priority, &entry, entry.ready.begin(), looks_.size()});
    looks_.push_back({number, std::nullopt});
  }

  // False: no further job of the demand can start in this cycle.
  bool one_job(const Turn& turn) {
    const PendingJob& job = *turn.job->job;
    const WallTime ready = ready_at(state_.rules(), *turn.entry, job);
    if (ready > state_.now()) {
      look_at(ready);
      return true;
    }
    if (obstacle_of(state_, *turn.entry).obstacle != JobObstacle::none) return false;
    Looked& looked = looks_[turn.look];
    if (!looked.look) {
      looked.look = placement_.look(*turn.entry);
      ++plan_.demands_looked_at;
    }
    auto placed = placement_.find(*looked.look, job);
    if (!placed) return !job.excluded.empty();  // others may go where this one may not
    dispatch(looked.number, *turn.entry, job, std::move(*placed));
    return true;
  }

  void dispatch(DemandNumber number, const Snapshot::DemandEntry& entry, const PendingJob& job,
                Placed placed) {
    Dispatch& dispatch = plan_.dispatches.emplace_back();
    dispatch.job = job.key;
    dispatch.demand = number;
    dispatch.effective_resreq = effective_text(*entry.compiled, *placed.alternative);
    dispatch.reservations = state_.take(entry.demand, *entry.compiled, *placed.alternative, placed.draft);
    dispatch.hosts = std::move(placed.draft.hosts);
    if (!dispatch.reservations.empty()) placement_.reserved_on(dispatch.hosts);
    for (const Reservation& reservation : dispatch.reservations) look_at_end_of(reservation);
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
      for (const Reservation& reservation : snapshot.placed(key)->reservations) look_at_end_of(reservation);
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
  Placement placement_;
  Plan plan_;
  std::priority_queue<Turn, std::vector<Turn>, Later> turns_;
  std::vector<Looked> looks_;
  std::set<std::string> seen_;
  const bool waits_ = !state_.snapshot().waiting_demands().empty();
};

}  // namespace

Plan schedule(const Snapshot& snapshot, WallTime now) { return Cycle(snapshot, now).run(); }

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
    job.hosts = dispatch.hosts;
    job.reservations = dispatch.reservations;
    job.started = job.status_since = now;
    if (const PendingJob* waited = snapshot.pending(dispatch.job))
      job.expected_end = expected_end(now, waited->times);
    job.exclusive = snapshot.demand(dispatch.demand).exclusive;
    for (const SlotsOn& on : job.hosts) snapshot.host(on.host).last_start = now;
    snapshot.place(std::move(job));
  }
}

}  // namespace rollcall::sched::cycle
