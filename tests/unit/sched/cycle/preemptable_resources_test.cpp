// PREEMPTABLE_RESOURCES: jobs are preempted for shared resources too.
#include <random>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

std::string licences(const std::string& map) {
  return "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\n"
         "lic Numeric () N Y (licences)\nother Numeric () N Y (licences)\nEnd Resource\n"
         "Begin ResourceMap\nRESOURCENAME LOCATION\n" +
         map + "End ResourceMap\n";
}
const std::string kLicences = licences("lic (2@[all])\nother (9@[all])\n");
const std::string kWanted = "Begin Parameters\nPREEMPTABLE_RESOURCES = lic\nEnd Parameters\n";
const std::string kThreeQueues =
    queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("middle", 30) + queue("low", 20);
const std::string kTwoMachines =
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 2 0.1 0 1000\nhostB ok 2 0.2 0 1000\nEnd "
    "Machine\n";
const std::string kLicenceSite = kLicences + kThreeQueues + kTwoMachines;

std::string runs(const std::string& rows) { return running("JOB USER QUEUE HOSTS AGE RES_REQ\n" + rows); }
std::string wants(const std::string& rows) { return pending("JOB USER QUEUE SLOTS RES_REQ\n" + rows); }

TEST(PreemptableResources, AreTakenFromJobsOfLowerQueuesThoughSlotsAreFree) {
  const std::string text = kLicenceSite +
                           runs("1 ann low (hostA) 90 \"rusage[lic=2]\"\n2 ann low (hostB) 5 -\n") +
                           wants("9 bob high 1 \"rusage[lic=1]\"\n");
  EXPECT_EQ(said(kWanted + text), "suspend 1 for 9, start 9 hostA");
  EXPECT_EQ(said(text), "") << "without the parameter jobs are preempted for slots alone";
}

TEST(PreemptableResources, AreTakenWhereverTheirJobRuns) {
  EXPECT_EQ(said(kWanted + kLicenceSite + runs("1 ann low (hostA) 90 \"rusage[lic=2]\"\n") +
                 wants("9 bob high 1 \"select[r15s>0.15] rusage[lic=1]\"\n")),
            "suspend 1 for 9, start 9 hostB");
}

TEST(PreemptableResources, OfTheLowestQueueAndTheJobStartedLastComeFirst) {
  const std::string both =
      "1 ann low (hostA) 90 \"rusage[lic=1]\"\n2 ann middle (hostB) 5 \"rusage[lic=1]\"\n";
  EXPECT_EQ(said(kWanted + kLicenceSite + runs(both) + wants("9 bob high 1 \"rusage[lic=1]\"\n")),
            "suspend 1 for 9, start 9 hostA");
  EXPECT_EQ(said(kWanted + kLicenceSite +
                 runs("1 ann low (hostA) 90 \"rusage[lic=1]\"\n2 ann low (hostA) 5 \"rusage[lic=1]\"\n") +
                 wants("9 bob high 1 \"rusage[lic=1]\"\n")),
            "suspend 2 for 9, start 9 hostB");
  EXPECT_EQ(said(kWanted + kLicenceSite + runs(both) + wants("9 bob high 1 \"rusage[lic=2]\"\n")),
            "suspend 1 for 9, suspend 2 for 9, start 9 hostA");
}

TEST(PreemptableResources, MayBeInTheSelectSectionToo) {
  EXPECT_EQ(said(kWanted + kLicenceSite + runs("1 ann low (hostA) 90 \"rusage[lic=2]\"\n") +
                 wants("9 bob high 1 \"select[r15s>0.15 && lic>0] rusage[lic=1]\"\n")),
            "suspend 1 for 9, start 9 hostB");
}

TEST(PreemptableResources, AreWantedOnlyByJobsThatReserveThem) {
  const std::string holder = runs("1 ann low (hostA) 90 \"rusage[lic=2]\"\n");
  EXPECT_EQ(said(kWanted + kLicenceSite + holder + wants("9 bob high 1 \"select[lic>0]\"\n")), "");
  EXPECT_EQ(said(kWanted + kLicenceSite + holder + wants("9 bob middle 1 \"rusage[lic=1]\"\n")), "")
      << "middle preempts no queue";
  EXPECT_EQ(said(kWanted + kLicenceSite + holder + wants("9 bob high 1 \"rusage[lic=3]\"\n")), "")
      << "there are only two";
}

TEST(PreemptableResources, AndSlotsMayBeOfDifferentJobs) {
  const std::string full =
      "1 ann low (2*hostB) 90 \"rusage[lic=2]\"\n2 ann low (hostA) 9 -\n3 ann low (hostA) 8 -\n";
  EXPECT_EQ(
      said(kWanted + kLicenceSite + runs(full) + wants("9 bob high 1 \"select[r15s<0.15] rusage[lic=1]\"\n")),
      "suspend 1 for 9, suspend 3 for 9, start 9 hostA");
  EXPECT_EQ(
      said(kWanted + kLicenceSite + runs(full) + wants("9 bob high 2 \"select[r15s<0.15] rusage[lic=1]\"\n")),
      "suspend 1 for 9, suspend 3 for 9, suspend 2 for 9, start 9 2*hostA");
  EXPECT_EQ(said(kWanted + kLicenceSite + runs(full) + wants("9 bob high 1 \"rusage[lic=1]\"\n")),
            "suspend 1 for 9, start 9 hostB")
      << "the slots of the job that holds the licence do";
}

TEST(PreemptableResources, ThatThePreemptorDoesNotNeedAreFreeInTheNextCycle) {
  Scenario scenario = scenario_of(kWanted + kLicenceSite + runs("1 ann low (hostA) 90 \"rusage[lic=2]\"\n") +
                                  wants("8 bob low 1 \"rusage[lic=1]\"\n9 bob high 1 \"rusage[lic=1]\"\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  EXPECT_EQ(said(plan, scenario.snapshot), "suspend 1 for 9, start 9 hostA");
  ASSERT_TRUE(plan.next_look);
  EXPECT_EQ(plan.next_look->us, scenario.now.us + 1);
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(said(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "start 8 hostA");
}

TEST(PreemptableResources, MustBeFreeBeforeTheJobGoesOn) {
  Scenario scenario = scenario_of(kWanted + kLicenceSite + runs("1 ann low (hostA) 90 \"rusage[lic=2]\"\n") +
                                  wants("9 bob high 1 \"rusage[lic=1]\"\n"));
  apply(schedule(scenario.snapshot, scenario.now), scenario.now, scenario.snapshot);
  EXPECT_EQ(said(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "");
  scenario.snapshot.forget({9, 0});
  EXPECT_EQ(said(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "resume 1");
}

TEST(PreemptableResources, OfTwoGroupsOfHostsAreThoseOfTheHostsThatDo) {
  const std::string site = licences("lic (1@[hostA] 1@[hostB])\n") + kThreeQueues + kTwoMachines;
  const std::string holders =
      "1 ann low (hostA) 5 \"rusage[lic=1]\"\n2 ann low (hostB) 90 \"rusage[lic=1]\"\n";
  EXPECT_EQ(
      said(kWanted + site + runs(holders) + wants("9 bob high 1 \"select[r15s>0.15] rusage[lic=1]\"\n")),
      "suspend 2 for 9, start 9 hostB");
  EXPECT_EQ(said(kWanted + site + runs(holders) + wants("9 bob high 2 \"span[ptile=1] rusage[lic=1]\"\n")),
            "suspend 1 for 9, start 9 hostA hostB")
      << "it counts for the first host of a job";
}

TEST(PreemptableResources, AreThoseThatSuspendedJobsGiveBack) {
  const std::string site =
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\nkept Numeric () N N "
      "(kept)\n"
      "lic Numeric () N Y (licences)\nEnd Resource\n"
      "Begin ResourceMap\nRESOURCENAME LOCATION\nkept (1@[all])\nlic (1@[all])\nEnd ResourceMap\n";
  const Scenario scenario = scenario_of(kWanted + site + kThreeQueues + kTwoMachines);
  const PlacementRules& rules = scenario.snapshot.rules();
  ASSERT_FALSE(rules.preemptable_resources.empty());
  EXPECT_TRUE(rules.preemptable_resources[*rules.indices().find("lic")]);
  EXPECT_FALSE(rules.preemptable_resources[*rules.indices().find("kept")]);
}

// ---------------------------------------------------------------- whatever happens

// Of "lic", which all hosts share.
double held_by_running(const Snapshot& snapshot) {
  const ResourceId lic = *snapshot.rules().indices().find("lic");
  double held = 0;
  for (const auto& [key, job] : snapshot.placed_jobs())
    for (const Reservation& reservation : job.placement.reservations)
      if (reservation.resource == lic && job.suspended == 0) held += reservation.amount;
  return held;
}

void submit_some(Snapshot& snapshot, std::mt19937& random, int& last) {
  Demand demand;
  demand.queue = std::vector<const char*>{"high", "middle", "low", "low"}[random() % 4];
  demand.user = "ann";
  demand.min_slots = demand.max_slots = 1 + static_cast<int>(random() % 3);
  const char* const kRequirements[] = {"", "rusage[lic=1]", "rusage[lic=2]", "select[lic>0] rusage[lic=1]",
                                       "rusage[lic=1:other=3]"};
  demand.resreq = kRequirements[random() % 5];
  PendingJob job;
  job.key = {++last, 0};
  job.order = last;
  job.demand = snapshot.demand(demand);
  snapshot.wait(std::move(job));
}

TEST(PreemptableResources, AreNeverHeldTwiceAndEveryJobGoesOn) {
  std::size_t suspended = 0;
  for (std::uint32_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Scenario scenario =
        scenario_of(kWanted + kLicences + queue("high", 40, "PREEMPTION = PREEMPTIVE\n") +
                    queue("middle", 30, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20) + kTwoMachines);
    Snapshot& snapshot = scenario.snapshot;
    int last = 0;
    for (int round = 0; round < 200; ++round, scenario.now.us += 1'000'000) {
      if (round < 60 && random() % 2 == 0) submit_some(snapshot, random, last);
      const Plan plan = schedule(snapshot, scenario.now);
      suspended += plan.suspends.size();
      apply(plan, scenario.now, snapshot);
      EXPECT_EQ(snapshot.broken_invariant(), "");
      EXPECT_LE(held_by_running(snapshot), 2);
      for (HostNumber host = 0; host < 2; ++host) EXPECT_LE(snapshot.tallies().slots[host], 2);
      std::vector<JobKey> over;
      for (const auto& [key, job] : snapshot.placed_jobs())
        if (job.suspended == 0 && random() % 4 == 0) over.push_back(key);
      for (const JobKey key : over) snapshot.forget(key);
    }
    EXPECT_EQ(snapshot.placed_count(), 0U);
    EXPECT_EQ(snapshot.pending_count(), 0U);
  }
  EXPECT_GT(suspended, 300U);
}

}  // namespace
}  // namespace rollcall::sched::cycle
