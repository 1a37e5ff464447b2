// USE_SUSP_SLOTS: whether jobs of a lower queue use the slots of suspended jobs of a higher queue, and how these get them back.
#include <random>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kTwoSlots =
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 2 0.1 0 1000\nEnd Machine\n";
const std::string kHighMiddleLow = queue("high", 40, "PREEMPTION = PREEMPTIVE[middle low]\n") +
                                   queue("middle", 30, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20);
const std::string kSlotsKept = "Begin Parameters\nUSE_SUSP_SLOTS = N\nEnd Parameters\n";
const std::string kStoppedRows = "JOB USER QUEUE HOSTS SUSPENDED\n";

std::string cycle_of(Scenario& scenario) {
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  const std::string text = said(plan, scenario.snapshot);
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(scenario.snapshot.broken_invariant(), "");
  scenario.now.us += 1'000'000;
  return text;
}
std::string want(const std::string& rows) { return pending("JOB USER QUEUE SLOTS\n" + rows); }

void set_suspended(Snapshot& snapshot, JobKey key, std::uint32_t reasons) {
  PlacedJob job = *snapshot.placed(key);
  job.suspended = reasons;
  snapshot.place(std::move(job));
}

TEST(SuspendedSlots, OfAHigherQueueAreUsedByALowerOne) {
  for (const char* reason : {"USER", "ADMIN"}) {
    const std::string stopped =
        kTwoSlots + kHighMiddleLow +
        running(kStoppedRows + "1 ann middle (hostA) " + reason + "\n2 ann middle (hostA) -\n");
    EXPECT_EQ(said(stopped + want("9 bob low 1\n")), "suspend 1 for 9, start 9 hostA") << reason;
    EXPECT_EQ(said(kSlotsKept + stopped + want("9 bob low 1\n")), "") << reason;
  }
}

TEST(SuspendedSlots, AreUsedOnlyByQueuesThatTheHigherOneMayPreempt) {
  const std::string stopped = kTwoSlots + kHighMiddleLow + queue("apart", 10) + queue("same", 30) +
                              running(kStoppedRows + "1 ann high (2*hostA) USER\n");
  EXPECT_EQ(said(stopped + want("9 bob apart 1\n")), "") << "high does not list it";
  EXPECT_EQ(said(stopped + want("9 bob high 1\n")), "") << "else whoever stops a job gets a second one";
  EXPECT_EQ(said(stopped + want("9 bob middle 1\n")), "suspend 1 for 9, start 9 hostA");
  EXPECT_EQ(said(kTwoSlots + kHighMiddleLow + running(kStoppedRows + "1 ann low (2*hostA) USER\n") +
                 want("9 bob middle 1\n")),
            "")
      << "a lower queue lends nothing";
}

TEST(SuspendedSlots, AreUsedBeforeAJobIsPreempted) {
  EXPECT_EQ(said(kTwoSlots + kHighMiddleLow +
                 running(kStoppedRows + "1 ann high (hostA) USER\n2 ann low (hostA) -\n") +
                 want("9 bob middle 1\n")),
            "suspend 1 for 9, start 9 hostA");
  EXPECT_EQ(said(kTwoSlots + kHighMiddleLow +
                 running(kStoppedRows + "1 ann high (hostA) USER\n2 ann low (hostA) -\n") +
                 want("9 bob middle 2\n")),
            "suspend 1 for 9, suspend 2 for 9, start 9 2*hostA");
}

TEST(SuspendedSlots, MayBeUsedBeforePreemptDelayIsOver) {
  const std::string queues = queue("high", 40, "PREEMPTION = PREEMPTIVE\n") +
                             queue("middle", 30, "PREEMPTION = PREEMPTIVE\nPREEMPT_DELAY = 60\n") +
                             queue("low", 20);
  EXPECT_EQ(
      said(kTwoSlots + queues + running(kStoppedRows + "1 ann high (hostA) USER\n2 ann low (hostA) -\n") +
           pending("JOB USER QUEUE AGE\n8 bob middle 5\n9 bob middle 5\n")),
      "suspend 1 for 8, start 8 hostA");
}

TEST(SuspendedSlots, AreTakenBackByPreemptingTheJobThatUsesThem) {
  Scenario scenario =
      scenario_of(kTwoSlots + kHighMiddleLow + running(kStoppedRows + "1 ann middle (2*hostA) USER\n") +
                  want("8 bob low 1\n9 bob low 1\n"));
  EXPECT_EQ(cycle_of(scenario), "suspend 1 for 8, start 8 hostA") << "the rest is free in the next cycle";
  EXPECT_EQ(cycle_of(scenario), "start 9 hostA");
  EXPECT_EQ(cycle_of(scenario), "");
  set_suspended(scenario.snapshot, {1, 0}, wire::SUSPEND_PREEMPT);  // bresume
  EXPECT_EQ(cycle_of(scenario), "suspend 9 for 1, suspend 8 for 1, resume 1");
  scenario.snapshot.forget({1, 0});
  EXPECT_EQ(cycle_of(scenario), "resume 8, resume 9");
}

TEST(SuspendedSlots, AreTakenBackOnlyFromJobsThatMayBePreempted) {
  const std::string queues =
      queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20, "MAX_JOB_PREEMPT = 1\n");
  const std::string rows = "JOB USER QUEUE HOSTS SUSPENDED PREEMPTIONS\n1 ann high (2*hostA) PREEMPT -\n";
  EXPECT_EQ(said(kTwoSlots + queues + running(rows + "2 bob low (hostA) - 1\n")), "");
  EXPECT_EQ(said(kTwoSlots + queues + running(rows + "2 bob low (hostA) - -\n")),
            "suspend 2 for 1, resume 1");
  EXPECT_EQ(said(kSlotsKept + kTwoSlots + queues + running(rows + "2 bob low (hostA) - -\n")), "")
      << "without USE_SUSP_SLOTS it waits";
}

TEST(SuspendedSlots, GoBackToTheStoppedJobWhenTheyAreFreeAndAreLentAgain) {
  Scenario scenario =
      scenario_of(kTwoSlots + kHighMiddleLow + running(kStoppedRows + "1 ann middle (2*hostA) USER\n") +
                  want("8 bob low 2\n9 bob low 2\n"));
  EXPECT_EQ(cycle_of(scenario), "suspend 1 for 8, start 8 2*hostA");
  scenario.snapshot.forget({8, 0});
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  ASSERT_TRUE(plan.next_look);
  EXPECT_EQ(plan.next_look->us, scenario.now.us + 1);
  EXPECT_EQ(cycle_of(scenario), "resume 1");
  EXPECT_EQ(scenario.snapshot.placed({1, 0})->suspended, static_cast<std::uint32_t>(wire::SUSPEND_USER));
  EXPECT_EQ(cycle_of(scenario), "suspend 1 for 9, start 9 2*hostA");
}

// hostA has two slots: high runs on one of the two that it preempted.
TEST(SuspendedSlots, OfAPreemptedJobAreKeptFromLowerQueuesWithN) {
  const std::string preempted =
      kTwoSlots + kHighMiddleLow +
      running(kStoppedRows + "1 ann middle (2*hostA) PREEMPT\n2 ann high (hostA) -\n");
  EXPECT_EQ(said(preempted + want("9 bob low 1\n")), "start 9 hostA");
  EXPECT_EQ(said(kSlotsKept + preempted + want("9 bob low 1\n")), "");
  EXPECT_EQ(said(kSlotsKept + preempted + want("9 bob high 1\n")), "start 9 hostA") << "not from higher ones";
  EXPECT_EQ(said(kSlotsKept + preempted + want("7 bob low 1\n9 bob middle 1\n")), "start 9 hostA")
      << "nor from its own; what low did not get says nothing of what middle gets";
  Scenario scenario = scenario_of(kSlotsKept + preempted + want("9 bob low 1\n"));
  const std::string why = why_text(scenario.snapshot, scenario.now, {9, 0});
  EXPECT_NE(why.find("USE_SUSP_SLOTS=N"), std::string::npos) << why;
  scenario.snapshot.forget({2, 0});
  EXPECT_EQ(cycle_of(scenario), "resume 1");
}

// ---------------------------------------------------------------- whatever happens

int running_on(const Snapshot& snapshot, HostNumber host) {
  int slots = 0;
  for (const JobKey key : snapshot.jobs_on(host)) {
    const PlacedJob& job = *snapshot.placed(key);
    if ((job.suspended & wire::SUSPEND_PREEMPT) != 0) continue;
    for (const SlotsOn& on : job.placement.hosts) slots += on.host == host ? on.slots : 0;
  }
  return slots;
}

class World {
 public:
  World(std::uint32_t seed, bool kept)
      : random_(seed),
        scenario_(scenario_of(std::string(kept ? kSlotsKept : "") +
                              "Begin Machine\nHOST_NAME STATUS NCPUS\nhostA ok 2\nhostB ok 3\nEnd Machine\n" +
                              kHighMiddleLow)) {}

  int number(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint32_t>(most - least + 1));
  }
  void submit() {
    Demand demand;
    demand.queue = std::vector<const char*>{"high", "middle", "low", "low"}[random_() % 4];
    demand.user = "ann";
    demand.min_slots = demand.max_slots = number(1, 3);
    PendingJob job;
    job.key = {++last_, 0};
    job.order = last_;
    job.demand = snapshot().demand(demand);
    snapshot().wait(std::move(job));
  }
  void plan() {
    const Plan plan = schedule(snapshot(), scenario_.now);
    for (const Suspend& suspend : plan.suspends) lent_ += snapshot().placed(suspend.job)->suspended != 0;
    apply(plan, scenario_.now, snapshot());
    scenario_.now.us += 1'000'000;
    ASSERT_EQ(snapshot().broken_invariant(), "");
    for (HostNumber host = 0; host < 2; ++host)
      ASSERT_LE(running_on(snapshot(), host), *snapshot().slots(host));
  }
  std::vector<JobKey> placed() const {
    std::vector<JobKey> keys;
    for (const auto& [key, job] : snapshot().placed_jobs()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  // Users stop and resume jobs, and jobs end; at last they stop no more.
  void jobs_change(bool at_last) {
    for (const JobKey key : placed()) {
      const std::uint32_t suspended = snapshot().placed(key)->suspended;
      const bool stopped = (suspended & wire::SUSPEND_USER) != 0;
      if (suspended == 0 && number(0, 3) == 0)
        snapshot().forget(key);
      else if (stopped && (at_last || number(0, 3) == 0))
        set_suspended(snapshot(), key, suspended & ~static_cast<std::uint32_t>(wire::SUSPEND_USER));
      else if (!stopped && !at_last && number(0, 5) == 0)
        set_suspended(snapshot(), key, suspended | wire::SUSPEND_USER);
    }
  }
  Snapshot& snapshot() { return scenario_.snapshot; }
  const Snapshot& snapshot() const { return scenario_.snapshot; }
  int lent() const { return lent_; }

 private:
  std::mt19937 random_;
  Scenario scenario_;
  int last_ = 0, lent_ = 0;
};

TEST(SuspendedSlots, NoHostRunsMoreThanItHasAndEveryStoppedJobGoesOn) {
  int lent = 0;
  for (std::uint32_t seed = 1; seed <= 300 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool kept = seed % 4 == 0;
    World world(seed, kept);
    for (int round = 0; round < 200 && !testing::Test::HasFatalFailure(); ++round) {
      if (round < 60 && world.number(0, 1) == 0) world.submit();
      world.plan();
      world.jobs_change(round >= 60);
    }
    EXPECT_EQ(world.snapshot().placed_count(), 0U);
    EXPECT_TRUE(!kept || world.lent() == 0);
    lent += world.lent();
  }
  EXPECT_GT(lent, 200);
}

}  // namespace
}  // namespace rollcall::sched::cycle
