// Scenario: a cluster with its load and its jobs as one readable text: what bsched-query and tests feed to schedule(). A
// value with a parser; the text of a plan is here too.
//
// It is written in sections of LSF's own grammar (section_file.hpp). Those of lsf.shared, lsf.cluster and lsb.* are meant as
// in those files: Resource, ResourceMap, Parameters (lsb.params), Queue, Host, HostGroup, HostPartition, User, UserGroup,
// Limit, ReservationUsage. The others are the scenario's; the grammar of their cells is at the top of scenario.cpp. Without
// a Queue there is one, normal; without Host every host has as many slots as CPUs.
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

// The error has a line for everything that is wrong.
Result<Scenario> read_scenario(std::string_view text, const std::string& name);

// A line for each decision, newlines behind them: "start   12     2*hostA  keeps mem 500 of hostA".
std::string text_of(const Plan& plan, const Snapshot& snapshot, WallTime now);
// What jobs still wait for: for each run of jobs with the same reasons the jobs, then LSF's texts with words to act on.
// The plan is applied to the snapshot.
std::string pending_text(const Snapshot& snapshot, WallTime now);
// The words of one job alone: "4 hosts: mem is 380, job asks for mem > 500".
std::string why_text(const Snapshot& snapshot, WallTime now, JobKey job);

}  // namespace rollcall::sched::cycle
