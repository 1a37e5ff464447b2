// Three clusters with the scheduling cycle: they preempt, tell one another their counters and choose by them, under every fault of
// forward_sim_test.cpp: no host has more slots taken than it has, every preempted job goes on, and the counters are the sums of the jobs.
#include <iostream>

#include "tests/sim/forward_sim.hpp"

namespace rollcall::sched {
namespace {

using ForwardCyclesSim = ForwardSim;

// Every fault at once, in clusters that schedule, preempt, tell their counters and choose by them.
TEST_F(ForwardCyclesSim, WithEveryFaultPreemptedJobsGoOnAndCountersAreRight) {
  each(500, forward_knobs()
                .with("cycles", 1)
                .with("jobs", 14)
                .with("turns", 300)
                .with("duplicates", 10)
                .with("lost_stores", 1));
  EXPECT_GT(seen_.preemptions, 10);
  EXPECT_GT(seen_.abroad, 2);
  EXPECT_GT(seen_.forwards, 100);
  EXPECT_GT(seen_.returns, 50);
  EXPECT_GT(seen_.deaths, 50);
  EXPECT_GT(seen_.repeated, 50);
  if (number("ROLLCALL_SIM_SEEDS", 500) >= 100) {  // a sanitizer's few worlds may have none
    EXPECT_GT(seen_.stores_lost, 10);
    EXPECT_GT(seen_.refused, 100);
  }
}

TEST_F(ForwardCyclesSim, WithUsersPreemptedJobsOfOtherClustersLiveOnce) {
  each(100, forward_knobs().with("cycles", 1).with("turns", 300).with("people", 1).with("duplicates", 10));
  EXPECT_GT(seen_.preemptions, 3);
  EXPECT_GT(seen_.abroad, 2);
  EXPECT_GT(seen_.forwards, 100);
  EXPECT_GT(seen_.returns, 50);
  EXPECT_GT(seen_.deaths, 100);
  EXPECT_GT(seen_.repeated, 50);
}

// One world again and again, in which nothing breaks but one master, at another point each time.
TEST_F(ForwardCyclesSim, ACrashAtAnyCommitPointLosesNoJob) {
  Knobs quiet = forward_knobs().with("cycles", 1).with("jobs", 6).with("turns", 120);
  for (const char* fault : {"breaks", "deaths", "host_links", "failed_commits", "full_disks", "repeats"})
    quiet = quiet.with(fault, 0);
  constexpr int kNever = 1'000'000;
  const Played calm = play(quiet.with("dies_at", kNever));
  ASSERT_EQ(calm.trouble, "") << told(quiet, calm);
  EXPECT_GT(calm.seen.points, 500);
  EXPECT_GT(calm.seen.forwards, 3);
  const int worlds = number("ROLLCALL_SIM_SEEDS", 500);
  const int step = worlds > 500 ? 1 : worlds == 500 ? 7 : 97;
  for (int point = 1; point <= calm.seen.points; point += step) {
    const Knobs one = quiet.with("dies_at", point);
    const Played played = play(one);
    ASSERT_EQ(played.trouble, "") << told(one, played);
    ASSERT_EQ(played.seen.deaths, 1) << point;
  }
  std::cout << calm.seen.points << " points, " << calm.seen.forwards << " forwards\n";
}

}  // namespace
}  // namespace rollcall::sched
