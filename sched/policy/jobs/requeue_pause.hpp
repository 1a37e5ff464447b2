// How long a job waits after a run that REQUEUE_EXIT_VALUES sends back: the pace of jobs that end at once. A function.
//
//   run            | short runs so far | next start
//   ---------------+-------------------+--------------------------------------
//   10 s and more  | any               | at once, and the count begins anew
//   shorter        | 0                 | at once
//   shorter        | 1, 2, 3, ...      | after 1, 2, 4, ... s, at most `longest_s`
//
// No manual states a pause: docs/decisions/0066. What ends one early, and where it is kept, is job_life.hpp's.
#pragma once

#include <cstdint>

namespace rollcall::sched::jobs {

inline constexpr std::int64_t kShortRunUs = 10'000'000;  // a run that lasts so long is no short one

struct RequeuePause {
  std::int32_t short_runs = 0;  // one after the other, this one included
  std::int64_t pause_s = 0;
};
// `short_runs`: before this one. `run_us`: from its dispatch to its end. `longest_s` 0: there are no pauses.
RequeuePause requeue_pause(std::int32_t short_runs, std::int64_t run_us, std::int64_t longest_s);

}  // namespace rollcall::sched::jobs
