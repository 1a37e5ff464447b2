// Preemption in the cycle: which queues, hosts and jobs, when none, and how preempted jobs go on.
#include <map>
#include <random>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/preemption_rules.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kHighOverLow = queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20);

// Rows of running and pending jobs: JOB USER QUEUE HOSTS AGE, and JOB USER QUEUE SLOTS RES_REQ.
std::string jobs(const std::string& running_rows, const std::string& pending_rows) {
  return running("JOB USER QUEUE HOSTS AGE\n" + running_rows) +
         (pending_rows.empty() ? "" : pending("JOB USER QUEUE SLOTS RES_REQ\n" + pending_rows));
}
std::string machines(int hosts, int cpus) {
  std::string text = "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\n";
  for (int i = 0; i < hosts; ++i)
    text += std::string("host") + static_cast<char>('A' + i) + " ok " + std::to_string(cpus) + " 0." +
            std::to_string(i + 1) + " 0 1000\n";
  return text + "End Machine\n";
}

// ---------------------------------------------------------------- which queues

struct Relation {
  const char* high;
  const char* low;
  int low_priority;
  bool preempts;
};

TEST(Preemption, IsAllowedByEitherQueueAndByPriorityAlone) {
  const Relation kTable[] = {
      {"", "", 20, false},
      {"PREEMPTIVE", "", 20, true},
      {"PREEMPTIVE", "", 40, false},
      {"PREEMPTIVE", "", 50, false},
      {"", "PREEMPTABLE", 20, true},
      {"", "PREEMPTABLE", 40, false},
      {"PREEMPTABLE", "PREEMPTIVE", 20, false},
      {"PREEMPTIVE[low]", "", 20, true},
      {"PREEMPTIVE[low+3]", "", 20, true},
      {"PREEMPTIVE[other]", "", 20, false},
      {"PREEMPTIVE[other]", "PREEMPTABLE", 20, true},
      {"", "PREEMPTABLE[high]", 20, true},
      {"", "PREEMPTABLE[other]", 20, false},
      {"PREEMPTIVE", "PREEMPTABLE[other]", 20, true},
      {"PREEMPTIVE[low] PREEMPTABLE", "PREEMPTABLE[other]", 20, true},
  };
  for (const auto& [high, low, priority, preempts] : kTable) {
    const auto row = [](const char* words) {
      return *words == 0 ? std::string() : "PREEMPTION = " + std::string(words) + "\n";
    };
    const Scenario scenario = scenario_of(machines(1, 1) + queue("high", 40, row(high)) +
                                          queue("low", priority, row(low)) + queue("other", 1));
    const auto& rules = scenario.snapshot.rules();
    const auto& victims = rules.preempts[*rules.queue("high")];
    EXPECT_EQ(std::count(victims.begin(), victims.end(), *rules.queue("low")), preempts ? 1 : 0)
        << high << " over " << low << " of " << priority;
  }
}

TEST(Preemption, TakesTheLargestNumberThenTheLowestPriority) {
  const Scenario scenario =
      scenario_of(machines(1, 1) + queue("high", 90, "PREEMPTION = PREEMPTIVE[a b+1 c+7 d e+1]\n") +
                  queue("a", 30) + queue("b", 40) + queue("c", 50) + queue("d", 20) + queue("e", 10));
  const auto& rules = scenario.snapshot.rules();
  std::string order;
  for (const QueueNumber number : rules.preempts[*rules.queue("high")]) order += rules.queues[number].name;
  EXPECT_EQ(order, "cebda");
}

// ---------------------------------------------------------------- which jobs

TEST(Preemption, StopsTheJobThatWasStartedLastOnTheLeastLoadedHost) {
  EXPECT_EQ(
      said(machines(2, 2) + kHighOverLow +
           jobs("1 ann low (hostA) 100\n2 ann low (hostA) 50\n3 ann low (hostB) 10\n4 ann low (hostB) 5\n",
                "9 bob high 1 -\n")),
      "suspend 2 for 9, start 9 hostA");
}

TEST(Preemption, TakesTheListedQueueBeforeTheHost) {
  EXPECT_EQ(said(machines(2, 1) + queue("high", 90, "PREEMPTION = PREEMPTIVE[a b+1]\n") + queue("a", 10) +
                 queue("b", 20) + jobs("1 ann a (hostA) 10\n2 ann b (hostB) 100\n", "9 bob high 1 -\n")),
            "suspend 2 for 9, start 9 hostB");
}

TEST(Preemption, StopsNoJobWhereSlotsAreFree) {
  EXPECT_EQ(said(machines(2, 1) + kHighOverLow + jobs("1 ann low (hostA) 10\n", "9 bob high 1 -\n")),
            "start 9 hostB");
}

TEST(Preemption, OfManyJobsGivesEachAVictimOfItsOwn) {
  EXPECT_EQ(said(machines(2, 2) + kHighOverLow +
                 jobs("1 ann low (2*hostA) 100\n2 ann low (hostB) 50\n3 ann high (hostB) 5\n",
                      "7 bob high 1 -\n8 bob high 1 -\n9 bob high 1 -\n")),
            "suspend 1 for 7, suspend 2 for 8, start 7 hostA, 8 hostB");
}

TEST(Preemption, StopsNoJobOfAnotherQueueThatIsNotLower) {
  EXPECT_EQ(said(machines(1, 1) + kHighOverLow + queue("middle", 30) +
                 jobs("1 ann high (hostA) 100\n", "9 bob high 1 -\n8 bob middle 1 -\n")),
            "");
  EXPECT_EQ(said(machines(1, 1) + kHighOverLow + jobs("1 ann low (hostA) 100\n", "9 bob low 1 -\n")), "");
}

TEST(Preemption, OfAParallelJobTakesEnoughOrNothing) {
  const std::string low =
      "1 ann low (hostA) 10\n2 ann low (hostA) 20\n3 ann low (hostB) 30\n4 ann high (hostB) 9\n";
  EXPECT_EQ(said(machines(2, 2) + kHighOverLow + jobs(low, "9 bob high 3 -\n")),
            "suspend 1 for 9, suspend 2 for 9, suspend 3 for 9, start 9 2*hostA hostB");
  EXPECT_EQ(said(machines(2, 2) + kHighOverLow + jobs(low, "9 bob high 4 -\n")), "");
}

TEST(Preemption, OfAParallelJobUsesFreeSlotsFirstAndSparesWhatItDoesNotNeed) {
  EXPECT_EQ(
      said(machines(3, 2) + kHighOverLow +
           jobs("1 ann low (hostA) 10\n2 ann low (hostA) 20\n3 ann low (hostB) 30\n4 ann low (hostC) 30\n",
                "9 bob high 3 -\n")),
      "suspend 1 for 9, start 9 hostB hostC hostA");
}

TEST(Preemption, OfAParallelJobUsesNoFreeSlotOfAHostThatItExcludes) {
  const std::string rows =
      running("JOB USER QUEUE HOSTS\n1 bob high (3*hostA)\n2 ann low (3*hostB)\n3 bob high (hostB)\n");
  EXPECT_EQ(
      said(kTwoHosts + kHighOverLow + rows + pending("JOB USER QUEUE SLOTS EXCLUDED\n9 bob high 4 -\n")),
      "suspend 2 for 9, start 9 hostA 3*hostB");
  EXPECT_EQ(said(kTwoHosts + kHighOverLow + rows +
                 pending("JOB USER QUEUE SLOTS EXCLUDED\n9 bob high 4 (hostA)\n")),
            "");
}

TEST(Preemption, SuspendsAParallelJobAsAWholeAndGivesTheRestToNobodyYet) {
  Scenario scenario = scenario_of(machines(2, 1) + kHighOverLow +
                                  jobs("1 ann low (hostA hostB) 10\n", "8 bob low 1 -\n9 bob high 1 -\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  EXPECT_EQ(said(plan, scenario.snapshot), "suspend 1 for 9, start 9 hostA");
  ASSERT_TRUE(plan.next_look);
  EXPECT_EQ(plan.next_look->us, scenario.now.us + 1) << "hostB is free in the next cycle";
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(said(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "start 8 hostB");
}

TEST(Preemption, LooksAtRequirementsOfTheJobThatWantsThePlace) {
  const std::string low = "1 ann low (hostA) 10\n2 ann low (hostB) 20\n";
  EXPECT_EQ(said(machines(2, 1) + kHighOverLow + jobs(low, "9 bob high 1 \"select[r15s>0.15]\"\n")),
            "suspend 2 for 9, start 9 hostB");
  EXPECT_EQ(said(machines(2, 1) + kHighOverLow + jobs(low, "9 bob high 1 \"rusage[mem=2000]\"\n")), "");
  EXPECT_EQ(said(machines(2, 1) + kHighOverLow + jobs(low, "9 bob high 2 \"span[hosts=1]\"\n")), "");
  EXPECT_EQ(said(machines(2, 2) + kHighOverLow +
                 jobs("1 ann low (hostA) 10\n3 ann high (hostA) 10\n2 ann low (2*hostB) 20\n",
                      "9 bob high 2 \"span[hosts=1]\"\n")),
            "suspend 2 for 9, start 9 2*hostB");
}

TEST(Preemption, AsksLimitsBeforeAnyJobIsStopped) {
  EXPECT_EQ(said(machines(1, 1) + queue("high", 40, "PREEMPTION = PREEMPTIVE\nQJOB_LIMIT = 0\n") +
                 queue("low", 20) + jobs("1 ann low (hostA) 10\n", "9 bob high 1 -\n")),
            "");
}

TEST(Preemption, OnAHostWithMoreJobsThanSlotsStopsThoseTooMany) {
  const std::string low = "1 ann low (hostA) 10\n2 ann low (hostA) 20\n3 ann low (hostA) 30\n";
  EXPECT_EQ(said(machines(1, 3) + kHighOverLow + "Begin Host\nHOST_NAME MXJ\nhostA 2\nEnd Host\n" +
                 jobs(low, "9 bob high 2 -\n")),
            "suspend 1 for 9, suspend 2 for 9, suspend 3 for 9, start 9 2*hostA");
  EXPECT_EQ(said(machines(1, 3) + kHighOverLow + "Begin Host\nHOST_NAME MXJ\nhostA 2\nEnd Host\n" +
                 jobs(low, "9 bob high 1 -\n")),
            "suspend 1 for 9, suspend 2 for 9, start 9 hostA");
}

TEST(Preemption, LeavesJobsAloneWithAHostThatIsAway) {
  const std::string one_away =
      "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 1 0.1 0 9\nhostB unavail 1 0.2 0 9\nEnd "
      "Machine\n" +
      kHighOverLow;
  EXPECT_EQ(said(one_away + jobs("1 ann low (hostA hostB) 10\n", "9 bob high 1 -\n")), "");
  EXPECT_EQ(said(one_away + running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA hostB) PREEMPT\n") +
                 pending("JOB USER QUEUE\n9 bob low\n")),
            "start 9 hostA");
}

TEST(Preemption, OfExclusiveJobsDoesNotHappen) {
  const std::string queues =
      queue("high", 40, "PREEMPTION = PREEMPTIVE\nEXCLUSIVE = Y\n") + queue("low", 20, "EXCLUSIVE = Y\n");
  EXPECT_EQ(said(machines(1, 1) + queues + running("JOB USER QUEUE HOSTS EXCLUSIVE\n1 ann low (hostA) Y\n") +
                 pending("JOB USER QUEUE\n9 bob high\n")),
            "");
  EXPECT_EQ(said(machines(1, 1) + queues + running("JOB USER QUEUE HOSTS\n1 ann low (hostA)\n") +
                 pending("JOB USER QUEUE EXCLUSIVE\n9 bob high Y\n")),
            "");
}

TEST(Preemption, LeavesAJobAloneOutsideItsTimes) {
  Scenario scenario =
      scenario_of(machines(1, 1) + kHighOverLow + jobs("1 ann low (hostA) 100\n", "9 bob high 1 -\n"));
  PlacedJob job = *scenario.snapshot.placed({1, 0});
  const auto plan_with = [&](std::int64_t from_s, std::int64_t until_s) {
    const auto in = [&](std::int64_t s) {
      return s == 0 ? WallTime{} : WallTime{scenario.now.us + s * 1'000'000};
    };
    job.preemptable_from = in(from_s);
    job.preemptable_until = in(until_s);
    scenario.snapshot.place(job);
    return schedule(scenario.snapshot, scenario.now);
  };
  EXPECT_EQ(plan_with(0, 0).suspends.size(), 1U);
  EXPECT_EQ(plan_with(-5, 5).suspends.size(), 1U);
  EXPECT_EQ(plan_with(-5, -1).suspends.size(), 0U);
  const Plan later = plan_with(30, 60);
  EXPECT_EQ(later.suspends.size(), 0U);
  ASSERT_TRUE(later.next_look);
  EXPECT_EQ(later.next_look->us, scenario.now.us + 30'000'000)
      << "it is looked at again when it may be preempted";
}

TEST(Preemption, EachLimitHoldsToTheSecond) {
  // `job`: AGE, SINCE (seconds since it started or went on), RUN_LIMIT, PREEMPTIONS.
  const auto is_preempted = [](const std::string& limit, const std::string& job) {
    return said(machines(1, 1) + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") +
                queue("low", 20, limit + "\n") +
                running("JOB USER QUEUE HOSTS AGE SINCE RUN_LIMIT PREEMPTIONS\n1 ann low (hostA) " + job +
                        "\n") +
                pending("JOB USER QUEUE\n9 bob high\n")) == "suspend 1 for 9, start 9 hostA";
  };
  EXPECT_TRUE(is_preempted("MAX_JOB_PREEMPT = 2", "500 - - 1"));
  EXPECT_FALSE(is_preempted("MAX_JOB_PREEMPT = 2", "500 - - 2"));
  EXPECT_FALSE(is_preempted("NO_PREEMPT_INTERVAL = 2", "500 119 - -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_INTERVAL = 2", "500 120 - -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_INTERVAL = 0", "0 0 - -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_RUN_TIME = 5", "299 - - -"));
  EXPECT_FALSE(is_preempted("NO_PREEMPT_RUN_TIME = 5", "300 - - -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_RUN_TIME = 25%", "249 - 1000 -"));
  EXPECT_FALSE(is_preempted("NO_PREEMPT_RUN_TIME = 25%", "250 - 1000 -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_RUN_TIME = 25%", "9000 - - -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_FINISH_TIME = 2", "879 - 1000 -"));
  EXPECT_FALSE(is_preempted("NO_PREEMPT_FINISH_TIME = 2", "880 - 1000 -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_FINISH_TIME = 10%", "899 - 1000 -"));
  EXPECT_FALSE(is_preempted("NO_PREEMPT_FINISH_TIME = 10%", "900 - 1000 -"));
  EXPECT_TRUE(is_preempted("NO_PREEMPT_FINISH_TIME = 10%", "9000 - - -"));
}

TEST(Preemption, WaitsForPreemptDelayAndStartsOnFreeSlotsMeanwhile) {
  const std::string text =
      machines(1, 1) + kHighOverLow + jobs("1 ann low (hostA) 100\n", "9 bob high 1 -\n");
  Scenario scenario = scenario_of(text);
  PendingJob job = *scenario.snapshot.pending({9, 0});
  job.preempt_delay_s = 60;
  job.submitted = {scenario.now.us - 20'000'000};
  scenario.snapshot.wait(job);
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  EXPECT_EQ(said(plan, scenario.snapshot), "");
  ASSERT_TRUE(plan.next_look);
  EXPECT_EQ(plan.next_look->us, scenario.now.us + 40'000'000);
  EXPECT_EQ(said(schedule(scenario.snapshot, *plan.next_look), scenario.snapshot),
            "suspend 1 for 9, start 9 hostA");
  scenario.snapshot.forget({1, 0});
  EXPECT_EQ(said(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "start 9 hostA");
}

// ---------------------------------------------------------------- how they go on

TEST(Preemption, EndsWhenTheSlotsAreFreeBeforeLowerOrEqualJobsStart) {
  const std::string text =
      machines(1, 1) + kHighOverLow + running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA) PREEMPT\n");
  EXPECT_EQ(said(text), "resume 1");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE\n8 bob low\n")), "resume 1");
  EXPECT_EQ(said(text + pending("JOB USER QUEUE\n9 bob high\n")), "start 9 hostA");
  EXPECT_EQ(
      said(machines(1, 1) + kHighOverLow +
           running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA) PREEMPT\n9 bob high (hostA) -\n")),
      "");
}

TEST(Preemption, OfTheHighestQueueEndsFirstThenOfTheJobThatWasStartedFirst) {
  EXPECT_EQ(
      said(machines(1, 2) + kHighOverLow + queue("lower", 10) +
           running("JOB USER QUEUE HOSTS SUSPENDED AGE\n1 ann lower (hostA) PREEMPT 900\n2 ann low (hostA) "
                   "PREEMPT 10\n3 ann low (hostA) PREEMPT 20\n4 bob high (hostA) - 5\n")),
      "resume 3");
}

TEST(Preemption, OfAJobThatItsUserStoppedTooGivesItsSlotsBackAndItWaitsForHim) {
  Scenario scenario =
      scenario_of(machines(1, 1) + kHighOverLow +
                  running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA) (PREEMPT USER)\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  EXPECT_EQ(said(plan, scenario.snapshot), "resume 1");
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(scenario.snapshot.placed({1, 0})->suspended, static_cast<std::uint32_t>(wire::SUSPEND_USER));
  EXPECT_EQ(scenario.snapshot.tallies().slots[0], 1);
}

TEST(Preemption, FreesTheTotalOfItsUserButNotTheLimitOfItsQueue) {
  const std::string preempted = running(
      "JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA) PREEMPT\n2 bob high "
      "(hostA) -\n");
  EXPECT_EQ(said(machines(2, 1) + kHighOverLow + "Begin User\nUSER_NAME MAX_JOBS\nann 1\nEnd User\n" +
                 preempted + pending("JOB USER QUEUE\n9 ann low\n")),
            "start 9 hostB");
  EXPECT_EQ(said(machines(2, 1) + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") +
                 queue("low", 20, "QJOB_LIMIT = 1\n") + preempted + pending("JOB USER QUEUE\n9 ann low\n")),
            "");
}

TEST(Preemption, EndsNotBeforeTheTotalOfTheUserHasRoom) {
  EXPECT_EQ(said(machines(2, 1) + kHighOverLow + "Begin User\nUSER_NAME MAX_JOBS\nann 1\nEnd User\n" +
                 running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA) PREEMPT\n2 ann low (hostB) -\n")),
            "");
}

// ---------------------------------------------------------------- whatever happens

int slots_of(const PlacedJob& job, HostNumber host) {
  int slots = 0;
  for (const SlotsOn& on : job.placement.hosts) slots += on.host == host ? on.slots : 0;
  return slots;
}

// The snapshot agrees with itself, and no host runs more than it has slots for.
void expect_sound(const Snapshot& snapshot, std::uint32_t seed) {
  ASSERT_EQ(snapshot.broken_invariant(), "") << "seed " << seed;
  for (HostNumber host = 0; host < snapshot.rules().hosts.size(); ++host) {
    int running = 0;
    for (const JobKey key : snapshot.jobs_on(host))
      if (snapshot.placed(key)->suspended == 0) running += slots_of(*snapshot.placed(key), host);
    ASSERT_LE(running, *snapshot.slots(host)) << "seed " << seed;
  }
}

TEST(Preemption, NeverRunsMoreThanAHostHasAndLosesNobody) {
  std::size_t suspended = 0, resumed = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&random](int least, int most) {
      return least + static_cast<int>(random() % static_cast<std::uint32_t>(most - least + 1));
    };
    std::string text = machines(number(1, 4), number(1, 4)) +
                       queue("high", 40, "PREEMPTION = PREEMPTIVE[low+1 middle]\n") +
                       queue("middle", 30, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20);
    if (number(0, 2) == 0) text += "Begin User\nUSER_NAME MAX_JOBS\nann 3\nEnd User\n";
    Scenario scenario = scenario_of(text);
    Snapshot& snapshot = scenario.snapshot;
    WallTime now = scenario.now;
    int last = 0, wide = 0;
    for (HostNumber host = 0; host < snapshot.rules().hosts.size(); ++host) wide += *snapshot.slots(host);
    std::map<JobKey, int> starts;
    for (int round = 0; round < 60; ++round, now.us += 1'000'000) {
      for (int i = number(0, 2); i > 0 && round < 40; --i) {
        Demand demand;
        demand.queue = std::vector<const char*>{"high", "middle", "low", "low"}[random() % 4];
        demand.user = number(0, 1) == 0 ? "ann" : "bob";
        demand.min_slots = demand.max_slots = number(1, std::min(3, wide));
        demand.resreq = number(0, 3) == 0 ? "span[ptile=1]" : "";
        PendingJob job;
        job.key = {++last, 0};
        job.order = last;
        job.demand = snapshot.demand(demand);
        snapshot.wait(std::move(job));
      }
      const Plan plan = schedule(snapshot, now);
      for (const Suspend& suspend : plan.suspends) {
        const auto priority = [&](JobKey key) {
          const PlacedJob* placed = snapshot.placed(key);
          const DemandNumber demand = placed ? placed->demand : snapshot.pending(key)->demand;
          return snapshot.rules().queues[snapshot.demands()[demand].compiled->queue].priority;
        };
        ASSERT_LT(priority(suspend.job), priority(suspend.by)) << "seed " << seed;
      }
      suspended += plan.suspends.size();
      resumed += plan.resumes.size();
      for (const Dispatch& dispatch : plan.dispatches) ++starts[dispatch.job];
      apply(plan, now, snapshot);
      expect_sound(snapshot, seed);
      std::vector<JobKey> over;
      for (const auto& [key, job] : snapshot.placed_jobs())
        if (job.suspended == 0) over.push_back(key);
      std::sort(over.begin(), over.end());
      for (const JobKey key : over)
        if (round >= 40 || number(0, 3) == 0) snapshot.forget(key);
    }
    for (const auto& [key, count] : starts)
      ASSERT_EQ(count, 1) << "seed " << seed << " job " << sched::text(key);
    ASSERT_EQ(snapshot.placed_count(), 0U) << "seed " << seed << ": a preempted job never went on";
  }
  EXPECT_GT(suspended, 1000U);
  EXPECT_EQ(resumed, suspended);
}

}  // namespace
}  // namespace rollcall::sched::cycle
