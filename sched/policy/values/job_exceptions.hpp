// Job exceptions: jobs that run longer or shorter than their queue expects of jobs, or that run and do nothing. Functions.
//
// lsb.queues(5): JOB_OVERRUN, JOB_UNDERRUN (minutes), JOB_IDLE (CPU time to run time). They are shown (bjobs -x, bacct -x,
// exception_status); nothing is done about such a job by itself.
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
// Of the three keywords as they are written; "" or what is no number: none.
ExceptionLimits exception_limits(std::string_view overrun, std::string_view underrun, std::string_view idle);

// "overrun", "underrun", "idle", blanks between; "" for none. A job is idle when it has run for 20 minutes and still does
// nothing: what starts slowly is not.
std::string job_exceptions(const wire::JobRecord& job, const ExceptionLimits& limits, WallTime now);

}  // namespace rollcall::sched
