// What one job would get of running jobs, while Preemption looks for it. Private to Preemption's .cpp files.
#pragma once

#include "sched/policy/cycle/preemption.hpp"

namespace rollcall::sched::cycle {

// What one job would get.
struct Preemption::Draft {
  const HostSearch::Look& look;
  const PendingJob& job;
  Cursors& cursors;
  const std::vector<Source> sources;  // first to last
  PreemptionAttempt* told = nullptr;  // its place in the log, if there is one
  Jobs victims;
  std::size_t base = 0;               // victims at the front that are for resources
  std::unordered_set<JobKey> chosen;  // the keys of `victims`
  std::vector<HostNumber> hosts;      // those with free slots, for a parallel job, then those of the victims
  std::unordered_set<HostNumber> in;  // the same
  std::size_t looked_at = 0, next_look = 1;
  std::optional<Allocation> room;
  const Demand& demand() const { return look.entry->demand; }
  // It is tried host by host. Jobs of -x are not: they need a host without other jobs, of whatever queues these are.
  bool serial() const { return demand().min_slots == 1 && !demand().exclusive; }
};

}  // namespace rollcall::sched::cycle
