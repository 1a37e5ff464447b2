// ForwardableJobs: which pending jobs may be offered to other clusters now: those of queues with SNDJOBS_TO that the cycle before has not
// started here. Pure. Which queue of which cluster each is offered to is sched/policy/forward.
#pragma once

#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"
#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

struct ForwardableJob {
  JobKey job;
  DemandNumber demand = 0;
};

// In the order in which a cycle would start them: by priority of the queue, then by place in it. Jobs that their queue, a window, a date
// or a limit of jobs holds back are left out, since that would hold them here too. Elements above the limit of their array are left out.
//
// It costs as much as the demands that wait, and the jobs that it gives. While it is used the snapshot may lose jobs and gain some.
class ForwardableJobs {
 public:
  ForwardableJobs(const Snapshot& snapshot, WallTime now);

  std::optional<ForwardableJob> next();
  // Skips the jobs that are left of the last one's demand.
  void drop_demand() { last_.reset(); }

 private:
  struct Candidate {
    int priority = 0;
    QueueNumber queue = 0;
    Snapshot::Place place;
    DemandNumber demand = 0;
    std::uint64_t serial = 0;  // of the demand
  };
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const;
  };
  void add_demand(DemandNumber number);
  void add_next_of(Candidate before);
  bool array_has_room(const Demand& demand);  // and counts one more of it

  const Snapshot& snapshot_;
  const WallTime now_;
  std::optional<WorkingState> state_;                                         // costs a look at every host
  std::priority_queue<Candidate, std::vector<Candidate>, Later> candidates_;  // one of each demand
  std::optional<Candidate> last_;                                             // whose demand has more, maybe
  std::unordered_map<std::int32_t, int> of_array_;  // jobs that have hosts, and those that were given
};

}  // namespace rollcall::sched::cycle
