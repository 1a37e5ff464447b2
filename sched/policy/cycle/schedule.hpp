// schedule: one scheduling cycle: which waiting jobs start now and where, and which running ones stop or go on. A pure
// function of a Snapshot and the time; the same in gives the same out.
//
// It changes nothing: mbatchd tells the Book of the plan, and the snapshot follows the Book. A caller without a Book has apply()
// below. The order of the jobs is that of a NextJob (next_job.hpp); docs/cycle-memory.md lists what a cycle remembers. A job that is given hosts counts for all that come after it. Demands (snapshot.hpp) are looked at once: where one finds no host, its other jobs would
// find none either.
//
// Rules: "Administering Platform LSF", scheduling; where manuals are silent docs/decisions/0024.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

struct Dispatch {
  JobKey job;
  DemandNumber demand = 0;
  NumberedPlacement placement;
  std::shared_ptr<const std::string> effective_resreq;  // with the alternative of rusage that was taken
};

// A job that has hosts stops. `reasons` are bits of wire::SuspendReason: those that begin.
struct Suspend {
  JobKey job;
  std::uint32_t reasons = 0;
  std::string text;  // "The host load exceeded the following threshold(s): pg on hostA"
};
// None of the reasons that a plan gave is left: `reasons` are all of those. It goes on unless a user stopped it too.
struct Resume {
  JobKey job;
  std::uint32_t reasons = 0;
};

struct Plan {
  std::vector<Dispatch> dispatches;  // in the order in which they were decided
  std::vector<Suspend> suspends;
  std::vector<Resume> resumes;
  // When time alone can change the plan: a window opens or closes, a reservation ends, a begin time comes. None: never.
  std::optional<WallTime> next_look;
  std::size_t demands_looked_at = 0;
};

// In the order of queues (QueueOrder of next_job.hpp).
Plan schedule(const Snapshot& snapshot, WallTime now);
class NextJob;
// In the order that `next` says, which is new and serves this one call.
Plan schedule(const Snapshot& snapshot, WallTime now, NextJob& next);

// What the plan makes of the snapshot, for callers without a Book: dispatched jobs are placed, suspended ones have their bits.
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

// Answers "why does it pend" from a snapshot to which the last plan was applied. Jobs that want the same thing share one answer,
// which is worked out when it is first asked for and stays: each costs a look at every host. The snapshot must live and not
// change meanwhile, but for look_at().
class PendingReasons {
 public:
  PendingReasons(const Snapshot& snapshot, WallTime now);
  ~PendingReasons();
  // What was not asked for yet is answered from this snapshot, of the same rules; the earlier answers stay as they are.
  void look_at(const Snapshot& snapshot, WallTime now);

  // The key reason (the one bjobs -o pend_reason shows) first. One text may come several times, each with its own why and
  // hosts. Empty: the job does not pend.
  const std::vector<PendingReason>& of(JobKey job);
  // The same by a number that all jobs have that share it: 1 and up, without gaps; 0: the job does not pend.
  std::uint32_t number_of(JobKey job);
  const std::vector<PendingReason>& at(std::uint32_t number) const;
  // It was told and is not asked for again: only its number is kept.
  void drop(std::uint32_t number);
  // How often hosts were looked at, each once for each answer: what all of it has cost.
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
// Of a snapshot at one moment; it must live and not change meanwhile.
class HostStandings {
 public:
  HostStandings(const Snapshot& snapshot, WallTime now);
  ~HostStandings();
  HostStanding of(HostNumber host) const;
  // What jobs keep of a host-based resource (bhosts -l, Reserved), and of an instance of a shared one (bhosts -s).
  double reserved(HostNumber host, ResourceId resource) const;
  double reserved_shared(std::uint32_t instance) const;

 private:
  std::unique_ptr<WorkingState> state_;
};

// ------------------------------------------------------------------ to and from the wire

// `job` has hosts: as the snapshot has it. Hosts that the files do not know any more are left out.
PlacedJob placed_of(const PlacementRules& rules, const Job& job, DemandNumber demand, const JobTimes& times);
PendingJob pending_of(const PlacementRules& rules, const Job& job, DemandNumber demand, Hold hold,
                      const JobTimes& times);
// `effective`: the job's limits over its queue's and its profile's.
JobTimes times_of(const Job& job, const wire::Limits& effective);
// The same placement by name, and by the numbers of these rules: hosts and resources that the files do not know are left out.
Placement by_name(const PlacementRules& rules, const NumberedPlacement& placement);
NumberedPlacement by_number(const PlacementRules& rules, const Placement& placement);

}  // namespace rollcall::sched::cycle
