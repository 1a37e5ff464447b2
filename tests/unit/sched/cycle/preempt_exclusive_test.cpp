// PREEMPT_JOBTYPE=EXCLUSIVE: jobs of -x that preempt, are preempted, and go on.
#include <map>
#include <random>

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kSwitch = "Begin Scenario\nLSB_DISABLE_LIMLOCK_EXCL = Y\nEnd Scenario\n";
const std::string kType = "Begin Parameters\nPREEMPT_JOBTYPE = EXCLUSIVE\nEnd Parameters\n";
const std::string kExclusiveQueues = queue("high", 40, "PREEMPTION = PREEMPTIVE\nEXCLUSIVE = Y\n") +
                                     queue("low", 20, "EXCLUSIVE = Y\n") +
                                     queue("idle", 10, "EXCLUSIVE = Y\n");
const std::string kTwoOfTwo =
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 2 0.1 0 9\nhostB ok 2 0.2 0 9\nEnd "
    "Machine\n";

std::string done(const Plan& plan, const Snapshot& snapshot) {
  std::string said;
  for (const Suspend& suspend : plan.suspends) said += "suspend " + sched::text(suspend.job) + ", ";
  for (const Resume& resume : plan.resumes) said += "resume " + sched::text(resume.job) + ", ";
  return said + "start " + starts(plan, snapshot);
}
std::string done(const std::string& text) {
  const Scenario scenario = scenario_of(text);
  return done(schedule(scenario.snapshot, scenario.now), scenario.snapshot);
}
std::string rows(const std::string& running_rows, const std::string& pending_rows) {
  return running("JOB USER QUEUE HOSTS EXCLUSIVE SUSPENDED\n" + running_rows) +
         (pending_rows.empty() ? "" : pending("JOB USER QUEUE EXCLUSIVE SLOTS\n" + pending_rows));
}

TEST(PreemptExclusive, NeedsBothParameters) {
  const std::string text = kTwoOfTwo + kExclusiveQueues +
                           rows("1 ann low (hostA) Y -\n2 ann low (hostB) Y -\n", "9 bob high - 1\n");
  EXPECT_EQ(done(text), "start ");
  EXPECT_EQ(done(text + kType), "start ");
  EXPECT_EQ(done(text + kSwitch), "start ");
  EXPECT_EQ(done(text + kType + kSwitch), "suspend 1, start 9 hostA");
}

TEST(PreemptExclusive, AJobThatWantsAHostAloneStopsAllItsJobs) {
  const std::string site = kTwoOfTwo + kExclusiveQueues + kType + kSwitch;
  EXPECT_EQ(done(site + rows("1 ann low (hostA) - -\n2 ann idle (hostA) - -\n3 ann high (hostB) - -\n",
                             "9 bob high Y 1\n")),
            "suspend 2, suspend 1, start 9 hostA");
  EXPECT_EQ(done(site + rows("1 ann low (hostA) - -\n2 ann high (hostA) - -\n3 ann high (hostB) - -\n",
                             "9 bob high Y 1\n")),
            "start ");
  EXPECT_EQ(done(site + rows("1 ann low (hostA) Y -\n3 ann high (hostB) - -\n", "9 bob high Y 1\n")),
            "suspend 1, start 9 hostA");
}

TEST(PreemptExclusive, OnePreemptedJobDoesNotStandInTheWayOfTheNext) {
  EXPECT_EQ(done(kTwoOfTwo + kExclusiveQueues + kType + kSwitch +
                 rows("1 ann low (hostA) Y PREEMPT\n3 ann high (hostB) - -\n", "9 bob high Y 1\n")),
            "start 9 hostA");
}

TEST(PreemptExclusive, TheRestOfTheHostIsFreeInTheNextCycle) {
  Scenario scenario = scenario_of(
      kTwoOfTwo + kExclusiveQueues + kType + kSwitch +
      rows("1 ann low (hostA) Y -\n2 ann low (hostB) Y -\n", "9 bob high - 1\n10 bob idle - 1\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  EXPECT_EQ(done(plan, scenario.snapshot), "suspend 1, start 9 hostA");
  ASSERT_TRUE(plan.next_look);
  EXPECT_EQ(plan.next_look->us, scenario.now.us + 1);
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(done(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "start 10 hostA");
}

TEST(PreemptExclusive, GoesOnWhenItsHostIsEmpty) {
  const std::string site = kTwoOfTwo + kExclusiveQueues + kType + kSwitch;
  EXPECT_EQ(done(site + rows("1 ann low (hostA) Y PREEMPT\n2 ann high (hostA) - -\n", "")), "start ");
  EXPECT_EQ(done(site + rows("1 ann low (hostA) Y PREEMPT\n", "9 bob idle - 1\n")),
            "resume 1, start 9 hostB");
  EXPECT_EQ(done(site + rows("1 ann low (hostA) - PREEMPT\n2 ann high (hostA) Y -\n", "")), "start ");
}

// The hosts were ranked for job 9, before job 1 went on; hostC has slots, and not enough.
TEST(PreemptExclusive, NoneStartsBesideOneThatGoesOnInTheSameCycle) {
  const std::string three =
      "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 2 0.1 0 9\nhostB ok 2 0.2 0 9\n"
      "hostC ok 2 0.3 0 9\nEnd Machine\n";
  EXPECT_EQ(done(three + kExclusiveQueues + kType + kSwitch +
                 rows("1 ann low (hostB) Y PREEMPT\n", "9 bob high - 2\n10 bob idle - 3\n")),
            "resume 1, start 9 2*hostA");
}

// No job of -x ever runs beside another one, no host runs more than it has, and every job ends.
TEST(PreemptExclusive, JobsAreAloneAndAllGoOn) {
  std::size_t suspended = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&random](int least, int most) {
      return least + static_cast<int>(random() % static_cast<std::uint32_t>(most - least + 1));
    };
    Scenario scenario = scenario_of(
        kTwoOfTwo + kExclusiveQueues + kSwitch + "Begin Parameters\nPREEMPT_JOBTYPE = EXCLUSIVE\n" +
        (seed % 2 == 0 ? "PREEMPT_FOR = OPTIMAL_MINI_JOB\n" : "") + "End Parameters\n");
    Snapshot& snapshot = scenario.snapshot;
    int last = 0;
    for (int round = 0; round < 60; ++round, scenario.now.us += 1'000'000) {
      for (int i = number(0, 1); i > 0 && round < 40; --i) {
        Demand demand;
        demand.queue = std::vector<const char*>{"high", "low", "idle"}[random() % 3];
        demand.exclusive = number(0, 1) == 0;
        demand.min_slots = demand.max_slots = number(1, 3);
        PendingJob job;
        job.key = {++last, 0};
        job.order = last;
        job.demand = snapshot.demand(demand);
        snapshot.wait(std::move(job));
      }
      const Plan plan = schedule(snapshot, scenario.now);
      suspended += plan.suspends.size();
      apply(plan, scenario.now, snapshot);
      ASSERT_EQ(snapshot.broken_invariant(), "") << "seed " << seed;
      for (HostNumber host = 0; host < 2; ++host) {
        int slots = 0, jobs = 0, exclusive = 0;
        for (const JobKey key : snapshot.jobs_on(host))
          if (const PlacedJob& job = *snapshot.placed(key); job.suspended == 0) {
            ++jobs;
            exclusive += job.placement.exclusive ? 1 : 0;
            for (const SlotsOn& on : job.placement.hosts) slots += on.host == host ? on.slots : 0;
          }
        ASSERT_LE(slots, 2) << "seed " << seed << " round " << round;
        ASSERT_TRUE(exclusive == 0 || jobs == 1) << "seed " << seed << " round " << round;
      }
      std::vector<JobKey> over;
      for (const auto& [key, job] : snapshot.placed_jobs())
        if (job.suspended == 0) over.push_back(key);
      std::sort(over.begin(), over.end());
      for (const JobKey key : over)
        if (round >= 40 || number(0, 3) == 0) snapshot.forget(key);
    }
    ASSERT_EQ(snapshot.placed_count() + snapshot.pending_count(), 0U) << "seed " << seed;
  }
  EXPECT_GT(suspended, 300U);
}

}  // namespace
}  // namespace rollcall::sched::cycle
