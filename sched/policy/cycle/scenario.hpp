// Scenario: a cluster with its load and jobs as one readable text, which bsched-query and tests feed to schedule(). A value with
// a parser, and functions that print plans and pending reasons.
//
// The text has sections in LSF's grammar (section_file.hpp). Sections of lsf.shared, lsf.cluster and lsb.* mean what they mean in
// these files: Resource, ResourceMap, Parameters (lsb.params), Queue, Host, HostGroup, HostPartition, User, UserGroup, Limit,
// ReservationUsage. The other sections exist in scenarios only; scenario.cpp opens with their grammar. Without a section Queue
// there is one queue, normal; without Host every host has as many slots as CPUs.
//
//   Begin Machine                     hosts as LIM sees them
//   HOST_NAME  STATUS  NCPUS  r1m  mem
//   hostA      ok      4      0.1  8000
//   End Machine
//   Begin Pending
//   JOB     USER  SLOTS  RES_REQ
//   12      ann   2      "select[mem>500] span[hosts=1]"
//   13[1-9] bob   1      -
//   End Pending
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::cycle {

struct Scenario {
  Snapshot snapshot;
  WallTime now;
};

// The error has a line for each fault. `name`: of the file, for these lines.
Result<Scenario> read_scenario(std::string_view text, const std::string& name);

// A line for each decision, each with its newline: "start   12     2*hostA  keeps mem 500 of hostA".
std::string text_of(const Plan& plan, const Snapshot& snapshot, WallTime now);
// A line for each queue that may preempt: how many slots it could have that way (preemptable_slots.hpp).
std::string preemptable_text(const Snapshot& snapshot, WallTime now);
// Why jobs still pend: consecutive jobs with the same reasons together, then LSF's texts with the words to act on. The caller has
// applied the plan to the snapshot.
std::string pending_text(const Snapshot& snapshot, WallTime now);
// The words of one job alone: "4 hosts: mem is 380, job asks for mem > 500".
std::string why_text(const Snapshot& snapshot, WallTime now, JobKey job);
// The same after one cycle of the scenario, and what the cycle preempts for the job, or preempts of it (preemption_text.hpp).
std::string explained(Scenario scenario, JobKey job);

}  // namespace rollcall::sched::cycle
