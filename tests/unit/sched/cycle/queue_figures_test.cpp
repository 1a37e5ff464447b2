// What this cluster tells others of its queues.
#include "sched/policy/cycle/queue_figures.hpp"

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kGuestQueues = queue("guests", 40, "RCVJOBS_FROM = allclusters\n") + queue("own", 20);
const std::string kMixedMachines =
    "Begin Machine\nHOST_NAME STATUS TYPE RESOURCES NCPUS r15s pg mem\nhostA ok X86 (gpu) 4 0.1 0 9\n"
    "hostB ok ARM (bigmem) 4 0.2 0 9\nEnd Machine\n"
    "Begin Resource\nRESOURCENAME\ngpu\nbigmem\nEnd Resource\n";

std::vector<QueueFigures> figures_of_all(const std::string& text, const ReservedSlots& reserved = {}) {
  const Scenario scenario = scenario_of(text);
  return queue_figures(scenario.snapshot, scenario.now,
                       std::vector<bool>(scenario.snapshot.rules().queues.size(), true), reserved);
}
// "total 8 available 8 running 0 pending 0 preemptable 8" of the first queue.
std::string figures_of(const std::string& text, const ReservedSlots& reserved = {}) {
  const QueueFigures figures = figures_of_all(text, reserved)[0];
  std::string said;
  const auto add = [&said](const char* name, long long number) {
    said += (said.empty() ? "" : " ") + std::string(name) + " " + std::to_string(number);
  };
  add("total", figures.total);
  add("available", figures.available);
  add("running", figures.running);
  add("pending", figures.pending);
  add("preemptable", figures.preemptable);
  return said;
}
std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(QueueFigures, CountSlotsOfAnEmptyCluster) {
  EXPECT_EQ(figures_of(kTwoHosts + kGuestQueues), "total 8 available 8 running 0 pending 0 preemptable 8");
}

// Running and pending slots are those of the queue's jobs; available ones are without a job of any queue.
TEST(QueueFigures, CountJobsOfTheQueueAndSlotsOfAllQueues) {
  EXPECT_EQ(figures_of(kTwoHosts + kGuestQueues +
                       running("JOB USER QUEUE HOSTS\n1 ann guests (2*hostA hostB)\n2 ann own (3*hostB)\n") +
                       pending("JOB USER QUEUE SLOTS\n3 ann guests 2,9\n4[1-3] ann guests 1\n5 ann own 7\n")),
            "total 8 available 2 running 3 pending 5 preemptable 2");
}

// Its slots are of no use to a job that is forwarded now: another cluster may have some.
TEST(QueueFigures, HaveNoSlotsWhileTheQueueStartsNoJobs) {
  Scenario scenario = scenario_of(kTwoHosts + kGuestQueues);
  const std::vector<bool> wanted(scenario.snapshot.rules().queues.size(), true);
  for (const QueueState state : {QueueState{false, true}, QueueState{true, false}}) {
    scenario.snapshot.queue(0) = state;
    const QueueFigures figures = queue_figures(scenario.snapshot, scenario.now, wanted, {})[0];
    EXPECT_EQ(figures.total, 8);
    EXPECT_EQ(figures.available, 0);
    EXPECT_EQ(figures.preemptable, 0);
  }
  EXPECT_EQ(figures_of(kTwoHosts +
                       queue("guests", 40, "RCVJOBS_FROM = allclusters\nDISPATCH_WINDOW = 3:00-3:01\n")),
            "total 8 available 0 running 0 pending 0 preemptable 0");
}

TEST(QueueFigures, CountJobsThatRunAlone) {
  EXPECT_EQ(
      figures_of(
          kTwoHosts + kGuestQueues +
          running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann guests (hostA) USER\n2 ann guests (hostA) -\n")),
      "total 8 available 6 running 1 pending 0 preemptable 6");
}

TEST(QueueFigures, CountHostsThatAreOkOrFull) {
  const std::string machines =
      "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 4 0.1 0 9\nhostB closed 4 0.2 0 9\n"
      "hostC unavail 4 0.3 0 9\nhostD unreach 4 0.3 0 9\nhostE ok 4 0.2 0 9\nhostF locked 4 0.2 0 9\nEnd "
      "Machine\n";
  EXPECT_EQ(figures_of(machines + kGuestQueues + running("JOB USER QUEUE HOSTS\n1 ann own (4*hostA)\n")),
            "total 8 available 4 running 0 pending 0 preemptable 4");
}

TEST(QueueFigures, CountMxjAndHostsOfTheQueue) {
  EXPECT_EQ(figures_of(kTwoHosts + queue("guests", 40, "HOSTS = hostA\nRCVJOBS_FROM = east\n") +
                       "Begin Host\nHOST_NAME MXJ\nhostA 3\ndefault !\nEnd Host\n"),
            "total 3 available 3 running 0 pending 0 preemptable 3");
}

// A host with a job of -x takes no other.
TEST(QueueFigures, LeaveOutSlotsBesideAnExclusiveJob) {
  EXPECT_EQ(figures_of(kTwoHosts + queue("guests", 40, "RCVJOBS_FROM = east\n") +
                       queue("own", 20, "EXCLUSIVE = Y\n") +
                       running("JOB USER QUEUE HOSTS EXCLUSIVE\n1 ann own (hostA) Y\n")),
            "total 8 available 4 running 0 pending 0 preemptable 4");
}

TEST(QueueFigures, CountSlotsOfJobsThatTheQueueMayPreempt) {
  const std::string text = kTwoHosts + queue("guests", 40, "PREEMPTION = PREEMPTIVE\nRCVJOBS_FROM = east\n") +
                           queue("own", 20) + queue("idle", 5);
  EXPECT_EQ(figures_of(text + running("JOB USER QUEUE HOSTS\n1 ann own (3*hostA)\n2 ann idle (hostB)\n")),
            "total 8 available 4 running 0 pending 0 preemptable 8");
  EXPECT_EQ(
      figures_of_all(text + running("JOB USER QUEUE HOSTS\n2 ann idle (hostB)\n"))[0].lowest_preemptable, 5);
  EXPECT_EQ(figures_of_all(kTwoHosts + kGuestQueues)[0].lowest_preemptable, std::nullopt);
}

TEST(QueueFigures, NameTypesAndBooleansOfTheHosts) {
  const QueueFigures both = figures_of_all(kMixedMachines + kGuestQueues)[0];
  EXPECT_EQ(joined_words(both.types), "ARM X86");
  EXPECT_EQ(joined_words(both.booleans), "bigmem gpu");
  const QueueFigures one =
      figures_of_all(kMixedMachines + queue("guests", 40, "HOSTS = hostA\nRCVJOBS_FROM = east\n"))[0];
  EXPECT_EQ(joined_words(one.types), "X86");
  EXPECT_EQ(joined_words(one.booleans), "gpu");
}

std::string told_text(const ToldValues& values) {
  std::string text = values.name + ":";
  for (const double number : values.numbers) text += " " + std::to_string(static_cast<int>(number));
  for (const std::string& word : values.words) text += " " + word;
  return text + (values.more ? " and more" : "");
}
std::string told_text(const std::vector<ToldValues>& all) {
  std::string text;
  for (const ToldValues& one : all) text += (text.empty() ? "" : ", ") + told_text(one);
  return text;
}
const std::string kCriteria = "Begin Parameters\nMC_RESOURCE_MATCHING_CRITERIA = os licver\nEnd Parameters\n";
const std::string kValueResources =
    "Begin Resource\nRESOURCENAME TYPE\nos String\nlicver Numeric\nother Numeric\nEnd Resource\n";

TEST(QueueFigures, TellValuesOfMatchingResources) {
  const std::string text =
      kCriteria + kValueResources +
      "Begin Machine\nHOST_NAME STATUS RESOURCES NCPUS r15s pg mem\n"
      "hostA ok (os=rhel8 licver=5 other=1) 4 0.1 0 9\nhostB ok (os=rhel7 licver=5) 4 0.2 0 9\n"
      "hostC unavail (os=sles licver=9) 4 0.2 0 9\nhostD ok () 4 0.2 0 9\nEnd Machine\n";
  EXPECT_EQ(told_text(figures_of_all(text + kGuestQueues)[0].values), "os: rhel7 rhel8, licver: 5");
  EXPECT_EQ(
      told_text(figures_of_all(text + queue("guests", 40, "HOSTS = hostD\nRCVJOBS_FROM = east\n"))[0].values),
      "os:, licver:");
  EXPECT_TRUE(figures_of_all(kMixedMachines + kGuestQueues)[0].values.empty()) << "without the parameter";
}

TEST(QueueFigures, TellTheRangeOfTooManyValues) {
  std::string machines = "Begin Machine\nHOST_NAME STATUS RESOURCES NCPUS r15s pg mem\n";
  for (int host = 0; host < 65; ++host)
    machines += "h" + std::to_string(host) + " ok (os=o" + std::to_string(host) +
                " licver=" + std::to_string(host) + ") 4 0.1 0 9\n";
  EXPECT_EQ(
      told_text(
          figures_of_all(kCriteria + kValueResources + machines + "End Machine\n" + kGuestQueues)[0].values),
      "os: and more, licver: 0 64 and more");
}

// Slots of active advance reservations are not available. This release has no such reservations: mbatchd hands in none.
TEST(QueueFigures, LeaveOutSlotsOfActiveAdvanceReservations) {
  const std::string text = kTwoHosts + kGuestQueues + running("JOB USER QUEUE HOSTS\n1 ann own (3*hostB)\n");
  EXPECT_EQ(figures_of(text, {2, 0}), "total 8 available 3 running 0 pending 0 preemptable 3");
  EXPECT_EQ(figures_of(text, {0, 3}), "total 8 available 4 running 0 pending 0 preemptable 4")
      << "never below 0";
  EXPECT_EQ(figures_of(text, {1}), "total 8 available 4 running 0 pending 0 preemptable 4");
  EXPECT_EQ(figures_of(text), "total 8 available 5 running 0 pending 0 preemptable 5");
}

TEST(QueueFigures, AreEmptyForQueuesThatAreNotWanted) {
  const Scenario scenario = scenario_of(kTwoHosts + kGuestQueues);
  const auto figures = queue_figures(scenario.snapshot, scenario.now, {false, true});
  EXPECT_EQ(figures[0].total, 0);
  EXPECT_EQ(figures[1].total, 8);
}

}  // namespace
}  // namespace rollcall::sched::cycle
