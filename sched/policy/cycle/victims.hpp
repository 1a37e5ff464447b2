// Which running jobs may be preempted at all, whichever job wants their slots. Pure; preemption.hpp chooses among them.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

// Why a job with hosts is left alone; the first that holds, in this order.
enum class LeftAlone : std::uint8_t {
  no,  // it may be preempted
  suspended,
  exclusive,
  max_job_preempt,
  max_total_time_preempt,
  no_preempt_run_time,
  no_preempt_finish_time,
  no_preempt_interval,  // until PlacedJob::preemptable_from
  host_away,            // mbatchd would not reach it to suspend it
};
LeftAlone left_alone(const Snapshot& snapshot, const PlacedJob& job, WallTime now);
// "NO_PREEMPT_INTERVAL: for 30 s more".
std::string words_of(LeftAlone why, const PlacedJob& job, WallTime now);

// USE_SUSP_SLOTS: a suspended job lends the slots that it holds to jobs of lower queues that its own may preempt. A preempted job
// holds none.
bool lends_slots(const Snapshot& snapshot, const PlacedJob& job);
// By queue: the queues with jobs that lend their slots to jobs of this one, the lowest PRIORITY first. Empty: there are none at all.
std::vector<std::vector<QueueNumber>> lending_queues(const Snapshot& snapshot);

// Whether all its hosts are there: mbatchd neither suspends nor resumes a job of a host that is away.
bool reachable(const Snapshot& snapshot, const PlacedJob& job);

// How often, and for how long in all, a job was preempted. The time of a job that is preempted now is not in it.
struct PreemptedBefore {
  int times = 0;
  std::int64_t us = 0;
};
// Sets when the job may be preempted. A part of the run limit of a job without one is no bound.
void set_preemptable(const conf::PreemptionLimits& limits, PreemptedBefore before, const JobTimes& times,
                     PlacedJob& job);

}  // namespace rollcall::sched::cycle
