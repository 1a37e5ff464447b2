// GPUs are chosen in the cycle: the lowest that no job on the host holds.
#include "sched/policy/values/gpus.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

// "1 hostA 0,1;hostB 0".
std::string devices(const std::string& pending_rows, const std::string& running_rows = "") {
  const Scenario scenario = scenario_of(
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nngpus Numeric 30 N ()\nEnd "
      "Resource\nBegin ResourceMap\nRESOURCENAME LOCATION\nngpus [default]\nEnd ResourceMap\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS ngpus\nhostA ok 8 4\nhostB ok 8 4\nEnd Machine\n" +
      (running_rows.empty() ? "" : running("JOB USER RES_REQ HOSTS\n" + running_rows)) +
      pending("JOB USER SLOTS RES_REQ\n" + pending_rows));
  std::string said;
  for (const Dispatch& dispatch : schedule(scenario.snapshot, scenario.now).dispatches) {
    wire::JobRecord record;
    put(by_name(scenario.snapshot.rules(), dispatch.placement), record);
    said += (said.empty() ? "" : " | ") + text(dispatch.job) + " " + gpus_text(devices_of(record));
  }
  return said;
}

TEST(Cycle, ChoosesGpusThatNoJobHolds) {
  EXPECT_EQ(devices("1 ann 1 \"rusage[ngpus=1]\"\n2 ann 1 \"rusage[ngpus=2]\"\n3 ann 1 -\n"),
            "1 hostA 0 | 2 hostA 1,2 | 3 ");
  EXPECT_EQ(devices("2 ann 1 \"rusage[ngpus=2]\"\n", "1 ann \"rusage[ngpus=2]\" (hostA)\n"), "2 hostA 2,3");
  EXPECT_EQ(devices("2 ann 1 \"rusage[ngpus=3]\"\n", "1 ann \"rusage[ngpus=2]\" (hostA)\n"), "2 hostB 0,1,2");
  EXPECT_EQ(devices("1 ann 2 \"span[ptile=1] rusage[ngpus=1]\"\n"), "1 hostA 0;hostB 0");
}

TEST(Cycle, GpusOfAJobThatIsOverAreFreeAgain) {
  Scenario scenario = scenario_of(
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nngpus Numeric 30 N ()\nEnd "
      "Resource\nBegin ResourceMap\nRESOURCENAME LOCATION\nngpus [default]\nEnd ResourceMap\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS ngpus\nhostA ok 8 2\nEnd Machine\n" +
      pending("JOB USER RES_REQ\n1[1-3] ann \"rusage[ngpus=1]\"\n"));
  apply(schedule(scenario.snapshot, scenario.now), scenario.now, scenario.snapshot);
  ASSERT_NE(scenario.snapshot.placed({1, 2}), nullptr);
  EXPECT_EQ(scenario.snapshot.placed({1, 2})->placement.devices[0].numbers, std::vector<std::uint32_t>{1});
  scenario.snapshot.forget({1, 1});
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  ASSERT_EQ(plan.dispatches.size(), 1U);
  EXPECT_EQ(plan.dispatches[0].placement.devices[0].numbers, std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace rollcall::sched::cycle
