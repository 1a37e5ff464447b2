// Hosts of ours that are lent: jobs of ours that were there before go on, and nothing starts beside jobs that nobody here knows.
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kLentSite =
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 2 0.1 0 1000\nEnd Machine\n" +
    queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20);
const std::string kLentJobs = "JOB USER QUEUE HOSTS SUSPENDED\n";

class LentHosts : public ::testing::Test {
 protected:
  void site(const std::string& jobs) { scenario = scenario_of(kLentSite + running(kLentJobs + jobs)); }
  void lent(const LentOfHost& what) { scenario.snapshot.set_lent(0, what); }
  std::string plan() const { return said(schedule(scenario.snapshot, scenario.now), scenario.snapshot); }
  Scenario scenario = scenario_of(kLentSite);
};

TEST_F(LentHosts, APreemptedJobGoesOnAWholeHostWithSlotsThatNoConsumerHas) {
  site("1 ann low (2*hostA) PREEMPT\n2 ann high (2*hostA) -\n");
  lent({.whole = true});
  EXPECT_EQ(plan(), "") << "the other job has them still";
  scenario.snapshot.forget({2, 0});
  EXPECT_EQ(plan(), "resume 1");
  lent({.whole = true, .in_hand = 1});
  EXPECT_EQ(plan(), "") << "one slot is left";
}
TEST_F(LentHosts, APreemptedJobTakesItsSlotsBackOnAWholeHost) {
  site("1 ann high (2*hostA) PREEMPT\n2 ann low (2*hostA) -\n");
  lent({.whole = true});
  EXPECT_EQ(plan(), "suspend 2 for 1, resume 1");
}
TEST_F(LentHosts, EachPreemptedJobOfAWholeHostCounts) {
  site("1 ann low (hostA) PREEMPT\n2 ann low (hostA) PREEMPT\n3 ann low (hostA) PREEMPT\n");
  lent({.whole = true});
  EXPECT_EQ(plan(), "resume 1, resume 2");
}
TEST_F(LentHosts, NothingNewStartsOnAWholeHost) {
  scenario = scenario_of(kLentSite + pending("JOB USER QUEUE SLOTS\n9 bob high 1\n"));
  lent({.whole = true});
  EXPECT_EQ(plan(), "");
}
// A store that was lost knows neither the lease nor its jobs: RES alone tells of them.
TEST_F(LentHosts, NothingStartsBesideJobsThatAreNotKnownHere) {
  const std::string starts = kLentSite + pending("JOB USER QUEUE SLOTS\n9 bob high 1\n");
  scenario = scenario_of(starts);
  lent({.unknown_jobs = true});
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(scenario.snapshot.slots(0), 2) << "MAX of bhosts";
  const std::string why = why_text(scenario.snapshot, scenario.now, {9, 0});
  EXPECT_NE(why.find("jobs on lent slots that are not known here"), std::string::npos) << why;
  lent({});
  EXPECT_EQ(plan(), "start 9 hostA");
}
TEST_F(LentHosts, NoPreemptedJobGoesOnBesideJobsThatAreNotKnownHere) {
  site("1 ann low (hostA) PREEMPT\n");
  lent({.unknown_jobs = true});
  EXPECT_EQ(plan(), "");
  lent({});
  EXPECT_EQ(plan(), "resume 1");
}

}  // namespace
}  // namespace rollcall::sched::cycle
