// A user or a group that has reached a limit preempts own jobs of lower queues: "If starting a preemptive job violates a job slot limit, a
// lower-priority job is suspended" (preemption_rules.hpp: which limits leave preempted jobs out).
#include <algorithm>
#include <random>

#include "sched/policy/cycle/preemption_text.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kHighOverLow = queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20);
const std::string kTeam = "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\nteam (ann bob)\nEnd UserGroup\n";

std::string max_jobs_of(const std::string& name, int max_jobs) {
  return "Begin User\nUSER_NAME MAX_JOBS\n" + name + " " + std::to_string(max_jobs) + "\nEnd User\n";
}
std::string limit_section(const std::string& rows) {
  return "Begin Limit\nNAME = l\n" + rows + "End Limit\n";
}
std::string params_of(const std::string& rows) { return "Begin Parameters\n" + rows + "\nEnd Parameters\n"; }

TEST(PreemptAtLimit, AUserAtMaxJobsPreemptsAnOwnJob) {
  EXPECT_EQ(said(kTwoHosts + kHighOverLow + max_jobs_of("ann", 2) +
                 running("JOB USER QUEUE HOSTS AGE\n1 bob low (hostA) 10\n2 ann low (hostA) 90\n"
                         "3 ann low (hostB) 50\n") +
                 pending("JOB USER QUEUE\n9 ann high\n")),
            "suspend 2 for 9, start 9 hostA");
}

TEST(PreemptAtLimit, OneJobStopsForEachThatStarts) {
  EXPECT_EQ(said(kTwoHosts + kHighOverLow + max_jobs_of("ann", 3) +
                 running("JOB USER QUEUE HOSTS AGE\n1 ann low (hostA) 10\n2 ann low (hostA) 90\n"
                         "3 ann high (hostB) 50\n") +
                 pending("JOB USER QUEUE\n7 ann high\n8 ann high\n9 ann high\n")),
            "suspend 1 for 7, suspend 2 for 8, start 7 hostA, 8 hostA");
}

TEST(PreemptAtLimit, AJobWaitsWhereTheLimitCountsNoJobOfALowerQueue) {
  EXPECT_EQ(said(kTwoHosts + kHighOverLow + max_jobs_of("ann", 1) +
                 running("JOB USER QUEUE HOSTS\n1 bob low (hostA)\n2 ann high (hostA)\n") +
                 pending("JOB USER QUEUE\n9 ann high\n")),
            "");
}

TEST(PreemptAtLimit, AParallelJobPreemptsAsManyAsItNeeds) {
  const std::string text =
      kTwoHosts + kHighOverLow + max_jobs_of("ann", 4) +
      running(
          "JOB USER QUEUE HOSTS AGE\n1 ann low (2*hostA) 10\n2 ann low (hostB) 90\n3 ann low (hostB) 80\n"
          "4 bob low (2*hostB) 70\n");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE SLOTS\n9 ann high 2\n")), "suspend 1 for 9, start 9 2*hostA");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE SLOTS\n9 ann high 4\n")),
            "suspend 1 for 9, suspend 3 for 9, suspend 2 for 9, start 9 4*hostA");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE SLOTS\n9 ann high 5\n")), "");
}

TEST(PreemptAtLimit, TheSlotOfAFullClusterAndTheLimitMayBeOfOneJob) {
  const std::string full = running(
      "JOB USER QUEUE HOSTS AGE\n1 bob low (4*hostA) 10\n2 ann low (hostB) 90\n3 bob low (3*hostB) 5\n");
  EXPECT_EQ(
      said(kTwoHosts + kHighOverLow + max_jobs_of("ann", 1) + full + pending("JOB USER QUEUE\n9 ann high\n")),
      "suspend 2 for 9, start 9 hostB");
  // Its own job runs where the new one may not: two jobs have to stop.
  EXPECT_EQ(said(kTwoHosts + kHighOverLow + max_jobs_of("ann", 1) + full +
                 pending("JOB USER QUEUE HOSTS\n9 ann high (hostA)\n")),
            "suspend 2 for 9, suspend 1 for 9, start 9 hostA");
}

TEST(PreemptAtLimit, AGroupDoesSoWithPreemptForAlone) {
  const std::string text = kTwoHosts + kHighOverLow + kTeam + max_jobs_of("team", 1) +
                           running("JOB USER QUEUE HOSTS\n1 bob low (hostA)\n") +
                           pending("JOB USER QUEUE\n9 ann high\n");
  EXPECT_EQ(said(text), "");
  EXPECT_EQ(said(text + params_of("PREEMPT_FOR = GROUP_MAX")), "suspend 1 for 9, start 9 hostA");
}

TEST(PreemptAtLimit, ALimitOnAHostFreesTheSlotsOfThatHost) {
  const std::string text =
      kTwoHosts + kHighOverLow + "Begin Host\nHOST_NAME MXJ JL/U\ndefault ! 1\nEnd Host\n" +
      running("JOB USER QUEUE HOSTS AGE\n1 ann low (hostA) 90\n2 bob low (hostA) 5\n3 ann high (hostB) 5\n") +
      pending("JOB USER QUEUE\n9 ann high\n");
  EXPECT_EQ(said(text), "");
  EXPECT_EQ(said(text + params_of("PREEMPT_FOR = HOST_JLU")), "suspend 1 for 9, start 9 hostA");
}

TEST(PreemptAtLimit, LimitsThatCountPreemptedJobsKeepTheJobWaiting) {
  for (const char* const rows : {"USERS = ann\nQUEUES = low high\nSLOTS = 1\n", "USERS = ann\nJOBS = 1\n"})
    EXPECT_EQ(
        said(kTwoHosts + kHighOverLow + limit_section(rows) +
             running("JOB USER QUEUE HOSTS\n1 ann low (hostA)\n") + pending("JOB USER QUEUE\n9 ann high\n")),
        "")
        << rows;
}

TEST(PreemptAtLimit, PreemptDelayCountsForItToo) {
  const std::string text = kTwoHosts + queue("low", 20) + max_jobs_of("ann", 1) +
                           queue("high", 40, "PREEMPTION = PREEMPTIVE\nPREEMPT_DELAY = 100\n") +
                           running("JOB USER QUEUE HOSTS\n1 ann low (hostA)\n");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE AGE\n9 ann high 99\n")), "");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE AGE\n9 ann high 100\n")), "suspend 1 for 9, start 9 hostA");
}

TEST(PreemptAtLimit, WhatAVictimCountedIsLeftToNoOtherJobOfTheCycle) {
  const std::string text = kTwoHosts + kHighOverLow + max_jobs_of("ann", 3) +
                           running("JOB USER QUEUE HOSTS\n1 ann low (3*hostA)\n") +
                           pending("JOB USER QUEUE\n8 ann high\n9 ann low\n");
  EXPECT_EQ(said(text), "suspend 1 for 8, start 8 hostA");
}

TEST(PreemptAtLimit, APreemptedJobPreemptsAnOwnJobToGoOn) {
  EXPECT_EQ(
      said(kTwoHosts + kHighOverLow + max_jobs_of("ann", 1) +
           running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann high (hostA) PREEMPT\n2 ann low (hostB) -\n")),
      "suspend 2 for 1, resume 1");
}

TEST(PreemptAtLimit, IsExplained) {
  const auto why = [](const std::string& rows) {
    return explained(
        scenario_of(kTwoHosts + kHighOverLow + max_jobs_of("ann", 1) +
                    running("JOB USER QUEUE HOSTS\n" + rows) + pending("JOB USER QUEUE\n9 ann high\n")),
        {9, 0});
  };
  const std::string preempts = why("1 ann low (hostA)\n2 bob low (hostB)\n");
  EXPECT_EQ(preempts.substr(0, preempts.find('\n')), "Job <9> of queue high (PRIORITY 40) preempts 1 job");
  EXPECT_NE(preempts.find("job 2: its end would not be needed for the limit"), std::string::npos) << preempts;
  const std::string waits = why("1 ann high (hostA)\n2 bob low (hostB)\n");
  EXPECT_NE(waits.find("preempts no job: those that it may preempt count too little for MAX_JOBS"),
            std::string::npos)
      << waits;
}

// Random clusters, cycle after cycle: no user has more running slots than MAX_JOBS.
TEST(PreemptAtLimit, NoPlanExceedsALimit) {
  int stopped = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto one_of = [&random](const std::vector<std::string>& words) {
      return words[random() % words.size()];
    };
    std::vector<std::string> hosts{"hostA", "hostA", "hostA", "hostA", "hostB", "hostB", "hostB"};
    std::shuffle(hosts.begin(), hosts.end(), random);
    const std::string kUsers[] = {"ann", "ann", "ann", "bob", "bob", "bob", "cat"};
    std::string runs = "JOB USER QUEUE HOSTS AGE\n", waits = "JOB USER QUEUE SLOTS\n";
    for (int job = 1; job <= 7; ++job)
      runs += std::to_string(job) + " " + kUsers[job - 1] + " low (" +
              hosts[static_cast<std::size_t>(job) - 1] + ") " + std::to_string(random() % 90) + "\n";
    for (int job = 11; job <= 18; ++job)
      waits += std::to_string(job) + " " + one_of({"ann", "bob", "cat"}) + " " +
               one_of({"low", "high", "high"}) + " " + one_of({"1", "1", "2", "3"}) + "\n";
    Scenario scenario =
        scenario_of(kTwoHosts + kHighOverLow + max_jobs_of("default", 3) + running(runs) + pending(waits));
    for (int cycle = 0; cycle < 6; ++cycle) {
      const Plan plan = schedule(scenario.snapshot, scenario.now);
      stopped += static_cast<int>(plan.suspends.size());
      apply(plan, scenario.now, scenario.snapshot);
      std::map<std::string, int> slots;
      for (const auto& [key, job] : scenario.snapshot.placed_jobs())
        if (job.suspended == 0)
          for (const SlotsOn& on : job.placement.hosts)
            slots[scenario.snapshot.demand(job.demand).user] += on.slots;
      for (const auto& [user, number] : slots) EXPECT_LE(number, 3) << user << " seed " << seed;
    }
  }
  EXPECT_GT(stopped, 300);
}

}  // namespace
}  // namespace rollcall::sched::cycle
