#include "sched/policy/cycle/preemption_rules.hpp"

#include <algorithm>

namespace rollcall::sched::cycle {
namespace {

using Items = std::optional<std::vector<conf::HostItem>>;

const conf::HostItem* named(const Items& items, const std::string& queue) {
  const auto found =
      std::find_if(items->begin(), items->end(), [&queue](const auto& item) { return item.name == queue; });
  return found == items->end() ? nullptr : &*found;
}
bool admits(const Items& items, const std::string& queue) {
  return items && (items->empty() || named(items, queue) != nullptr);
}

bool may_preempt(const QueueRule& high, const QueueRule& low) {
  if (high.priority <= low.priority) return false;
  return preemptive_admits(high, low) || admits(low.row->preemption.preemptable, high.name);
}

}  // namespace

bool preemptive_admits(const QueueRule& high, const QueueRule& low) {
  return admits(high.row->preemption.preemptive, low.name);
}

int preference_of(const QueueRule& high, const QueueRule& low) {
  const Items& items = high.row->preemption.preemptive;
  const conf::HostItem* item = items ? named(items, low.name) : nullptr;
  return item == nullptr ? 0 : item->preference;
}

std::vector<std::vector<QueueNumber>> preemptable_queues(const std::vector<QueueRule>& queues) {
  std::vector<std::vector<QueueNumber>> all(queues.size());
  for (QueueNumber high = 0; high < queues.size(); ++high) {
    for (QueueNumber low = 0; low < queues.size(); ++low)
      if (may_preempt(queues[high], queues[low])) all[high].push_back(low);
    std::stable_sort(all[high].begin(), all[high].end(), [&](QueueNumber a, QueueNumber b) {
      const int first = preference_of(queues[high], queues[a]),
                second = preference_of(queues[high], queues[b]);
      return first != second ? first > second : queues[a].priority < queues[b].priority;
    });
  }
  return all;
}

}  // namespace rollcall::sched::cycle
