#include "sched/policy/cycle/queue_figures.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/conf/lsb/matching_resources.hpp"
#include "sched/policy/cycle/preemptable_slots.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {
namespace {

class Counting {
 public:
  Counting(const WorkingState& state, const ReservedSlots& reserved)
      : snapshot_(state.snapshot()),
        rules_(state.rules()),
        state_(state),
        reserved_(reserved),
        compared_(conf::matching_resources(rules_.lsb->params, *rules_.cluster)) {}

  void count_hosts(const QueueRule& queue, QueueFigures& figures) const {
    std::set<std::string> types, booleans;
    std::vector<std::pair<std::set<double>, std::set<std::string>>> seen(compared_.size());
    const auto count = [&](HostNumber host) {
      const Obstacle obstacle = state_.host_obstacle(host).obstacle;
      if (obstacle != Obstacle::none && obstacle != Obstacle::full && obstacle != Obstacle::exclusive_job)
        return;
      const HostValues& values = snapshot_.values(host);
      const int slots = snapshot_.slots(host).value_or(values.cpus);
      figures.total += slots;
      // A host with a job of -x takes no other.
      if (obstacle == Obstacle::none)
        figures.available += std::max(0, slots - snapshot_.tallies().slots[host] - reserved_on(host));
      if (type_ && *type_ < values.words.size() && !values.words[*type_].empty())
        types.insert(values.words[*type_]);
      for (ResourceId id = rules_.indices().built_in(); id < rules_.indices().size(); ++id)
        if (rules_.indices().at(id).type == ResourceType::boolean && id < values.has.size() && values.has[id])
          booleans.insert(rules_.indices().at(id).name);
      for (std::size_t i = 0; i < compared_.size(); ++i)
        note_value(host, compared_[i], seen[i].first, seen[i].second);
    };
    if (queue.hosts)
      for (const HostPreference& host : *queue.hosts) count(host.host);
    else
      for (HostNumber host = 0; host < rules_.own_hosts; ++host) count(host);
    figures.types.assign(types.begin(), types.end());
    figures.booleans.assign(booleans.begin(), booleans.end());
    for (std::size_t i = 0; i < compared_.size(); ++i)
      figures.values.push_back(told(compared_[i], seen[i].first, seen[i].second));
  }

  // Whether it takes jobs and starts them now.
  bool serves(QueueNumber number) const {
    const QueueRule& queue = rules_.queues[number];
    const QueueState state = snapshot_.queue(number);
    return state.open && state.active && state_.open(queue.dispatch_windows) &&
           state_.open(queue.run_windows);
  }

 private:
  void note_value(HostNumber host, ResourceId id, std::set<double>& numbers,
                  std::set<std::string>& words) const {
    const HostValues& values = snapshot_.values(host);
    if (rules_.indices().at(id).type == ResourceType::string) {
      if (id < values.words.size() && !values.words[id].empty()) words.insert(values.words[id]);
    } else if (id < values.numbers.size() && std::isfinite(values.numbers[id])) {
      numbers.insert(values.numbers[id]);
    }
  }
  ToldValues told(ResourceId id, const std::set<double>& numbers, const std::set<std::string>& words) const {
    ToldValues values{.name = rules_.indices().at(id).name, .numbers = {}, .words = {}, .more = false};
    values.more = numbers.size() > kMostToldValues || words.size() > kMostToldValues;
    if (!values.more) {
      values.numbers.assign(numbers.begin(), numbers.end());
      values.words.assign(words.begin(), words.end());
    } else if (!numbers.empty()) {
      values.numbers = {*numbers.begin(), *numbers.rbegin()};
    }
    return values;
  }
  int reserved_on(HostNumber host) const { return host < reserved_.size() ? reserved_[host] : 0; }

  const Snapshot& snapshot_;
  const PlacementRules& rules_;
  const WorkingState& state_;
  const ReservedSlots& reserved_;
  std::vector<ResourceId> compared_;
  std::optional<ResourceId> type_ = rules_.indices().find("type");
};

}  // namespace

std::vector<QueueFigures> queue_figures(const Snapshot& snapshot, WallTime now,
                                        const std::vector<bool>& wanted, const ReservedSlots& reserved) {
  const PlacementRules& rules = snapshot.rules();
  std::vector<QueueFigures> all(rules.queues.size());
  const WorkingState state(snapshot, now);
  const Counting counting(state, reserved);
  const auto preemptable = preemptable_slots(state);
  for (QueueNumber queue = 0; queue < all.size(); ++queue) {
    if (!wanted[queue]) continue;
    counting.count_hosts(rules.queues[queue], all[queue]);
    all[queue].preemptable = all[queue].available + preemptable[queue].slots;
    all[queue].lowest_preemptable = preemptable[queue].lowest_priority;
    if (!counting.serves(queue)) all[queue].available = all[queue].preemptable = 0;
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
