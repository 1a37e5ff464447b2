#include "sched/policy/cycle/next_job.hpp"

#include "sched/policy/cycle/compiled_demand.hpp"

namespace rollcall::sched::cycle {

void QueueOrder::enter(DemandNumber number, const Snapshot::DemandEntry& entry) {
  const auto first = entry.ready.begin();
  heads_.push({rules_.queues[entry.compiled->queue].priority, number, &entry, first, *first});
}

std::optional<Candidate> QueueOrder::next() {
  if (heads_.empty()) return std::nullopt;
  offered_ = heads_.top();
  heads_.pop();
  return Candidate{offered_.demand, offered_.entry, offered_.place.job};
}

void QueueOrder::go_on() {
  if (++offered_.job == offered_.entry->ready.end()) return;
  offered_.place = *offered_.job;
  __builtin_prefetch(offered_.place.job);  // its turn comes when the other demands have had theirs
  heads_.push(offered_);
}

}  // namespace rollcall::sched::cycle
