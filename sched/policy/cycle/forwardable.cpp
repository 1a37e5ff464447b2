#include "sched/policy/cycle/forwardable.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "sched/policy/cycle/job_obstacle.hpp"

namespace rollcall::sched::cycle {
namespace {

struct Candidate {
  int priority = 0;
  QueueNumber queue = 0;
  Snapshot::Place place;
  DemandNumber demand = 0;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tuple(-a.priority, a.queue, a.place) < std::tuple(-b.priority, b.queue, b.place);
  }
};

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

std::vector<ForwardableJob> forwardable(const Snapshot& snapshot, WallTime now, std::size_t most) {
  std::optional<WorkingState> state;  // costs a look at every host
  std::vector<Candidate> candidates;
  for (const DemandNumber number : snapshot.waiting_demands()) {
    const auto& entry = snapshot.demands()[number];
    if (!sends(entry, snapshot.rules())) continue;
    if (!state) state.emplace(snapshot, now);
    if (!may_leave(*state, entry)) continue;
    const QueueNumber queue = entry.compiled->queue;
    std::size_t taken = 0;
    for (const auto& place : entry.ready) {
      if (taken == most) break;
      if (ready_at(snapshot.rules(), entry, *place.job) > now) continue;
      candidates.push_back({snapshot.rules().queues[queue].priority, queue, place, number});
      ++taken;
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<ForwardableJob> jobs;
  std::unordered_map<std::int32_t, int> of_array;
  for (const Candidate& one : candidates) {
    if (jobs.size() == most) break;
    const Demand& demand = snapshot.demand(one.demand);
    if (demand.array != 0 && state->array_jobs(demand.array) + of_array[demand.array] >= demand.array_slots)
      continue;
    if (demand.array != 0) ++of_array[demand.array];
    jobs.push_back({one.place.key, one.demand});
  }
  return jobs;
}

}  // namespace rollcall::sched::cycle
