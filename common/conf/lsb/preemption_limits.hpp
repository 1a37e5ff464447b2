// PreemptionLimits: when jobs of a queue, a profile or the whole site may be preempted, and when they may preempt. PreemptFor: what
// else the site wants of preemption. Values; the rules that use them are in sched/policy/cycle/preemption.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {

// "30": minutes; "25%": of the run limit.
struct PartOfRun {
  int amount = 0;
  bool percent = false;
  friend bool operator==(const PartOfRun&, const PartOfRun&) = default;
};

struct PreemptionLimits {
  std::optional<int> most;  // MAX_JOB_PREEMPT: how often a job may be preempted
  std::optional<int>
      total_min;  // MAX_TOTAL_TIME_PREEMPT: a job that was preempted so long in all is left alone
  std::optional<int>
      interval_min;  // NO_PREEMPT_INTERVAL: after its start, or since it went on, a job is left alone so long
  std::optional<PartOfRun> run_time;     // NO_PREEMPT_RUN_TIME: a job that has run so long is left alone
  std::optional<PartOfRun> finish_time;  // NO_PREEMPT_FINISH_TIME: one that ends within that time too
  std::optional<int> delay_s;            // PREEMPT_DELAY: a job must wait so long before it may preempt
};

// PREEMPT_FOR of lsb.params and of profiles. The first four name limits that do not count preempted jobs.
struct PreemptFor {
  bool group_jlp = false;                         // of a user group, per processor of a host
  bool group_max = false;                         // of a user group
  bool host_jlu = false;                          // of a user or a user group, on a host
  bool user_jlp = false;                          // of a user, per processor of a host
  bool least_run_time = false, mini_job = false;  // the cycle does both in any case
  bool optimal_mini_job = false;                  // a parallel job preempts as few jobs as will do
  friend bool operator==(const PreemptFor&, const PreemptFor&) = default;
};
// None: PREEMPT_FOR is not given.
std::optional<PreemptFor> read_preempt_for(RowReader& cells);

// PREEMPT_JOBTYPE has EXCLUSIVE.
bool read_preempt_exclusive(RowReader& cells);

// Whether jobs may be preempted for the resource (PREEMPTABLE_RESOURCES), if hosts share it: suspended jobs give it back.
bool preemptable(const ResourceDefinition& resource);

PreemptionLimits read_preemption_limits(RowReader& cells);
// Each value of `first`, or else of `second`.
PreemptionLimits first_of(const PreemptionLimits& first, const PreemptionLimits& second);

}  // namespace rollcall::conf
