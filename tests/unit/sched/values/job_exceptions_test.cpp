// Jobs that run longer, shorter or idler than their queue expects.
#include "sched/policy/values/job_exceptions.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched {
namespace {

constexpr std::int64_t kMinute = 60'000'000;

wire::JobRecord job_of(wire::JobStatus status, std::int64_t minutes) {
  wire::JobRecord job;
  job.set_status(status);
  job.set_start_us(100 * kMinute);
  if (status == wire::STATUS_DONE) job.set_end_us((100 + minutes) * kMinute);
  return job;
}
std::string told(const wire::JobRecord& job, const ExceptionLimits& limits, std::int64_t minutes) {
  return job_exceptions(job, limits, WallTime{(100 + minutes) * kMinute});
}

TEST(JobExceptions, JobThatRunsTooLongIsAnOverrun) {
  const auto limits = exception_limits("30", "", "");
  const auto job = job_of(wire::STATUS_RUN, 0);
  EXPECT_EQ(told(job, limits, 29), "");
  EXPECT_EQ(told(job, limits, 30), "overrun");
  EXPECT_EQ(told(job, exception_limits("", "", ""), 300), "");
  EXPECT_EQ(told(job_of(wire::STATUS_PEND, 0), limits, 300),
            "");  // what start_us says is of its last attempt
  EXPECT_EQ(told(job_of(wire::STATUS_DONE, 31), limits, 300), "overrun");
  EXPECT_EQ(told(job_of(wire::STATUS_DONE, 10), limits, 300), "");
}

TEST(JobExceptions, JobThatEndsTooSoonIsAnUnderrun) {
  const auto limits = exception_limits("", "5", "");
  EXPECT_EQ(told(job_of(wire::STATUS_RUN, 0), limits, 1), "");
  EXPECT_EQ(told(job_of(wire::STATUS_DONE, 4), limits, 300), "underrun");
  EXPECT_EQ(told(job_of(wire::STATUS_DONE, 5), limits, 300), "");
  wire::JobRecord never;
  never.set_status(wire::STATUS_EXIT);
  never.set_end_us(5);
  EXPECT_EQ(told(never, limits, 1), "");  // it was killed while it pended
}

TEST(JobExceptions, JobThatUsesLittleCpuIsIdle) {
  const auto limits = exception_limits("25", "", "0.10");
  auto job = job_of(wire::STATUS_RUN, 0);
  job.mutable_usage()->set_user_s(100);
  EXPECT_EQ(told(job, limits, 19), "");  // 0.088, but it may still be starting
  EXPECT_EQ(told(job, limits, 20), "idle");
  EXPECT_EQ(told(job, limits, 30), "overrun idle");
  job.mutable_usage()->set_system_s(1000);
  EXPECT_EQ(told(job, limits, 20), "");
  job.clear_usage();
  job.set_status(wire::STATUS_USUSP);
  EXPECT_EQ(told(job, limits, 20), "");  // it cannot do anything
}

}  // namespace
}  // namespace rollcall::sched
