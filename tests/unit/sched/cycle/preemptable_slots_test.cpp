// How many slots a queue could have by preemption.
#include "sched/policy/cycle/preemptable_slots.hpp"

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kFourQueues = queue("high", 40, "PREEMPTION = PREEMPTIVE[low]\n") +
                                queue("top", 50, "PREEMPTION = PREEMPTIVE\nHOSTS = hostA\n") +
                                queue("low", 20) + queue("idle", 10);

// "top 3 of 10": slots, and the lowest PRIORITY of their jobs; queues that preempt no queue are left out.
std::string counted(const std::string& text) {
  const Scenario scenario = scenario_of(text);
  const auto queues = preemptable_slots(scenario.snapshot, scenario.now);
  std::string said;
  for (QueueNumber queue = 0; queue < queues.size(); ++queue) {
    if (scenario.snapshot.rules().preempts[queue].empty()) continue;
    said += (said.empty() ? "" : ", ") + scenario.snapshot.rules().queues[queue].name + " " +
            std::to_string(queues[queue].slots);
    if (const auto lowest = queues[queue].lowest_priority) said += " of " + std::to_string(*lowest);
  }
  return said;
}
std::string running_jobs(const std::string& rows) {
  return running("JOB USER QUEUE HOSTS SUSPENDED EXCLUSIVE PREEMPTIONS\n" + rows);
}

TEST(PreemptableSlots, CountJobsOfLowerQueuesOnHostsOfTheQueue) {
  EXPECT_EQ(counted(kTwoHosts + kFourQueues), "high 0, top 0");
  EXPECT_EQ(
      counted(kTwoHosts + kFourQueues +
              running_jobs("1 ann low (2*hostA) - - -\n2 ann low (hostB) - - -\n3 ann idle (hostA) - - -\n"
                           "4 ann high (hostA) - - -\n5 ann top (hostB) - - -\n")),
      "high 3 of 20, top 4 of 10");
}

TEST(PreemptableSlots, TellTheLowestPriorityOfQueuesWithSuchJobs) {
  EXPECT_EQ(counted(kTwoHosts + kFourQueues + running_jobs("2 ann low (hostA) - - -\n")),
            "high 1 of 20, top 1 of 20");
}

TEST(PreemptableSlots, CountNoneWithoutPreemption) {
  EXPECT_EQ(
      counted(kTwoHosts + queue("high", 40) + queue("low", 20) + running_jobs("1 ann low (hostA) - - -\n")),
      "");
}

TEST(PreemptableSlots, LeaveOutJobsThatAreLeftAlone) {
  EXPECT_EQ(counted(kTwoHosts + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") +
                    queue("low", 20, "MAX_JOB_PREEMPT = 1\nEXCLUSIVE = Y\n") +
                    running_jobs("1 ann low (hostA) PREEMPT - -\n2 ann low (hostB) - Y -\n"
                                 "3 ann low (hostA) - - 1\n4 ann low (hostA) - - -\n")),
            "high 1 of 20");
}

TEST(PreemptableSlots, LeaveOutHostsThatAcceptNoJobs) {
  const std::string machines =
      "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA closed 4 0.1 0 9\nhostB ok 4 0.2 0 9\n"
      "hostC unavail 4 0.3 0 9\nEnd Machine\n";
  EXPECT_EQ(counted(machines + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20) +
                    running_jobs("1 ann low (hostA hostB) - - -\n2 ann low (2*hostB) - - -\n"
                                 "3 ann low (hostB hostC) - - -\n")),
            "high 3 of 20")
      << "job 3 is not suspended while hostC is away";
}

TEST(PreemptableSlots, AreNoMoreThanAHostHas) {
  EXPECT_EQ(counted(kTwoHosts + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20) +
                    "Begin Host\nHOST_NAME MXJ\nhostA 2\ndefault !\nEnd Host\n" +
                    running_jobs("1 ann low (3*hostA) - - -\n2 ann high (hostA) - - -\n")),
            "high 1 of 20");
}

// A cycle gives serial jobs without requirements as many slots as were counted.
TEST(PreemptableSlots, AreWhatACyclePreempts) {
  const std::string text =
      kTwoHosts + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20) +
      running_jobs("1 ann low (4*hostA) - - -\n2 ann low (3*hostB) - - -\n3 ann high (hostB) - - -\n");
  EXPECT_EQ(counted(text), "high 7 of 20");
  Scenario scenario = scenario_of(text + pending("JOB USER QUEUE\n9[1-20] bob high\n"));
  std::size_t started = 0;
  for (int cycle = 0; cycle < 5; ++cycle, scenario.now.us += 1'000'000) {
    const Plan plan = schedule(scenario.snapshot, scenario.now);
    started += plan.dispatches.size();
    apply(plan, scenario.now, scenario.snapshot);
  }
  EXPECT_EQ(started, 7U);
}

}  // namespace
}  // namespace rollcall::sched::cycle
