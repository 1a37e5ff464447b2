// JobClock: a job's time runs with the machine's, and stands still while the process is stopped.
#include "common/base/job_clock.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(JobClock, BeginsAtZeroAtAnyTimeOfTheMachine) {
  JobClock clock(hours(1000));
  EXPECT_EQ(clock.now(hours(1000)).since_start, Duration{0});
}

TEST(JobClock, GoesOnWithTheMachinesTime) {
  JobClock clock(seconds(5), seconds(1));
  EXPECT_EQ(clock.now(milliseconds(5700)).since_start, milliseconds(700));
  EXPECT_EQ(clock.now(milliseconds(6700)).since_start, milliseconds(1700));
  EXPECT_EQ(clock.now(milliseconds(8200)).since_start, milliseconds(3200))
      << "a turn that was half a tick late";
}

TEST(JobClock, AStopOfAnyLengthCountsAsOneLateTurn) {
  for (const Duration stop : {Duration(seconds(2)), Duration(hours(1)), Duration(hours(24 * 365))}) {
    JobClock clock(seconds(0), seconds(1));
    clock.now(seconds(1));
    EXPECT_EQ(clock.now(seconds(1) + stop).since_start, milliseconds(2500));
    EXPECT_EQ(clock.now(seconds(2) + stop).since_start, milliseconds(3500)) << "and then it goes on";
  }
}

TEST(JobClock, NeverGoesBack) {
  JobClock clock(seconds(10), seconds(1));
  clock.now(seconds(11));
  EXPECT_EQ(clock.now(seconds(3)).since_start, seconds(1));
  EXPECT_EQ(clock.now(seconds(4)).since_start, seconds(2));
}

}  // namespace
}  // namespace rollcall
