#include "sched/policy/jobs/requeue_pause.hpp"

#include <algorithm>

namespace rollcall::sched::jobs {

RequeuePause requeue_pause(std::int32_t short_runs, std::int64_t run_us, std::int64_t longest_s) {
  constexpr std::int32_t kMostDoublings = 30;  // 34 years: beyond what a parameter can say
  if (run_us >= kShortRunUs) return {};
  RequeuePause next;
  next.short_runs = std::clamp(short_runs, 0, 1'000'000) + 1;
  if (next.short_runs > 1)
    next.pause_s = std::min(longest_s, std::int64_t{1} << std::min(next.short_runs - 2, kMostDoublings));
  return next;
}

}  // namespace rollcall::sched::jobs
