// JobObstacle: why a job cannot start on any host: its queue, a window, a begin time, a limit that counts all hosts together.
// Pure functions of a WorkingState. Obstacles of single hosts are in working_state.hpp.
#pragma once

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

enum class JobObstacle {
  none,
  impossible,   // Compiled::error
  application,  // the profile of the job is gone from lsb.applications
  queue_inactive,
  queue_window,  // DISPATCH_WINDOW of the queue
  run_window,
  begin_time,
  array_limit,
  limit,    // detail: of PlacementRules::limits
  too_new,  // NEW_JOB_SCHED_DELAY; of single jobs, not of a demand
};
struct JobVerdict {
  JobObstacle obstacle = JobObstacle::none;
  std::uint32_t detail = 0;
};

// The obstacle that every job of the demand has.
JobVerdict obstacle_of(const WorkingState& state, const Snapshot::DemandEntry& entry);
// Of a demand whose obstacle is a limit: each limit that it has reached leaves preempted jobs out, so preemption may make room.
bool reaches_limits_of_running_jobs(const WorkingState& state, const Snapshot::DemandEntry& entry);
// When NEW_JOB_SCHED_DELAY is over for the job.
WallTime ready_at(const PlacementRules& rules, const Snapshot::DemandEntry& entry, const PendingJob& job);

// The next time after now at which the windows open or close; nothing where they never do.
std::optional<WallTime> next_change(const TimeWindows& windows, WallTime now, std::int32_t utc_offset_s);

}  // namespace rollcall::sched::cycle
