// Cells of queues and profiles: typed values for mbatchd, and the text as written for commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/lsb/lsb_applications.hpp"
#include "common/conf/lsb/lsb_params.hpp"
#include "common/conf/lsb/lsb_queues.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

struct ReadQueue {
  Problems problems;
  QueueRow queue;
  std::vector<std::string> lines;
};

ReadQueue read_queue(const std::string& lines) {
  ReadQueue read;
  const auto file = parse_sections("Begin Queue\nQUEUE_NAME = q\n" + lines + "End Queue\n", "lsb.queues", {},
                                   read.problems);
  const auto queues = read_lsb_queues(file, IndexTable{}, LimitUnit{}, read.problems);
  if (!queues.empty()) read.queue = queues[0];
  for (const Problem& problem : read.problems.all()) read.lines.push_back(problem.text);
  return read;
}

std::vector<std::string> texts(const ShownLines& lines) {
  std::vector<std::string> texts;
  for (const ShownLine& line : lines) texts.push_back(line.keyword + "=" + line.text);
  return texts;
}

TEST(QueueValues, EveryCellIsRead) {
  const auto read = read_queue(
      "JOB_ACCEPT_INTERVAL = 0.5\nMAX_JOB_REQUEUE = 3\nLOCAL_MAX_PREEXEC_RETRY = 4\nMAX_PREEXEC_RETRY = 5\n"
      "RERUNNABLE = yes\nJOB_OVERRUN = 60\nJOB_UNDERRUN = 2\nJOB_IDLE = 0.10\n");
  EXPECT_THAT(read.lines, IsEmpty());
  EXPECT_THAT(read.queue.accept_interval, Optional(0.5));
  EXPECT_THAT(read.queue.jobs.most_requeues, Optional(3));
  EXPECT_THAT(read.queue.jobs.preexec_retries, Optional(4)) << "that of this cluster counts first";
  EXPECT_THAT(read.queue.jobs.remote_preexec_retries, Optional(5));
  EXPECT_TRUE(read.queue.rerunnable);
  EXPECT_THAT(read.queue.overrun_minutes, Optional(60));
  EXPECT_THAT(read.queue.underrun_minutes, Optional(2));
  EXPECT_THAT(read.queue.idle, Optional(0.1));
}

TEST(QueueValues, PreemptForIsAListOfWords) {
  const auto read = [](const std::string& words) {
    Problems problems;
    const auto params =
        read_lsb_params(parse_sections("Begin Parameters\nPREEMPT_FOR = " + words + "\nEnd Parameters\n",
                                       "lsb.params", {}, problems),
                        problems);
    return std::pair(params.preempt_for, problems.all().empty() ? "" : problems.all()[0].text);
  };
  const auto all = read("GROUP_JLP GROUP_MAX HOST_JLU USER_JLP LEAST_RUN_TIME MINI_JOB OPTIMAL_MINI_JOB");
  EXPECT_EQ(all.first, (PreemptFor{true, true, true, true, true, true, true}));
  EXPECT_EQ(all.second, "");
  EXPECT_EQ(read("user_jlp").first, PreemptFor{.user_jlp = true});
  const auto invalid = read("MINI_JOB MAXI_JOB");
  EXPECT_EQ(invalid.first, PreemptFor{});
  EXPECT_EQ(
      invalid.second,
      "PREEMPT_FOR: found \"MAXI_JOB\", expected GROUP_JLP, GROUP_MAX, HOST_JLU, LEAST_RUN_TIME, MINI_JOB, "
      "OPTIMAL_MINI_JOB or USER_JLP");
}

TEST(QueueValues, PreemptJobtypeKnowsThreeWordsOfWhichOneActs) {
  const auto read = [](const std::string& words) {
    Problems problems;
    const auto params =
        read_lsb_params(parse_sections("Begin Parameters\nPREEMPT_JOBTYPE = " + words + "\nEnd Parameters\n",
                                       "lsb.params", {}, problems),
                        problems);
    std::string said = params.preempt_exclusive ? "exclusive" : "none";
    for (const Problem& problem : problems.all()) said += "; " + problem.text;
    return said;
  };
  EXPECT_EQ(read("EXCLUSIVE"), "exclusive");
  EXPECT_EQ(read("exclusive BACKFILL AFFINITY"), "exclusive");
  EXPECT_EQ(read("ALL"), "none; PREEMPT_JOBTYPE: found \"ALL\", expected EXCLUSIVE, BACKFILL or AFFINITY");
}

TEST(QueueValues, LimitsOfPreemptionAreMinutesPartsAndSeconds) {
  const auto read = read_queue(
      "MAX_JOB_PREEMPT = 2\nMAX_TOTAL_TIME_PREEMPT = 15\nNO_PREEMPT_INTERVAL = 5\nNO_PREEMPT_RUN_TIME = "
      "90\nNO_PREEMPT_FINISH_TIME = 25%\n"
      "PREEMPT_DELAY = 30\n");
  EXPECT_THAT(read.lines, IsEmpty());
  const PreemptionLimits& limits = read.queue.jobs.preemption_limits;
  EXPECT_THAT(limits.most, Optional(2));
  EXPECT_THAT(limits.total_min, Optional(15));
  EXPECT_THAT(limits.interval_min, Optional(5));
  EXPECT_EQ(limits.run_time, (PartOfRun{90, false}));
  EXPECT_EQ(limits.finish_time, (PartOfRun{25, true}));
  EXPECT_THAT(limits.delay_s, Optional(30));
  EXPECT_THAT(
      read_queue("NO_PREEMPT_RUN_TIME = 120%\n").lines,
      ElementsAre("NO_PREEMPT_RUN_TIME: found \"120%\", expected minutes, or a part of the run limit from "
                  "0% to 100%"));
}

TEST(QueueValues, FirstOfTakesEachLimitOfPreemptionFromTheFirstThatHasIt) {
  PreemptionLimits profile, queue;
  profile.total_min = 10;
  queue.total_min = 20;
  queue.most = 3;
  EXPECT_THAT(first_of(profile, queue).total_min, Optional(10));
  EXPECT_THAT(first_of(profile, queue).most, Optional(3));
  EXPECT_THAT(first_of({}, queue).total_min, Optional(20));
}

TEST(QueueValues, ValuesThatAreNotGivenAreAbsent) {
  const auto read = read_queue("MAX_JOB_REQUEUE = -\n");
  EXPECT_THAT(read.lines, IsEmpty());
  EXPECT_EQ(read.queue.accept_interval, std::nullopt);
  EXPECT_EQ(read.queue.jobs.most_requeues, std::nullopt);
  EXPECT_EQ(read.queue.jobs.preexec_retries, std::nullopt);
  EXPECT_FALSE(read.queue.rerunnable);
  EXPECT_EQ(read.queue.overrun_minutes, std::nullopt);
  EXPECT_EQ(read.queue.underrun_minutes, std::nullopt);
  EXPECT_EQ(read.queue.idle, std::nullopt);
}

TEST(QueueValues, InvalidValueIsReportedAndNotUsed) {
  const auto read = read_queue(
      "JOB_ACCEPT_INTERVAL = often\nMAX_JOB_REQUEUE = -1\nMAX_PREEXEC_RETRY = x\nRERUNNABLE = yeah\n");
  EXPECT_THAT(read.lines,
              ElementsAre("MAX_JOB_REQUEUE: found \"-1\", expected a whole number from 0 to 1000000000",
                          "MAX_PREEXEC_RETRY: found \"x\", expected a whole number from 0 to 1000000000",
                          "JOB_ACCEPT_INTERVAL: found \"often\", expected a number, 0 or more",
                          "RERUNNABLE: found \"yeah\", expected Y or N"));
  EXPECT_EQ(read.queue.accept_interval, std::nullopt);
  EXPECT_EQ(read.queue.jobs.most_requeues, std::nullopt);
  EXPECT_EQ(read.queue.jobs.preexec_retries, std::nullopt);
  EXPECT_FALSE(read.queue.rerunnable);
  EXPECT_THAT(texts(read.queue.shown), IsEmpty());
}

TEST(QueueValues, ShownTextIsAsWritten) {
  const auto read = read_queue("job_idle = 0.10\nRES_REQ = (mem > 5)\nPRE_EXEC = /bin/x  y\nMIG = 5\n");
  EXPECT_THAT(texts(read.queue.shown),
              ElementsAre("PRE_EXEC=/bin/x  y", "RES_REQ=(mem > 5)", "JOB_IDLE=0.10"));
}

TEST(QueueValues, RequirementsHaveTheirPlaces) {
  const auto read = read_queue("STOP_COND = mem < 5\nRES_REQ = mem > 5\n");
  ASSERT_EQ(read.queue.jobs.requirements.size(), 2U);
  EXPECT_EQ(read.queue.jobs.requirements[0].keyword, "RES_REQ");
  EXPECT_EQ(read.queue.jobs.requirements[0].place.line, 4);
  EXPECT_EQ(read.queue.jobs.requirements[1].text, "mem < 5");
}

TEST(ProfileValues, RetriesRequeuesAndWhatIsShown) {
  Problems problems;
  const auto file = parse_sections(
      "Begin Application\nNAME = fluent\nMAX_JOB_REQUEUE = 3\nMAX_PREEXEC_RETRY = 5\nEnd Application\n", "a",
      {}, problems);
  const auto profiles = read_lsb_applications(file, LimitUnit{}, problems);
  EXPECT_TRUE(problems.all().empty());
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_THAT(profiles[0].jobs.most_requeues, Optional(3));
  EXPECT_THAT(profiles[0].jobs.preexec_retries, Optional(5));
  EXPECT_THAT(texts(profiles[0].shown),
              ElementsAre("NAME=fluent", "MAX_JOB_REQUEUE=3", "MAX_PREEXEC_RETRY=5"));
}

TEST(ParameterValues, RetriesOfThisClusterGoFirst) {
  const auto read = [](const std::string& lines) {
    Problems problems;
    return read_lsb_params(
        parse_sections("Begin Parameters\n" + lines + "End Parameters\n", "p", {}, problems), problems);
  };
  EXPECT_THAT(read("MAX_PREEXEC_RETRY = 5\n").preexec_retries, Optional(5));
  EXPECT_EQ(read("").remote_preexec_retries, 5);
  EXPECT_EQ(read("MAX_PREEXEC_RETRY = 7\n").remote_preexec_retries, 7);
  EXPECT_EQ(read("MAX_PREEXEC_RETRY = 7\nREMOTE_MAX_PREEXEC_RETRY = 3\n").remote_preexec_retries, 3);
  EXPECT_THAT(read("MAX_PREEXEC_RETRY = 5\nLOCAL_MAX_PREEXEC_RETRY = 0\n").preexec_retries, Optional(0));
  EXPECT_THAT(texts(read("JOB_ACCEPT_INTERVAL = 2\n").shown), ElementsAre("JOB_ACCEPT_INTERVAL=2"));
}

}  // namespace
}  // namespace rollcall::conf
