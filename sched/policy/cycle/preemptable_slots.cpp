#include "sched/policy/cycle/preemptable_slots.hpp"

#include <algorithm>

#include "sched/policy/cycle/victims.hpp"
#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {
namespace {

// By queue, by host: slots of jobs that may be preempted. Empty: no queue may preempt this one.
std::vector<std::vector<int>> slots_of_victims(const Snapshot& snapshot, WallTime now) {
  const PlacementRules& rules = snapshot.rules();
  std::vector<std::vector<int>> slots(rules.queues.size());
  for (const auto& lower : rules.preempts)
    for (const QueueNumber queue : lower) slots[queue].resize(rules.hosts.size());
  for (const auto& [key, job] : snapshot.placed_jobs()) {
    const QueueNumber queue = snapshot.demands()[job.demand].compiled->queue;
    if (queue == kNoQueue || slots[queue].empty() || left_alone(snapshot, job, now) != LeftAlone::no)
      continue;
    for (const SlotsOn& on : job.placement.hosts) slots[queue][on.host] += on.slots;
  }
  return slots;
}

std::vector<HostNumber> hosts_of(const PlacementRules& rules, const QueueRule& queue) {
  std::vector<HostNumber> hosts;
  if (queue.hosts)
    for (const HostPreference& host : *queue.hosts) hosts.push_back(host.host);
  else
    for (HostNumber host = 0; host < rules.own_hosts; ++host) hosts.push_back(host);
  return hosts;
}

}  // namespace

std::vector<PreemptableSlots> preemptable_slots(const Snapshot& snapshot, WallTime now) {
  if (!snapshot.rules().preempts_any) return std::vector<PreemptableSlots>(snapshot.rules().queues.size());
  return preemptable_slots(WorkingState(snapshot, now));
}

std::vector<PreemptableSlots> preemptable_slots(const WorkingState& state) {
  const PlacementRules& rules = state.rules();
  std::vector<PreemptableSlots> all(rules.queues.size());
  if (!rules.preempts_any) return all;
  const auto victims = slots_of_victims(state.snapshot(), state.now());
  for (QueueNumber queue = 0; queue < all.size(); ++queue) {
    const auto& lower = rules.preempts[queue];
    if (lower.empty()) continue;
    auto& [slots, lowest] = all[queue];
    for (const HostNumber host : hosts_of(rules, rules.queues[queue])) {
      const Obstacle obstacle = state.host_obstacle(host).obstacle;
      // With a job of -x that may not be preempted there are no victims on the host.
      if (obstacle != Obstacle::none && obstacle != Obstacle::exclusive_job) continue;
      int here = 0;
      for (const QueueNumber other : lower) here += victims[other][host];
      // On a host with more jobs than MXJ the first victims only bring it back to MXJ.
      here += std::min(0, state.free_slots(host));
      if (here <= 0) continue;
      slots += here;
      for (const QueueNumber other : lower)
        if (const int priority = rules.queues[other].priority; victims[other][host] > 0)
          lowest = std::min(lowest.value_or(priority), priority);
    }
  }
  return all;
}

}  // namespace rollcall::sched::cycle
