// Preempted jobs that go on (preemption.hpp).
#include <algorithm>

#include "sched/policy/cycle/preemption.hpp"

namespace rollcall::sched::cycle {

void Preemption::find_waiting() {
  if (waiting_) return;
  waiting_.emplace();
  for (const JobKey key : state_.snapshot().tallies().suspended)
    if (const PlacedJob* job = state_.snapshot().placed(key);
        (job->suspended & wire::SUSPEND_PREEMPT) != 0 && reachable(state_.snapshot(), *job))
      waiting_->push_back(job);
  std::sort(waiting_->begin(), waiting_->end(), [this](const PlacedJob* a, const PlacedJob* b) {
    if (priority(*a) != priority(*b)) return priority(*a) > priority(*b);
    return a->started != b->started ? a->started < b->started : a->key < b->key;
  });
}

void Preemption::go_on(int priority, Plan& plan) {
  find_waiting();
  for (; next_waiting_ < waiting_->size(); ++next_waiting_) {
    const PlacedJob& job = *(*waiting_)[next_waiting_];
    if (this->priority(job) < priority) return;
    const bool stays_suspended = (job.suspended & ~wire::SUSPEND_PREEMPT) != 0;
    if (!state_.run_again(job) && (stays_suspended || !reclaim(job, plan))) continue;
    plan.resumes.push_back({job.key, wire::SUSPEND_PREEMPT});
    if (!stays_suspended) continue;
    // The plan's suspensions are carried out before what goes on: it may lend its slots again in the next cycle.
    suspended_.insert(job.key);
    look_again({state_.now().us + 1}, plan);
  }
}

void Preemption::look_again(WallTime at, Plan& plan) const {
  if (!at.never() && (!plan.next_look || at < *plan.next_look)) plan.next_look = at;
}

// The job preempts jobs of lower queues that have its slots, as a pending job of its queue could. Exclusive jobs wait until their
// hosts are empty.
bool Preemption::reclaim(const PlacedJob& job, Plan& plan) {
  const QueueNumber queue = queue_of(job);
  if (queue == kNoQueue || !by(queue) || job.placement.exclusive) return false;
  if (!state_.rules().lsb->params.use_suspended_slots) return false;
  find_running();
  Jobs victims;
  if (!take_slots_of(job, victims) || !take_limits_of(job, victims) || !state_.run_again(job)) {
    for (const PlacedJob* victim : victims) lend(*victim, -1);
    look_again(next_preemptable_, plan);
    return false;
  }
  for (const PlacedJob* victim : victims) {
    suspended_.insert(victim->key);
    plan.suspends.push_back({victim->key, wire::SUSPEND_PREEMPT, preempted_text(job.key, queue), job.key});
  }
  settle(job.demand, job.placement, victims);
  note(job, victims);
  return true;
}

// Chooses, on each host of the job, running jobs of lower queues until the job has its slots. False: they are not enough.
bool Preemption::take_slots_of(const PlacedJob& job, Jobs& victims) {
  for (const SlotsOn& on : job.placement.hosts) {
    for (const QueueNumber lower : state_.rules().preempts[queue_of(job)])
      for (const PlacedJob* victim : of(lower)[on.host]) {
        if (state_.slots_to_go_on(on.host) >= on.slots) break;
        const bool chosen = std::find(victims.begin(), victims.end(), victim) != victims.end();
        if (chosen || suspended_.contains(victim->key)) continue;
        victims.push_back(victim);
        lend(*victim, 1);
      }
    if (state_.slots_to_go_on(on.host) < on.slots) return false;
  }
  return true;
}

std::string Preemption::preempted_text(JobKey by, QueueNumber queue) const {
  return "The job was preempted by a job of a higher priority queue: " + text(by) + " of " +
         state_.rules().queues[queue].name;
}

void Preemption::note(const PlacedJob& job, const Jobs& victims) {
  if (log_ == nullptr) return;
  PreemptionAttempt attempt{.job = job.key, .demand = job.demand, .tried = true};
  for (const SlotsOn& on : job.placement.hosts) attempt.hosts.push_back(on.host);
  for (const PlacedJob* victim : victims) attempt.victims.push_back(victim->key);
  log_->push_back(std::move(attempt));
}

}  // namespace rollcall::sched::cycle
