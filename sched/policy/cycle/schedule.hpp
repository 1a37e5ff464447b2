// schedule: one scheduling cycle. Its plan says which pending jobs start now and where, which running jobs are suspended and which
// suspended ones resume. A pure function of a Snapshot and the time: equal input gives equal output.
//
// It changes nothing: mbatchd hands the plan to the Book, and the snapshot follows the Book. A caller without a Book uses apply()
// below. A NextJob (next_job.hpp) orders the jobs. A dispatched job counts for all that come after it. A demand (snapshot.hpp) is
// looked at once: where it finds no hosts, its other jobs would find none either (docs/cycle-memory.md).
//
// Rules: "Administering Platform LSF", scheduling; where manuals are silent docs/decisions/0024.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/policy/cycle/preemption_log.hpp"
#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

struct Dispatch {
  JobKey job;
  DemandNumber demand = 0;
  NumberedPlacement placement;
  std::shared_ptr<const std::string> effective_resreq;  // with the alternative of rusage that was taken
};

// A started job is suspended. `reasons`: bits of wire::SuspendReason that are new.
struct Suspend {
  JobKey job;
  std::uint32_t reasons = 0;
  std::string text;  // "The host load exceeded the following threshold(s): pg on hostA"
  JobKey by;         // with SUSPEND_PREEMPT: the job that is dispatched on its slots
};
// A suspended job may resume: no reason of the cycle's (load, window, lock) is left. `reasons`: those bits, all of them. The job
// stays suspended if a user or an administrator stopped it too.
struct Resume {
  JobKey job;
  std::uint32_t reasons = 0;
};

struct Plan {
  std::vector<Dispatch> dispatches;  // in the order in which they were decided
  std::vector<Suspend> suspends;
  std::vector<Resume> resumes;
  // When time alone can next change the plan: a window opens or closes, a reservation ends, a begin time comes. None: never.
  std::optional<WallTime> next_look;
  std::size_t demands_looked_at = 0;
};

// In the order of queues (QueueOrder of next_job.hpp).
Plan schedule(const Snapshot& snapshot, WallTime now);
class NextJob;
// In the order of `next`, which must be new and serves this one call. `log`: nullptr, or takes what was tried when jobs wanted
// slots of running jobs.
Plan schedule(const Snapshot& snapshot, WallTime now, NextJob& next, PreemptionLog* log = nullptr);

// Applies the plan to the snapshot, for callers without a Book: places dispatched jobs, sets and clears suspend reasons.
void apply(const Plan& plan, WallTime now, Snapshot& snapshot);

// ------------------------------------------------------------------ why a job pends

// wire::BatchReply::Reason without its bytes.
struct PendingReason {
  std::string text;               // LSF's: "Job's resource requirements not satisfied"
  std::string why;                // in words to act on: "mem is 380 MB, job asks for 500"
  std::vector<HostNumber> hosts;  // none: of the job as a whole
};
// "4 hosts: mem is 380, job asks for mem > 500", as bjobs -p --why prints one.
std::string words_of(const PendingReason& reason);
// The same in LSF's form: "Job's resource requirements not satisfied: 4 hosts;".
std::string text_of(const PendingReason& reason);

// Why jobs pend, from a snapshot to which the last plan was applied. Jobs of one demand share one answer. It is made on first
// request and kept, since each costs a look at every host. The snapshot must live and not change, until look_at() gives another.
class PendingReasons {
 public:
  PendingReasons(const Snapshot& snapshot, WallTime now);
  ~PendingReasons();
  // Later answers come from this snapshot, which must have the same rules; earlier answers are kept.
  void look_at(const Snapshot& snapshot, WallTime now);

  // The key reason (the one bjobs -o pend_reason shows) first. One text may come several times, each with its own why and
  // hosts. Empty: the job does not pend.
  const std::vector<PendingReason>& of(JobKey job);
  // The number of the job's answer, which jobs share with the answer. From 1, without gaps; 0: the job does not pend.
  std::uint32_t number_of(JobKey job);
  const std::vector<PendingReason>& at(std::uint32_t number) const;
  // Frees the answer, keeps its number. For answers that are not needed again.
  void drop(std::uint32_t number);
  // A measure of cost: the number of hosts, added up over the answers made.
  std::uint64_t hosts_looked_at() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ------------------------------------------------------------------ a host as bhosts shows it

struct HostStanding {
  bool window_closed = false;      // closed_Wind
  bool full = false;               // closed_Full
  bool exclusive = false;          // closed_Excl
  std::vector<ResourceId> beyond;  // closed_Busy: indices beyond loadSched of lsb.hosts
  int taken_slots = 0;
  bool load_unknown = false;
};
class WorkingState;
// Hosts of a snapshot at the time `now`. The snapshot must live and not change meanwhile.
class HostStandings {
 public:
  HostStandings(const Snapshot& snapshot, WallTime now);
  ~HostStandings();
  HostStanding of(HostNumber host) const;
  // What jobs reserve of a host's resource (bhosts -l, Reserved), and of an instance of a shared one (bhosts -s).
  double reserved(HostNumber host, ResourceId resource) const;
  double reserved_shared(std::uint32_t instance) const;

 private:
  std::unique_ptr<WorkingState> state_;
};

// ------------------------------------------------------------------ to and from the wire

// A started job as the snapshot has it. Hosts that are no longer configured are left out.
PlacedJob placed_of(const PlacementRules& rules, const Job& job, DemandNumber demand, const JobTimes& times,
                    const conf::PreemptionLimits& preemption = {});
PendingJob pending_of(const PlacementRules& rules, const Job& job, DemandNumber demand, Hold hold,
                      const JobTimes& times, const conf::PreemptionLimits& preemption = {});
// `effective`: the job's limits merged over those of its application profile and queue.
JobTimes times_of(const Job& job, const wire::Limits& effective);
// Converts between names and the numbers of these rules. Hosts and resources that are not configured are left out.
Placement by_name(const PlacementRules& rules, const NumberedPlacement& placement);
NumberedPlacement by_number(const PlacementRules& rules, const Placement& placement);

}  // namespace rollcall::sched::cycle
