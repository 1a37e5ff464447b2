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

void leave_out_preempted(const conf::LsbUsers& users, LimitRule& rule) {
  if (rule.of != LimitOf::slots || rule.queues || rule.projects || rule.applications) return;
  if (rule.per_queue || rule.per_project || rule.per_application || (!rule.per_user && !rule.users)) return;
  const auto is_group = [&users](const std::string& word) {
    return std::any_of(users.groups.begin(), users.groups.end(),
                       [&word](const auto& group) { return group.name == word; });
  };
  // Several users that share one counter are a group without a name.
  const bool one_user = rule.per_user || (rule.users->size() == 1 && rule.users->front() != "all" &&
                                          !is_group(rule.users->front()));
  if (rule.per_processor)
    rule.running_only_with = one_user ? &conf::PreemptFor::user_jlp : &conf::PreemptFor::group_jlp;
  else if (rule.per_host || (rule.hosts && one_user))
    rule.running_only_with = &conf::PreemptFor::host_jlu;
  else if (one_user)
    rule.running_only = true;
  else
    rule.running_only_with = &conf::PreemptFor::group_max;
}

const conf::PreemptFor& PlacementRules::preempt_for(const std::string& application) const {
  const auto* profile = lsb->application(application);
  return profile != nullptr && profile->preempt_for ? *profile->preempt_for : lsb->params.preempt_for;
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
