// What bsched-query says of preemption: which running jobs a job preempts and why these, which jobs it passed over and why.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::cycle {

// One attempt of the log in words.
struct ToldPreemption {
  struct Victim {
    JobKey job;
    std::string who;  // "job 4 of queue low (PRIORITY 20) on hostA"
    std::string why;  // the rule that chose its queue
  };
  JobKey job;
  std::string result;  // "Job <9> of queue high (PRIORITY 40) preempts 1 job"
  std::vector<Victim> victims;
  // Every other job that has hosts, those with one reason together. Empty where the job did not try.
  std::vector<std::pair<std::vector<JobKey>, std::string>> passed_over;
};
ToldPreemption told(const Snapshot& before, WallTime now, const PreemptionLog& log,
                    const PreemptionAttempt& attempt);
// The attempt that concerns the job: the one that it made, that preempts it, or that a job of its demand made. nullptr: none.
const PreemptionAttempt* attempt_of(const Snapshot& before, const PreemptionLog& log, JobKey job);

// `job`: one that preempts, would preempt, or is preempted. `before`: the snapshot that the plan was made of, with `log`.
// "": the cycle tried no preemption for it, and preempts it for no job.
std::string preemption_text(const Snapshot& before, WallTime now, const PreemptionLog& log, JobKey job);

}  // namespace rollcall::sched::cycle
