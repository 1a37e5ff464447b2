#include "sched/policy/cycle/forwardable.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sched/policy/cycle/job_obstacle.hpp"

namespace rollcall::sched::cycle {
namespace {

bool sends(const Snapshot::DemandEntry& entry, const PlacementRules& rules) {
  const QueueNumber queue = entry.compiled->queue;
  return queue != kNoQueue && rules.queues[queue].row != nullptr &&
         !rules.queues[queue].row->send_jobs_to.empty();
}

// What no host here can give, one elsewhere may.
bool may_leave(const WorkingState& state, const Snapshot::DemandEntry& entry) {
  const auto obstacle = obstacle_of(state, entry).obstacle;
  return obstacle == JobObstacle::none || obstacle == JobObstacle::impossible;
}

}  // namespace

bool ForwardableJobs::Later::operator()(const Candidate& a, const Candidate& b) const {
  return std::tuple(-b.priority, b.queue, b.place) < std::tuple(-a.priority, a.queue, a.place);
}

ForwardableJobs::ForwardableJobs(const Snapshot& snapshot, WallTime now) : snapshot_(snapshot), now_(now) {
  for (const DemandNumber number : snapshot.waiting_demands())
    if (sends(snapshot.demands()[number], snapshot.rules())) add_demand(number);
}

void ForwardableJobs::add_demand(DemandNumber number) {
  const auto& entry = snapshot_.demands()[number];
  if (!state_) state_.emplace(snapshot_, now_);
  if (!may_leave(*state_, entry)) return;
  const QueueNumber queue = entry.compiled->queue;
  add_next_of({snapshot_.rules().queues[queue].priority, queue, {}, number, entry.serial});
}

// The first job of the demand behind that one; of a place without a job, the first of all.
void ForwardableJobs::add_next_of(Candidate before) {
  const auto& entry = snapshot_.demands()[before.demand];
  if (!entry.live || entry.serial != before.serial) return;
  const auto ready = [&](const Snapshot::Place& place) {
    return ready_at(snapshot_.rules(), entry, *place.job) <= now_;
  };
  const auto from = before.place.job == nullptr ? entry.ready.begin() : entry.ready.upper_bound(before.place);
  const auto found = std::find_if(from, entry.ready.end(), ready);
  if (found == entry.ready.end()) return;
  before.place = *found;
  candidates_.push(before);
}

bool ForwardableJobs::array_has_room(const Demand& demand) {
  if (demand.array == 0) return true;
  const auto [jobs, first] = of_array_.try_emplace(demand.array);
  if (first) jobs->second = state_->array_jobs(demand.array);
  return jobs->second++ < demand.array_slots;
}

std::optional<ForwardableJob> ForwardableJobs::next() {
  if (const auto last = std::exchange(last_, std::nullopt)) add_next_of(*last);
  while (!candidates_.empty()) {
    const Candidate one = candidates_.top();
    candidates_.pop();
    const auto& entry = snapshot_.demands()[one.demand];
    if (!entry.live || entry.serial != one.serial || !array_has_room(entry.demand)) continue;
    last_ = one;
    return ForwardableJob{one.place.key, one.demand};
  }
  return std::nullopt;
}

}  // namespace rollcall::sched::cycle
