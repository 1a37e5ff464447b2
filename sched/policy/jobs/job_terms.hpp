// JobTerms: the rows of lsb.queues and lsb.applications for one job, and the rules that merge them with the submission. Pure
// functions; nothing is kept here.
//
//   limits            the submission's, else the profile's, else the queue's default; never above the queue's maximum. A single
//                     number of a profile is a default; of two, the second is a maximum too
//   TASKLIMIT         the default of the profile, else of the queue; within the bounds of both
//   requirements      select and same: all of them; rusage: merged, the job first; other sections: job, profile, queue
//   pre-execution     the queue's, then the job's, else the profile's; post-execution the other way round
//   JOB_STARTER, NICE, REQUEUE_EXIT_VALUES, RERUNNABLE, job controls, retries   of the profile, else of the queue; -Q, -r first
// A job whose profile is gone from lsb.applications has its queue's terms alone. It goes on if it runs; if it pends, it waits
// (job_obstacle.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/jobs/job_life.hpp"
#include "sched/policy/values/book_config.hpp"

namespace rollcall::sched::jobs {

struct JobTerms {
  const conf::QueueRow* queue = nullptr;                  // nullptr: it is gone
  const conf::ApplicationProfile* application = nullptr;  // nullptr: the job has none, or it is gone
};
JobTerms terms_of(const ConfigView& config, std::string_view queue, const wire::Submission& asked);

JobRules job_rules(const ConfigView& config, const JobTerms& terms, const wire::Submission& asked);

// When the job may be preempted and preempt: the profile's values, else the queue's, else those of lsb.params.
conf::PreemptionLimits preemption_limits(const ConfigView& config, const JobTerms& terms);

wire::Limits effective_limits(const JobTerms& terms, const wire::Limits& asked);
// The name ("MEMLIMIT") of a limit of `asked` that exceeds the maximum; "": all are allowed.
std::string limit_above(const conf::QueueRow& queue, const wire::Limits& asked);
std::string limit_above(const conf::ApplicationProfile& profile, const wire::Limits& asked);

// "[minimum [default]] maximum" of PROCLIMIT.
struct SlotLimits {
  int least = 1, standard = 1, most = 0;  // most 0: no limit
};
SlotLimits slot_limits(const conf::JobDefaults& defaults);
SlotLimits slot_limits(const JobTerms& terms);

// Programs that run before, after and around the job, besides the queue's own pre- and post-execution.
struct JobPrograms {
  std::string pre_exec, post_exec;  // the job's, else the profile's
  std::string job_starter;
  int nice = 0;
  conf::JobControls controls;
};
JobPrograms programs_of(const JobTerms& terms, const wire::Submission& asked);
// bsub -r and -rn, else the profile's word, else the queue's.
bool rerunnable(const JobTerms& terms, const wire::Submission& asked);

// The minimum of -n; 1 without -n.
inline std::uint32_t min_slots(const wire::Submission& asked) {
  return asked.min_slots() == 0 ? 1 : asked.min_slots();
}

}  // namespace rollcall::sched::jobs
