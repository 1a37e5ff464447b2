// PREEMPT_FOR: limits that leave preempted jobs out, and OPTIMAL_MINI_JOB.
#include <random>

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

std::string parameters(const std::string& words) {
  return "Begin Parameters\nPREEMPT_FOR = " + words + "\nEnd Parameters\n";
}
const std::string kLowAndHigh = queue("high", 40, "PREEMPTION = PREEMPTIVE\n") + queue("low", 20);

// "2 4: 9 2*hostA": the jobs that stop, and what starts.
std::string plan_of(const std::string& text) {
  const Scenario scenario = scenario_of(text);
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  std::string said;
  for (const Suspend& suspend : plan.suspends) said += (said.empty() ? "" : " ") + sched::text(suspend.job);
  return said + ": " + starts(plan, scenario.snapshot);
}

// ---------------------------------------------------------------- limits

struct OfLimit {
  const char* limit;
  const char* word;  // "": preempted jobs never count; "-": they always do
};

// ann has one preempted job on hostA. Her next job starts there only if the limit of one slot leaves the preempted one out.
bool starts_with(const std::string& limit, const std::string& preempt_for) {
  const std::string group = "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\nteam (ann)\nEnd UserGroup\n";
  const std::string text = kTwoHosts + kLowAndHigh + group + limit +
                           (preempt_for.empty() ? "" : parameters(preempt_for)) +
                           running("JOB USER QUEUE HOSTS SUSPENDED\n1 ann low (hostA) PREEMPT\n") +
                           pending("JOB USER QUEUE HOSTS\n9 ann high (hostA)\n");
  const Scenario scenario = scenario_of(text);
  return schedule(scenario.snapshot, scenario.now).dispatches.size() == 1;
}
std::string user_row(const std::string& name, const std::string& max_jobs, const std::string& per_processor) {
  return "Begin User\nUSER_NAME MAX_JOBS JL/P\n" + name + " " + max_jobs + " " + per_processor +
         "\nEnd User\n";
}
std::string limit_of(const std::string& rows) { return "Begin Limit\nNAME = l\n" + rows + "End Limit\n"; }

TEST(PreemptFor, NamesTheLimitsThatLeavePreemptedJobsOut) {
  const std::string kWords[] = {"GROUP_JLP", "GROUP_MAX", "HOST_JLU", "USER_JLP"};
  const std::pair<std::string, std::string> kTable[] = {
      {user_row("ann", "1", "-"), ""},
      {user_row("ann", "-", "0.25"), "USER_JLP"},
      {user_row("team", "1", "-"), "GROUP_MAX"},
      {user_row("team", "-", "0.25"), "GROUP_JLP"},
      {user_row("team@", "1", "-"), ""},
      {"Begin Host\nHOST_NAME MXJ JL/U\ndefault ! 1\nEnd Host\n", "HOST_JLU"},
      {limit_of("PER_USER = all\nSLOTS = 1\n"), ""},
      {limit_of("USERS = ann\nSLOTS = 1\n"), ""},
      {limit_of("USERS = ann bob\nSLOTS = 1\n"), "GROUP_MAX"},
      {limit_of("USERS = team\nSLOTS = 1\n"), "GROUP_MAX"},
      {limit_of("USERS = team\nHOSTS = hostA\nSLOTS = 1\n"), "GROUP_MAX"},
      {limit_of("PER_USER = all\nHOSTS = hostA\nSLOTS = 1\n"), "HOST_JLU"},
      {limit_of("USERS = team\nPER_HOST = all\nSLOTS_PER_PROCESSOR = 0.25\n"), "GROUP_JLP"},
      {limit_of("USERS = ann\nPER_HOST = all\nSLOTS_PER_PROCESSOR = 0.25\n"), "USER_JLP"},
      {limit_of("PROJECTS = default\nPER_USER = all\nSLOTS = 1\n"), "-"},
      {limit_of("HOSTS = hostA\nSLOTS = 1\n"), "-"},
      {limit_of("PER_USER = all\nJOBS = 1\n"), "-"},
  };
  for (const auto& [limit, counts_not_with] : kTable) {
    EXPECT_EQ(starts_with(limit, ""), counts_not_with.empty()) << limit;
    for (const std::string& word : kWords)
      EXPECT_EQ(starts_with(limit, word), counts_not_with.empty() || counts_not_with == word) << word << "\n"
                                                                                              << limit;
  }
}

TEST(PreemptFor, OfTheProfileReplacesThatOfParams) {
  const auto starts_of = [](const std::string& of_params, const std::string& of_profile) {
    Scenario scenario =
        scenario_of(kTwoHosts + kLowAndHigh + user_row("ann", "-", "0.25") + parameters(of_params) +
                    "Begin Application\nNAME = app\nPREEMPT_FOR = " + of_profile + "\nEnd Application\n" +
                    running("JOB USER QUEUE HOSTS SUSPENDED APPLICATION\n1 ann low (hostA) PREEMPT app\n") +
                    pending("JOB USER QUEUE HOSTS\n9 ann high (hostA)\n"));
    return schedule(scenario.snapshot, scenario.now).dispatches.size();
  };
  EXPECT_EQ(starts_of("MINI_JOB", "USER_JLP"), 1U);
  EXPECT_EQ(starts_of("USER_JLP", "MINI_JOB"), 0U);
}

// ---------------------------------------------------------------- OPTIMAL_MINI_JOB

const std::string kFourHosts =
    "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 4 0.1 0 9\nhostB ok 4 0.2 0 9\nhostC ok 4 "
    "0.3 0 9\n"
    "hostD ok 4 0.4 0 9\nEnd Machine\n";
std::string asks(const std::string& resreq, int slots) {
  return pending("JOB USER QUEUE SLOTS RES_REQ\n9 bob high " + std::to_string(slots) + " " + resreq + "\n");
}

TEST(OptimalMiniJob, PreemptsTheFewestJobs) {
  const std::string text =
      kFourHosts + kLowAndHigh +
      running(
          "JOB USER QUEUE HOSTS AGE\n1 ann low (2*hostA) 10\n2 ann low (2*hostA) 20\n"
          "3 ann low (4*hostB) 90\n4 ann low (3*hostC) 50\n5 ann low (hostC) 60\n6 ann low (4*hostD) 70\n") +
      asks("-", 4);
  EXPECT_EQ(plan_of(text), "1 2: 9 4*hostA");
  EXPECT_EQ(plan_of(text + parameters("MINI_JOB LEAST_RUN_TIME")), "1 2: 9 4*hostA");
  EXPECT_EQ(plan_of(text + parameters("OPTIMAL_MINI_JOB")), "3: 9 4*hostB");
}

TEST(OptimalMiniJob, KeepsTheUsualJobsWhereOthersAreNotFewer) {
  EXPECT_EQ(plan_of(kFourHosts + kLowAndHigh + parameters("OPTIMAL_MINI_JOB") +
                    running("JOB USER QUEUE HOSTS AGE\n1 ann low (2*hostA) 10\n2 ann low (2*hostA) 20\n"
                            "3 ann low (3*hostB) 90\n7 ann high (hostB) 5\n4 ann low (4*hostC) 50\n"
                            "6 ann high (4*hostD) 70\n") +
                    asks("-", 2)),
            "1: 9 2*hostA");
}

TEST(OptimalMiniJob, LooksOnOneHostWhereTheJobWantsOne) {
  EXPECT_EQ(plan_of(kFourHosts + kLowAndHigh + parameters("OPTIMAL_MINI_JOB") +
                    running("JOB USER QUEUE HOSTS AGE\n1 ann low (2*hostA) 10\n2 ann low (2*hostA) 20\n"
                            "3 ann low (3*hostB) 90\n4 ann low (hostB) 50\n5 ann high (4*hostC) 60\n"
                            "6 ann low (3*hostD) 70\n7 ann low (hostD) 70\n") +
                    asks("\"span[hosts=1]\"", 3)),
            "3: 9 3*hostB");
}

TEST(OptimalMiniJob, UsesNoHostThatDoesNotSuitTheJob) {
  EXPECT_EQ(
      plan_of(kFourHosts + kLowAndHigh + parameters("OPTIMAL_MINI_JOB") +
              running("JOB USER QUEUE HOSTS AGE\n1 ann low (hostA) 10\n2 ann low (hostA) 20\n"
                      "3 ann low (2*hostA 4*hostD) 90\n4 ann low (2*hostB) 50\n5 ann high (2*hostB) 60\n"
                      "6 ann high (4*hostC) 70\n") +
              asks("\"select[r15s<0.25]\"", 4)),
      "3 4: 9 2*hostA 2*hostB");
}

TEST(OptimalMiniJob, TurnsToNoLaterQueueForIt) {
  const std::string queues = queue("high", 90, "PREEMPTION = PREEMPTIVE[first+1 second]\n") +
                             queue("first", 20) + queue("second", 10) + parameters("OPTIMAL_MINI_JOB");
  EXPECT_EQ(plan_of(kTwoHosts + queues +
                    running("JOB USER QUEUE HOSTS\n1 ann first (2*hostA)\n2 ann first (2*hostA)\n"
                            "3 ann second (4*hostB)\n") +
                    asks("-", 4)),
            "2 1: 9 4*hostA");
}

TEST(OptimalMiniJob, OfTheProfileCounts) {
  const std::string text =
      kTwoHosts + kLowAndHigh +
      "Begin Application\nNAME = app\nPREEMPT_FOR = OPTIMAL_MINI_JOB\nEnd Application\n" +
      running("JOB USER QUEUE HOSTS\n1 ann low (2*hostA)\n2 ann low (2*hostA)\n3 ann low (4*hostB)\n");
  EXPECT_EQ(plan_of(text + pending("JOB USER QUEUE SLOTS APPLICATION\n9 bob high 4 app\n")), "3: 9 4*hostB");
  EXPECT_EQ(plan_of(text + pending("JOB USER QUEUE SLOTS\n9 bob high 4\n")), "2 1: 9 4*hostA");
}

// Whatever runs: the job starts with OPTIMAL_MINI_JOB if and only if it does without, and preempts no more jobs.
TEST(OptimalMiniJob, NeverPreemptsMoreJobsAndStartsTheSame) {
  std::size_t fewer = 0;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&random](int least, int most) {
      return least + static_cast<int>(random() % static_cast<std::uint32_t>(most - least + 1));
    };
    std::string rows = "JOB USER QUEUE HOSTS AGE\n";
    int job = 10;
    for (const char* host : {"hostA", "hostB", "hostC", "hostD"})
      for (int left = 4; left > 0;) {
        const int slots = std::min(left, number(1, 4));
        left -= slots;
        if (number(0, 9) == 0) continue;
        rows += std::to_string(++job) + " ann " + (number(0, 5) == 0 ? "high" : "low") + " (" +
                std::to_string(slots) + "*" + host + ") " + std::to_string(number(1, 99)) + "\n";
      }
    const char* const kSpans[] = {"-", "\"span[hosts=1]\"", "\"span[ptile=2]\"", "-"};
    const std::string text =
        kFourHosts + kLowAndHigh + running(rows) + asks(kSpans[number(0, 3)], number(2, 9));
    const auto plan_with = [&](const std::string& more) {
      const Scenario scenario = scenario_of(text + more);
      return schedule(scenario.snapshot, scenario.now);
    };
    const Plan usual = plan_with(""), fewest = plan_with(parameters("OPTIMAL_MINI_JOB"));
    ASSERT_EQ(usual.dispatches.size(), fewest.dispatches.size()) << "seed " << seed;
    ASSERT_LE(fewest.suspends.size(), usual.suspends.size()) << "seed " << seed << "\n" << text;
    fewer += fewest.suspends.size() < usual.suspends.size() ? 1 : 0;
  }
  EXPECT_GT(fewer, 20U);
}

}  // namespace
}  // namespace rollcall::sched::cycle
