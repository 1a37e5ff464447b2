// Job exceptions: jobs that run longer or shorter than their queue expects, or that are idle. Functions.
//
// lsb.queues(5): JOB_OVERRUN, JOB_UNDERRUN (minutes), JOB_IDLE (CPU time to run time). Exceptions are only shown (bjobs -x,
// bacct -x, exception_status); mbatchd takes no action on such a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/wall_time.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched {

struct ExceptionLimits {
  std::optional<double> overrun_minutes, underrun_minutes, idle;
};
// From the texts of the three keywords; "" or an invalid number: no limit.
ExceptionLimits exception_limits(std::string_view overrun, std::string_view underrun, std::string_view idle);

// The words "overrun", "underrun", "idle" that apply, separated by blanks; "": none. A job counts as idle only after it has run for
// 20 minutes, so that a slow start does not count.
std::string job_exceptions(const wire::JobRecord& job, const ExceptionLimits& limits, WallTime now);

}  // namespace rollcall::sched
