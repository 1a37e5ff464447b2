#include "sched/policy/cycle/next_job.hpp"

#include "sched/policy/cycle/compiled_demand.hpp"

namespace rollcall::sched::cycle {

void QueueOrder::enter(DemandNumber number, const Snapshot::DemandEntry& entry) {
  heads_.push({rules_.queues[entry.compiled->queue].priority, number, &entry, entry.ready.begin()});
}

std::optional<Candidate> QueueOrder::next() {
  if (heads_.empty()) return std::nullopt;
  offered_ = heads_.top();
  heads_.pop();
  return Candidate{offered_.demand, offered_.entry, offered_.job->job};
}

void QueueOrder::go_on() {
  if (++offered_.job != offered_.entry->ready.end()) heads_.push(offered_);
}

}  // namespace rollcall::sched::cycle
