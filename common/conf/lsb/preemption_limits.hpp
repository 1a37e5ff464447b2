// PreemptionLimits: when jobs of a queue, a profile or the whole site may be preempted, and when they may preempt. A value; the rules that
// use it are in sched/policy/cycle/preemption.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

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
      interval_min;  // NO_PREEMPT_INTERVAL: after its start, or since it went on, a job is left alone so long
  std::optional<PartOfRun> run_time;     // NO_PREEMPT_RUN_TIME: a job that has run so long is left alone
  std::optional<PartOfRun> finish_time;  // NO_PREEMPT_FINISH_TIME: one that ends within that time too
  std::optional<int> delay_s;            // PREEMPT_DELAY: a job must wait so long before it may preempt
};

PreemptionLimits read_preemption_limits(RowReader& cells);
// Each value of `first`, or else of `second`.
PreemptionLimits first_of(const PreemptionLimits& first, const PreemptionLimits& second);

}  // namespace rollcall::conf
