// JobTerms: what lsb.queues and lsb.applications say of one job: its queue and its application profile, and what comes of
// both and of what was asked. Pure functions; nothing is kept here.
//
//   limits            asked, else the profile's, else the queue's default; never above the queue's maximum. The one number that
//                     a profile has is a default; where it has two, the second is a maximum too
//   TASKLIMIT         the default of the profile, else of the queue; within the bounds of both
//   requirements      select and same: all of them; rusage: merged, the job first; other sections: job, profile, queue
//   pre-execution     the queue's, then the job's, else the profile's; post-execution the other way round
//   JOB_STARTER, NICE, REQUEUE_EXIT_VALUES, RERUNNABLE, job controls, retries   of the profile, else of the queue; -Q, -r first
// A job whose profile is gone from lsb.applications has its queue's alone: those that run go on, others wait (job_obstacle.hpp).
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
  const conf::QueueRow* queue = nullptr;                  // none: it is gone
  const conf::ApplicationProfile* application = nullptr;  // none: not asked for, or gone
};
JobTerms terms_of(const ConfigView& config, std::string_view queue, const wire::Submission& asked);

JobRules job_rules(const ConfigView& config, const JobTerms& terms, const wire::Submission& asked);

wire::Limits effective_limits(const JobTerms& terms, const wire::Limits& asked);
// A limit of `asked` that the job may not have: its name ("MEMLIMIT"); "" where all are allowed.
std::string limit_above(const conf::QueueRow& queue, const wire::Limits& asked);
std::string limit_above(const conf::ApplicationProfile& profile, const wire::Limits& asked);

// "[minimum [default]] maximum" of PROCLIMIT.
struct SlotLimits {
  int least = 1, standard = 1, most = 0;  // most 0: no limit
};
SlotLimits slot_limits(const conf::JobDefaults& defaults);
SlotLimits slot_limits(const JobTerms& terms);

// What runs before, after and round the job, besides the queue's own pre- and post-execution.
struct JobPrograms {
  std::string pre_exec, post_exec;  // the job's, else the profile's
  std::string job_starter;
  int nice = 0;
  conf::JobControls controls;
};
JobPrograms programs_of(const JobTerms& terms, const wire::Submission& asked);

// -n as it counts: 1 where it was not given.
inline std::uint32_t min_slots(const wire::Submission& asked) {
  return asked.min_slots() == 0 ? 1 : asked.min_slots();
}

}  // namespace rollcall::sched::jobs
