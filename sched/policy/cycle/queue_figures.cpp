#include "sched/policy/cycle/queue_figures.hpp"

#include <algorithm>
#include <set>

#include "sched/policy/cycle/preemptable_slots.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {
namespace {

class Counting {
 public:
  Counting(const Snapshot& snapshot, WallTime now)
      : snapshot_(snapshot), rules_(snapshot.rules()), state_(snapshot, now) {}

  void count_hosts(const QueueRule& queue, QueueFigures& figures) const {
    std::set<std::string> types, booleans;
    const auto count = [&](HostNumber host) {
      const Obstacle obstacle = state_.host_obstacle(host).obstacle;
      if (obstacle != Obstacle::none && obstacle != Obstacle::full && obstacle != Obstacle::exclusive_job)
        return;
      const HostValues& values = snapshot_.values(host);
      const int slots = snapshot_.slots(host).value_or(values.cpus);
      figures.total += slots;
      // A host with a job of -x takes no other.
      if (obstacle == Obstacle::none)
        figures.available += std::max(0, slots - snapshot_.tallies().slots[host]);
      if (type_ && *type_ < values.words.size() && !values.words[*type_].empty())
        types.insert(values.words[*type_]);
      for (ResourceId id = rules_.indices().built_in(); id < rules_.indices().size(); ++id)
        if (rules_.indices().at(id).type == ResourceType::boolean && id < values.has.size() && values.has[id])
          booleans.insert(rules_.indices().at(id).name);
    };
    if (queue.hosts)
      for (const HostPreference& host : *queue.hosts) count(host.host);
    else
      for (HostNumber host = 0; host < rules_.hosts.size(); ++host) count(host);
    figures.types.assign(types.begin(), types.end());
    figures.booleans.assign(booleans.begin(), booleans.end());
  }

 private:
  const Snapshot& snapshot_;
  const PlacementRules& rules_;
  WorkingState state_;
  std::optional<ResourceId> type_ = rules_.indices().find("type");
};

}  // namespace

std::vector<QueueFigures> queue_figures(const Snapshot& snapshot, WallTime now,
                                        const std::vector<bool>& wanted) {
  const PlacementRules& rules = snapshot.rules();
  std::vector<QueueFigures> all(rules.queues.size());
  const Counting counting(snapshot, now);
  const auto preemptable = preemptable_slots(snapshot, now);
  for (QueueNumber queue = 0; queue < all.size(); ++queue) {
    if (!wanted[queue]) continue;
    counting.count_hosts(rules.queues[queue], all[queue]);
    all[queue].preemptable = all[queue].available + preemptable[queue].slots;
    all[queue].lowest_preemptable = preemptable[queue].lowest_priority;
  }
  const auto queue_of = [&](DemandNumber demand) { return snapshot.demands()[demand].compiled->queue; };
  for (const auto& [key, job] : snapshot.placed_jobs())
    if (const QueueNumber queue = queue_of(job.demand); queue != kNoQueue && job.suspended == 0)
      for (const SlotsOn& on : job.placement.hosts) all[queue].running += on.slots;
  for (const DemandNumber number : snapshot.waiting_demands())
    if (const QueueNumber queue = queue_of(number); queue != kNoQueue)
      all[queue].pending +=
          static_cast<long long>(snapshot.demands()[number].ready.size()) * snapshot.demand(number).min_slots;
  return all;
}

}  // namespace rollcall::sched::cycle
