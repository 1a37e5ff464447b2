#include "sched/policy/values/job_exceptions.hpp"

#include "common/conf/row_reader.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {

namespace {
constexpr double kIdleAfterMinutes = 20;
}

ExceptionLimits exception_limits(std::string_view overrun, std::string_view underrun, std::string_view idle) {
  return {conf::parse_real(overrun), conf::parse_real(underrun), conf::parse_real(idle)};
}

std::string job_exceptions(const wire::JobRecord& job, const ExceptionLimits& limits, WallTime now) {
  const bool over = finished(job.status());
  if (job.start_us() == 0 || (!over && !placed(job.status()))) return "";
  const double seconds = static_cast<double>((over ? job.end_us() : now.us) - job.start_us()) / 1e6;
  const double minutes = seconds / 60;
  std::string words;
  const auto add = [&words](bool is, const char* word) {
    if (is) words += (words.empty() ? "" : " ") + std::string(word);
  };
  add(limits.overrun_minutes && minutes >= *limits.overrun_minutes, "overrun");
  add(over && limits.underrun_minutes && minutes < *limits.underrun_minutes, "underrun");
  const double cpu = job.usage().user_s() + job.usage().system_s();
  add(job.status() == wire::STATUS_RUN && limits.idle && minutes >= kIdleAfterMinutes &&
          cpu / seconds < *limits.idle,
      "idle");
  return words;
}

}  // namespace rollcall::sched
