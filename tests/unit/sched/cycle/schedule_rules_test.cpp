// Rules of the cycle, row by row: one cluster, one question. What an expert reads is in tests/golden/schedule.
#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

struct Row {
  const char* what;
  std::string scenario;
  const char* starts;
};

const std::string kQueues =
    "Begin Queue\nQUEUE_NAME = low\nPRIORITY = 10\nEnd Queue\nBegin Queue\nQUEUE_NAME = high\nPRIORITY = "
    "20\nEnd Queue\n";
const std::string kOneHost =
    "Begin Machine\nHOST_NAME STATUS NCPUS mem swp tmp\nhostA ok 4 1000 1000 1000\nEnd Machine\n";
std::string limit(const std::string& lines) { return "Begin Limit\nNAME = one\n" + lines + "End Limit\n"; }
std::string queue(const std::string& lines) {
  return "Begin Queue\nQUEUE_NAME = normal\n" + lines + "End Queue\n";
}

const std::string kAcceptInterval =
    "Begin Parameters\nMBD_SLEEP_TIME = 20\nJOB_ACCEPT_INTERVAL = 1\nEnd Parameters\n";
std::string last_start(int seconds_ago) {
  return "Begin Machine\nHOST_NAME STATUS NCPUS LAST_START\nhostA ok 4 " + std::to_string(seconds_ago) +
         "\nEnd Machine\n";
}

const std::string kGroup = "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\nteam (ann bob)\nEnd UserGroup\n";
std::string user_limits(const std::string& rows) {
  return "Begin User\nUSER_NAME MAX_JOBS\n" + rows + "End User\n" + kGroup;
}

class Rules : public testing::TestWithParam<Row> {};

TEST_P(Rules, hold) { EXPECT_EQ(starts(GetParam().scenario), GetParam().starts) << GetParam().what; }

const std::vector<Row> kRows{
    {"nothing waits", kTwoHosts, ""},
    {"priority before order", kQueues + kTwoHosts + pending("JOB QUEUE\n1 low\n2 high\n"),
     "2 hostA, 1 hostA"},
    {"the best host first", kTwoHosts + pending("JOB RES_REQ\n1 order[-r15s]\n"), "1 hostB"},
    {"hosts of one rank by number", kTwoHosts + pending("JOB RES_REQ\n1 order[pg]\n2 order[mem]\n"),
     "1 hostA, 2 hostA"},
    {"a job that does not fit lets others by", kTwoHosts + pending("JOB SLOTS\n1 9\n2 1\n"), "2 hostA"},
    {"-n 2,8 takes what is there", kTwoHosts + pending("JOB SLOTS\n1 2,100\n"), "1 4*hostA 4*hostB"},
    {"-n 2,3 takes no more", kTwoHosts + pending("JOB SLOTS\n1 2,3\n"), "1 3*hostA"},
    {"span[hosts=1] takes up to the most", kTwoHosts + pending("JOB SLOTS RES_REQ\n1 2,100 span[hosts=1]\n"),
     "1 4*hostA"},
    {"ptile=3 of 4", kTwoHosts + pending("JOB SLOTS RES_REQ\n1 4 span[ptile=3]\n"), "1 3*hostA hostB"},
    {"ptile=3 of 5 with -n 4,5", kTwoHosts + pending("JOB SLOTS RES_REQ\n1 4,5 span[ptile=3]\n"),
     "1 3*hostA 2*hostB"},
    {"ptile=5 fits nowhere", kTwoHosts + pending("JOB SLOTS RES_REQ\n1 5 span[ptile=5]\n"), ""},
    {"ptile larger than the job", kTwoHosts + pending("JOB SLOTS RES_REQ\n1 2 span[ptile=8]\n"), "1 2*hostA"},
    {"host! on a host that is not the best", kTwoHosts + pending("JOB SLOTS HOSTS\n1 6 (all hostB!)\n"),
     "1 4*hostB 2*hostA"},
    {"host! with span[hosts=1]",
     kTwoHosts + pending("JOB SLOTS HOSTS RES_REQ\n1 2 (all hostB!) span[hosts=1]\n"), "1 2*hostB"},
    {"~host", kTwoHosts + pending("JOB HOSTS\n1 (all ~hostA)\n"), "1 hostB"},
    {"a host that nobody knows", kTwoHosts + pending("JOB HOSTS\n1 (hostX)\n"), ""},
    {"others", kTwoHosts + pending("JOB HOSTS\n1 (hostA others+3)\n"), "1 hostB"},
    {"QJOB_LIMIT counts slots", queue("QJOB_LIMIT = 3\n") + kOneHost + pending("JOB SLOTS\n1 2\n2 2\n3 1\n"),
     "1 2*hostA, 3 hostA"},
    {"QJOB_LIMIT with -n 1,4", queue("QJOB_LIMIT = 3\n") + kOneHost + pending("JOB SLOTS\n1 1,4\n"),
     "1 3*hostA"},
    {"QJOB_LIMIT 0", queue("QJOB_LIMIT = 0\n") + kOneHost + pending("JOB\n1\n"), ""},
    {"suspended jobs count",
     queue("QJOB_LIMIT = 1\n") + kOneHost + running("JOB HOSTS SUSPENDED\n9 (hostA) (USER)\n") +
         pending("JOB\n1\n"),
     ""},
    {"UJOB_LIMIT for each user",
     queue("UJOB_LIMIT = 1\n") + kOneHost + pending("JOB USER\n1 ann\n2 ann\n3 bob\n"), "1 hostA, 3 hostA"},
    {"HJOB_LIMIT spreads", queue("HJOB_LIMIT = 2\n") + kTwoHosts + pending("JOB SLOTS\n1 4\n"),
     "1 2*hostA 2*hostB"},
    {"SLOTS of two hosts together",
     limit("HOSTS = hostA hostB\nSLOTS = 5\n") + kTwoHosts + pending("JOB SLOTS\n1 1,8\n"),
     "1 4*hostA hostB"},
    {"SLOTS of each host", limit("PER_HOST = all\nSLOTS = 2\n") + kTwoHosts + pending("JOB SLOTS\n1 1,8\n"),
     "1 2*hostA 2*hostB"},
    {"SLOTS_PER_PROCESSOR",
     limit("PER_HOST = all\nSLOTS_PER_PROCESSOR = 0.5\n") + kTwoHosts + pending("JOB SLOTS\n1 1,8\n"),
     "1 2*hostA 2*hostB"},
    {"a limit of each processor is rounded up",
     queue("PJOB_LIMIT = 0.3\n") + kOneHost + pending("JOB SLOTS\n1 1,4\n"), "1 2*hostA"},
    {"a limit of licence projects is nobody's",
     limit("LIC_PROJECTS = x\nSLOTS = 0\n") + kOneHost + pending("JOB\n1\n"), "1 hostA"},
    {"a limit of an application is not of others",
     limit("APPS = x\nSLOTS = 0\n") + kOneHost + pending("JOB\n1\n"), "1 hostA"},
    {"SLOTS in per cent", limit("PER_HOST = hostA\nSLOTS = 50%\n") + kOneHost + pending("JOB SLOTS\n1 1,8\n"),
     "1 2*hostA"},
    {"JOBS counts jobs",
     limit("USERS = ann\nJOBS = 1\n") + kOneHost + pending("JOB USER SLOTS\n1 ann 2\n2 ann 1\n3 bob 1\n"),
     "1 2*hostA, 3 hostA"},
    {"JOBS of each host", limit("PER_HOST = hostA\nJOBS = 1\n") + kTwoHosts + pending("JOB\n1\n2\n"),
     "1 hostA, 2 hostB"},
    {"MAX_JOBS of default is of each user, and of a group without a row",
     user_limits("default 2\n") + kOneHost + pending("JOB USER\n1 ann\n2 bob\n3 ann\n4 eve\n"),
     "1 hostA, 2 hostA, 4 hostA"},
    {"MAX_JOBS of default is of no group with a row",
     user_limits("default 2\nteam 3\n") + kOneHost + pending("JOB USER\n1 ann\n2 bob\n3 ann\n4 bob\n"),
     "1 hostA, 2 hostA, 3 hostA"},
    {"MAX_JOBS of default is of no group with a row for each member",
     user_limits("default 1\nteam@ 2\n") + kOneHost + pending("JOB USER\n1 ann\n2 bob\n3 ann\n4 eve\n"),
     "1 hostA, 2 hostA, 4 hostA"},
    {"TMP of a user",
     limit("USERS = ann\nTMP = 500\n") + kOneHost +
         pending("JOB USER RES_REQ\n1 ann rusage[tmp=300]\n2 ann rusage[tmp=300]\n3 bob rusage[tmp=300]\n"),
     "1 hostA, 3 hostA"},
    {"QUEUES and USERS together admit both",
     limit("USERS = ann\nQUEUES = high\nSLOTS = 0\n") + kQueues + kOneHost +
         pending("JOB USER QUEUE\n1 ann high\n2 bob high\n3 ann low\n"),
     "2 hostA, 3 hostA"},
    {"rusage as many as fit", kOneHost + pending("JOB RES_REQ\n1[1-4] rusage[mem=300]\n"),
     "1[1] hostA, 1[2] hostA, 1[3] hostA"},
    {"rusage exactly all", kOneHost + pending("JOB RES_REQ\n1[1-3] rusage[mem=500]\n"),
     "1[1] hostA, 1[2] hostA"},
    {"rusage is kept for each host", kTwoHosts + pending("JOB SLOTS RES_REQ\n1 8 rusage[mem=1000]\n"),
     "1 4*hostA 4*hostB"},
    {"an index that grows can always be raised", kTwoHosts + pending("JOB RES_REQ\n1 rusage[r15s=50]\n2 -\n"),
     "1 hostA, 2 hostB"},
    {"select sees what is kept", kOneHost + pending("JOB RES_REQ\n1 rusage[mem=600]\n2 select[mem>500]\n"),
     "1 hostA"},
    {"-x in a queue without EXCLUSIVE", kOneHost + pending("JOB EXCLUSIVE\n1 Y\n"), ""},
    {"-x needs empty hosts, all of them",
     queue("EXCLUSIVE = Y\n") + kTwoHosts + running("JOB HOSTS\n9 (hostA)\n") +
         pending("JOB SLOTS EXCLUSIVE\n1 8 Y\n2 4 Y\n"),
     "2 4*hostB"},
    {"nothing beside -x in the same cycle",
     queue("EXCLUSIVE = Y\n") + kOneHost + pending("JOB EXCLUSIVE\n1 Y\n2 -\n"), "1 hostA"},
    {"nor where other hosts are free",
     queue("EXCLUSIVE = Y\n") + kTwoHosts + pending("JOB EXCLUSIVE SLOTS\n1 Y 1\n2 - 5\n3 - 4\n"),
     "1 hostA, 3 4*hostB"},
    {"%limit of an array", kOneHost + pending("JOB ARRAY_SLOTS\n1[1-9] 2\n"), "1[1] hostA, 1[2] hostA"},
    {"-b has come", kOneHost + pending("JOB BEGIN\n1 0\n2 1\n"), "1 hostA"},
    {"a queue that is closed goes on",
     kQueues + "Begin QueueState\nQUEUE STATUS\nlow Closed:Active\nhigh Open:Inact\nEnd QueueState\n" +
         kOneHost + pending("JOB QUEUE\n1 low\n2 high\n"),
     "1 hostA"},
    {"a host takes its next job when its interval is over",
     kAcceptInterval + last_start(20) + pending("JOB\n1\n"), "1 hostA"},
    {"and not before", kAcceptInterval + last_start(19) + pending("JOB\n1\n"), ""},
    {"same[] of several that have as much is the best host's",
     "Begin Machine\nHOST_NAME STATUS TYPE NCPUS r15s pg\nhostA ok X86_64 4 0.1 0\nhostB ok ARM 4 0.2 0\nEnd "
     "Machine\n" +
         pending("JOB SLOTS RES_REQ\n1 2,8 \"select[type==any] same[type]\"\n"),
     "1 4*hostA"},
    {"other types only where asked",
     "Begin Machine\nHOST_NAME STATUS NCPUS TYPE\nhostA ok 4 ARM\nEnd Machine\n" +
         pending("JOB RES_REQ\n1 -\n2 select[type==any]\n"),
     "2 hostA"},
};
INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(kRows));

TEST(Cycle, each_demand_is_looked_at_once) {
  const Scenario scenario = scenario_of(kTwoHosts + pending("JOB USER\n1[1-500] ann\n2[1-500] bob\n"));
  EXPECT_LE(schedule(scenario.snapshot, scenario.now).demands_looked_at, 2U);
}

TEST(Cycle, the_job_that_was_started_counts_at_once_and_later) {
  Scenario scenario = scenario_of(kTwoHosts + pending("JOB USER RES_REQ\n1[1-20] ann rusage[mem=250]\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  EXPECT_EQ(plan.dispatches.size(), 8U);
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(scenario.snapshot.broken_invariant(), "");
  EXPECT_TRUE(schedule(scenario.snapshot, scenario.now).dispatches.empty());
  scenario.snapshot.forget({1, 3});
  EXPECT_EQ(starts(schedule(scenario.snapshot, scenario.now), scenario.snapshot), "1[9] hostA");
}

TEST(Cycle, the_effective_requirement_has_the_alternative_that_was_taken) {
  const Scenario scenario = scenario_of(kOneHost + pending("JOB RES_REQ\n1 \"rusage[mem=5000||mem=100]\"\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  ASSERT_EQ(plan.dispatches.size(), 1U);
  EXPECT_NE(plan.dispatches[0].effective_resreq->find("rusage[mem=100]"), std::string::npos)
      << *plan.dispatches[0].effective_resreq;
  EXPECT_EQ(plan.dispatches[0].effective_resreq->find("5000"), std::string::npos);
}

// One text for each alternative would take the product of both lengths, for each pending job.
TEST(Cycle, many_alternatives_of_a_demand_keep_no_text_each) {
  Scenario scenario = scenario_of(kOneHost);
  Demand demand;
  demand.queue = "normal";
  demand.user = "ann";
  demand.resreq = "select[mem > 0" + std::string(40'000, ' ') + "] rusage[mem=500000";
  for (int i = 0; i < 1000; ++i) demand.resreq += "||mem=" + std::to_string(100 + i);
  demand.resreq += "]";
  Tallies tallies;
  const auto compiled = DemandCompiler(scenario.snapshot.rules()).compile(demand, tallies);
  ASSERT_EQ(compiled->error, "");
  ASSERT_EQ(compiled->alternatives.size(), 1001U);
  EXPECT_EQ(compiled->text, nullptr);
  const auto text = effective_text(*compiled, compiled->alternatives[7]);
  EXPECT_EQ(*text, "select[mem > 0] rusage[mem=106]");
  EXPECT_EQ(effective_text(*compiled, compiled->alternatives[7]), text)
      << "one text for all jobs that take it";
  EXPECT_EQ(compiled->alternatives[8].text, nullptr) << "no earlier alternative is taken";
}

TEST(Cycle, a_suspension_is_applied_and_is_not_planned_again) {
  Scenario scenario = scenario_of(
      "Begin Host\nHOST_NAME MXJ r1m\ndefault 8 1/2\nEnd Host\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS r1m it\nhostA ok 4 3 0\nEnd Machine\n" +
      running("JOB HOSTS\n1 (hostA)\n2 (hostA)\n"));
  const Plan plan = schedule(scenario.snapshot, scenario.now);
  ASSERT_EQ(plan.suspends.size(), 1U);
  EXPECT_EQ(plan.suspends[0].reasons, static_cast<std::uint32_t>(wire::SUSPEND_LOAD));
  apply(plan, scenario.now, scenario.snapshot);
  const WallTime soon{scenario.now.us + 10'000'000}, later{scenario.now.us + 31'000'000};
  EXPECT_TRUE(schedule(scenario.snapshot, soon).suspends.empty());
  EXPECT_EQ(schedule(scenario.snapshot, later).suspends.size(), 1U);
}

// The Book would ignore the plan, and the host's other jobs would wait for their turn for ever.
TEST(Cycle, JobsOfASilentHostAreNeitherSuspendedNorResumed) {
  const auto planned = [](const std::string& load, const std::string& jobs) {
    Scenario scenario = scenario_of(
        "Begin Host\nHOST_NAME MXJ r1m\ndefault 8 1/2\nEnd Host\n"
        "Begin Machine\nHOST_NAME STATUS NCPUS r1m it\nhostA ok 4 " +
        load + " 0\nEnd Machine\n" + running("JOB HOSTS AGE SUSPENDED SINCE\n" + jobs));
    PlacedJob silent = *scenario.snapshot.placed({1, 0});
    silent.silent = true;
    scenario.snapshot.place(silent);
    const Plan plan = schedule(scenario.snapshot, scenario.now);
    std::string said;
    for (const auto& suspend : plan.suspends) said += "stop " + text(suspend.job);
    for (const auto& resume : plan.resumes) said += "go on " + text(resume.job);
    return said;
  };
  EXPECT_EQ(planned("3", "1 (hostA) 500 - 100\n2 (hostA) 600 - 100\n"), "stop 2");
  EXPECT_EQ(planned("0.5", "1 (hostA) 600 (LOAD) 100\n2 (hostA) 500 (LOAD) 100\n"), "go on 2");
}

// How many jobs of a host, on which r1m is above loadStop, are suspended.
std::size_t suspended_at(const std::string& idle_minutes, const std::string& jobs) {
  const Scenario scenario = scenario_of(
      "Begin Host\nHOST_NAME MXJ r1m\ndefault 8 1/2\nEnd Host\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS r1m it\nhostA ok 4 3 " +
      idle_minutes + "\nEnd Machine\n" + running("JOB HOSTS AGE SINCE\n" + jobs));
  return schedule(scenario.snapshot, scenario.now).suspends.size();
}

TEST(Cycle, a_host_is_left_alone_for_a_while_when_a_job_of_it_went_on) {
  EXPECT_EQ(suspended_at("0", "1 (hostA) 600 -\n2 (hostA) 500 29\n"), 0U);
  EXPECT_EQ(suspended_at("0", "1 (hostA) 600 -\n2 (hostA) 500 30\n"), 1U);
}

TEST(Cycle, the_only_job_of_a_host_that_nobody_sits_at_goes_on) {
  EXPECT_EQ(suspended_at("5", "1 (hostA) 600 -\n"), 0U);
  EXPECT_EQ(suspended_at("0", "1 (hostA) 600 -\n"), 1U);
  EXPECT_EQ(suspended_at("5", "1 (hostA) 600 -\n2 (hostA) 500 -\n"), 1U);
}

TEST(Cycle, what_was_suspended_for_paging_waits_until_nobody_sits_there) {
  const auto resumed = [](const std::string& idle_minutes) {
    const Scenario scenario = scenario_of(
        "Begin Host\nHOST_NAME MXJ pg\ndefault 8 5/10\nEnd Host\n"
        "Begin Machine\nHOST_NAME STATUS NCPUS pg it\nhostA ok 4 1 " +
        idle_minutes + "\nEnd Machine\n" + running("JOB HOSTS SUSPENDED SINCE\n1 (hostA) (LOAD) 100\n"));
    return schedule(scenario.snapshot, scenario.now).resumes.size();
  };
  EXPECT_EQ(resumed("2"), 0U) << "PG_SUSP_IT is 180 seconds";
  EXPECT_EQ(resumed("3"), 1U);
}

// A host has one turn in an interval: a running job that must stop takes it before a suspended one that could go on,
// whichever of them has the higher priority, the later start or the smaller id.
TEST(Cycle, SuspensionTakesAHostsTurnBeforeResumption) {
  const auto planned = [](const std::string& rows) {
    const Scenario scenario = scenario_of(
        "Begin Queue\nQUEUE_NAME = strict\nPRIORITY = 20\nr1m = 1/2\nEnd Queue\n"
        "Begin Queue\nQUEUE_NAME = lax\nPRIORITY = 30\nr1m = 5/10\nEnd Queue\n"
        "Begin Queue\nQUEUE_NAME = low\nPRIORITY = 10\nr1m = 5/10\nEnd Queue\n"
        "Begin Machine\nHOST_NAME STATUS NCPUS r1m it\nhostA ok 4 3 0\nEnd Machine\n" +
        running("JOB QUEUE HOSTS SUSPENDED AGE SINCE\n" + rows));
    const Plan plan = schedule(scenario.snapshot, scenario.now);
    std::string said;
    for (const auto& suspend : plan.suspends) said += "stop " + text(suspend.job);
    for (const auto& resume : plan.resumes) said += "go on " + text(resume.job);
    return said;
  };
  EXPECT_EQ(planned("1 lax (hostA) (LOAD) 600 100\n"), "go on 1") << "by itself it would go on";
  EXPECT_EQ(planned("1 lax (hostA) (LOAD) 600 100\n2 strict (hostA) - 500 100\n"), "stop 2");
  EXPECT_EQ(planned("1 low (hostA) (LOAD) 600 100\n2 strict (hostA) - 500 100\n"), "stop 2");
  EXPECT_EQ(planned("2 lax (hostA) (LOAD) 500 100\n1 strict (hostA) - 600 100\n"), "stop 1");
  EXPECT_EQ(planned("2 low (hostA) (LOAD) 500 100\n1 strict (hostA) - 600 100\n"), "stop 1");
}

TEST(Cycle, another_reason_does_not_suspend_it_anew) {
  Scenario scenario = scenario_of(kTwoHosts + running("JOB HOSTS SUSPENDED SINCE\n1 (hostA) (LOAD) 100\n"));
  const WallTime since = scenario.snapshot.placed({1, 0})->status_since;
  Plan plan;
  plan.suspends.push_back({{1, 0}, wire::SUSPEND_WINDOW, ""});
  apply(plan, scenario.now, scenario.snapshot);
  EXPECT_EQ(scenario.snapshot.placed({1, 0})->suspended,
            static_cast<std::uint32_t>(wire::SUSPEND_LOAD | wire::SUSPEND_WINDOW));
  EXPECT_EQ(scenario.snapshot.placed({1, 0})->status_since, since);
}

TEST(Cycle, what_several_hosts_of_a_job_take_back_must_be_there_together) {
  const auto resumed = [](const std::string& others) {
    const Scenario scenario = scenario_of(
        "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\nlic Numeric () N Y "
        "()\nEnd "
        "Resource\n"
        "Begin ResourceMap\nRESOURCENAME LOCATION\nlic (2@[all])\nEnd ResourceMap\n"
        "Begin ReservationUsage\nRESOURCE METHOD\nlic PER_HOST\nEnd ReservationUsage\n" +
        kTwoHosts +
        running("JOB HOSTS RES_REQ SUSPENDED SINCE\n1 (hostA hostB) rusage[lic=1] (LOAD) 100\n" + others));
    return schedule(scenario.snapshot, scenario.now).resumes.size();
  };
  EXPECT_EQ(resumed(""), 1U);
  EXPECT_EQ(resumed("2 (hostA) rusage[lic=1] - 100\n"), 0U);
}

TEST(Cycle, a_job_waits_to_go_on_until_its_shared_resource_is_free_again) {
  const std::string site =
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\nlic Numeric () N Y ()\nEnd "
      "Resource\n"
      "Begin ResourceMap\nRESOURCENAME LOCATION\nlic (1@[all])\nEnd ResourceMap\n"
      "Begin Host\nHOST_NAME MXJ r1m\ndefault 8 1/2\nEnd Host\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS r1m\nhostA ok 4 0.1\nEnd Machine\n";
  const std::string suspended = "1 (hostA) rusage[lic=1] (LOAD) 100\n";
  const Scenario taken = scenario_of(
      site + running("JOB HOSTS RES_REQ SUSPENDED SINCE\n" + suspended + "2 (hostA) rusage[lic=1] - 100\n"));
  EXPECT_TRUE(schedule(taken.snapshot, taken.now).resumes.empty());
  const Scenario held = scenario_of(site + running("JOB HOSTS RES_REQ SUSPENDED SINCE\n"
                                                   "1 (hostA) rusage[lic=1] (LOAD USER) 100\n"
                                                   "2 (hostA) rusage[lic=1] - 100\n"));
  EXPECT_EQ(schedule(held.snapshot, held.now).resumes.size(), 1U)
      << "its user still holds it, so it takes no resource";
  const Scenario free = scenario_of(site + running("JOB HOSTS RES_REQ SUSPENDED SINCE\n" + suspended));
  EXPECT_EQ(schedule(free.snapshot, free.now).resumes.size(), 1U);
}

TEST(Cycle, a_job_goes_on_when_none_of_the_reasons_is_left) {
  const std::string site =
      "Begin Queue\nQUEUE_NAME = day\nRUN_WINDOW = 8:00-20:00\nEnd Queue\n"
      "Begin Queue\nQUEUE_NAME = night\nRUN_WINDOW = 20:00-8:00\nEnd Queue\n"
      "Begin Host\nHOST_NAME MXJ r1m\ndefault 8 1/2\nEnd Host\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS r1m\nhostA ok 4 1.5\nhostB ok 4 0.1\nEnd Machine\n";
  const auto resumed = [&](const std::string& row) {
    const Scenario scenario =
        scenario_of(site + running("JOB QUEUE HOSTS SUSPENDED SINCE\n" + row + " 100\n"));
    const Plan plan = schedule(scenario.snapshot, scenario.now);
    return plan.resumes.empty() ? 0 : plan.resumes[0].reasons;
  };
  EXPECT_EQ(resumed("1 day (hostB) (LOAD WINDOW)"),
            static_cast<std::uint32_t>(wire::SUSPEND_LOAD | wire::SUSPEND_WINDOW));
  EXPECT_EQ(resumed("1 day (hostA) (LOAD WINDOW)"), 0U);    // the load is still above loadSched
  EXPECT_EQ(resumed("1 night (hostB) (LOAD WINDOW)"), 0U);  // the window is closed
  EXPECT_EQ(resumed("1 day (hostB) (WINDOW USER)"), static_cast<std::uint32_t>(wire::SUSPEND_WINDOW));
  EXPECT_EQ(resumed("1 day (hostB) (USER)"), 0U);
}

TEST(PendingReasons, are_of_the_job_that_is_asked_for) {
  Scenario scenario =
      scenario_of(kOneHost + running("JOB HOSTS\n9 (3*hostA)\n") +
                  pending("JOB SLOTS EXCLUDED RES_REQ\n1 2 - -\n2 1 (hostA) -\n3 1 - select[mem>5000]\n"));
  apply(schedule(scenario.snapshot, scenario.now), scenario.now, scenario.snapshot);
  PendingReasons reasons(scenario.snapshot, scenario.now);
  ASSERT_EQ(reasons.of({1, 0}).size(), 1U);
  EXPECT_EQ(text_of(reasons.of({1, 0})[0]), "Not enough job slots;");
  EXPECT_EQ(words_of(reasons.of({1, 0})[0]),
            "Not enough job slots: job asks for 2 slots, 1 slot is free on 1 host that fits");
  EXPECT_EQ(text_of(reasons.of({2, 0})[0]), "Host is excluded for the job: 1 host;");
  EXPECT_EQ(text_of(reasons.of({3, 0})[0]), "Job's resource requirements not satisfied: 1 host;");
  EXPECT_EQ(words_of(reasons.of({3, 0})[0]), "1 host: mem is 1000 MB, job asks for mem > 5000");
  EXPECT_TRUE(reasons.of({9, 0}).empty());
  EXPECT_TRUE(reasons.of({77, 0}).empty());
}

TEST(PendingReasons, are_worked_out_once_for_all_jobs_that_want_the_same) {
  Scenario scenario = scenario_of(
      kOneHost + pending("JOB RES_REQ\n1 select[mem>5000]\n2 select[mem>5000]\n3 select[mem>6000]\n"));
  apply(schedule(scenario.snapshot, scenario.now), scenario.now, scenario.snapshot);
  PendingReasons reasons(scenario.snapshot, scenario.now);
  EXPECT_EQ(reasons.number_of({1, 0}), 1U);
  EXPECT_EQ(reasons.number_of({2, 0}), 1U);
  EXPECT_EQ(reasons.number_of({3, 0}), 2U);
  EXPECT_EQ(reasons.number_of({77, 0}), 0U);
  EXPECT_EQ(reasons.hosts_looked_at(), 2U);
  reasons.look_at(scenario.snapshot, scenario.now);
  EXPECT_EQ(reasons.number_of({2, 0}), 1U);
  EXPECT_EQ(reasons.hosts_looked_at(), 2U) << "the computed answer stays";
  EXPECT_EQ(words_of(reasons.at(2)[0]), "1 host: mem is 1000 MB, job asks for mem > 6000");
}

}  // namespace
}  // namespace rollcall::sched::cycle
