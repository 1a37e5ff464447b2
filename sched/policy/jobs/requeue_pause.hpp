// requeue_pause: how long a job pends after a run that REQUEUE_EXIT_VALUES requeues, so that a job that ends at once does not start
// again at once for ever. A pure function.
//
//   run            | short runs so far | next start
//   ---------------+-------------------+--------------------------------------
//   10 s and more  | any               | at once, and the count begins anew
//   shorter        | 0                 | at once
//   shorter        | 1, 2, 3, ...      | after 1, 2, 4, ... s, at most `longest_s`
//
// LSF's manuals know no such pause: docs/decisions/0066. job_life.hpp lists what ends one early.
#pragma once

#include <cstdint>

namespace rollcall::sched::jobs {

inline constexpr std::int64_t kShortRunUs = 10'000'000;  // shorter runs are short

struct RequeuePause {
  std::int32_t short_runs = 0;  // in succession, this one included
  std::int64_t pause_s = 0;
};
// `short_runs`: before this one. `run_us`: from its dispatch to its end. `longest_s` 0: there are no pauses.
RequeuePause requeue_pause(std::int32_t short_runs, std::int64_t run_us, std::int64_t longest_s);

}  // namespace rollcall::sched::jobs
