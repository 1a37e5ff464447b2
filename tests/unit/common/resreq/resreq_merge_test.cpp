// Several -R options, and a job's requirement over its queue's.
#include <gtest/gtest.h>

#include "common/resreq/merge.hpp"
#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

std::string merged(const char* first, const char* second) {
  const auto result = merge(parsed(first), parsed(second));
  return result ? print(*result) : result.error().text;
}
std::string over(const char* job, const char* queue) {
  const auto result = job_over_queue(parsed(job), parsed(queue), cluster());
  return result ? print(*result) : result.error().text;
}

TEST(Options, BothSelectsMustHold) {
  EXPECT_EQ(merged("select[mem>5]", "select[swp>6||aix]"), "select[mem > 5 && (swp > 6 || aix)]");
  EXPECT_EQ(merged("rusage[mem=5]", "span[hosts=1]"), "rusage[mem=5] span[hosts=1]");
  EXPECT_EQ(merged("", "mem>5"), "select[mem > 5]");
}

TEST(Options, OrderAndSameAreAppended) {
  EXPECT_EQ(merged("order[r15m]", "order[ut:-r15m]"), "order[r15m:ut]");
  EXPECT_EQ(merged("same[type]", "same[type:model]"), "same[type:model]");
}

TEST(Options, RusageTakesTheSecondForEachIndex) {
  EXPECT_EQ(merged("rusage[mem=200:lic=1]", "rusage[mem=100]"), "rusage[mem=100:lic=1]");
  EXPECT_EQ(merged("rusage[mem=200]", "rusage[lic=1]"), "rusage[mem=200:lic=1]");
  EXPECT_EQ(merged("rusage[mem=200]", "rusage[lic=1:duration=5]"), "rusage[mem=200,lic=1:duration=5]");
  EXPECT_EQ(merged("rusage[mem=200:lic=1:duration=9]", "rusage[mem=100:duration=5]"),
            "rusage[lic=1:duration=9,mem=100:duration=5]");
  EXPECT_EQ(merged("rusage[mem=200:duration=9]", "rusage[mem=100:duration=5]"), "rusage[mem=100:duration=5]");
  EXPECT_EQ(merged("rusage[mem=1||mem=2]", "rusage[lic=1||lic=2]"),
            "rusage[mem=1:lic=1 || mem=2:lic=1 || mem=1:lic=2 || mem=2:lic=2]");
}

TEST(Options, SomeSectionsStandOnce) {
  EXPECT_EQ(merged("span[hosts=1]", "span[hosts=1]"), "found span a second time, expected it once");
  EXPECT_EQ(merged("cu[]", "cu[excl]"), "found cu a second time, expected it once");
  EXPECT_EQ(merged("affinity[core]", "affinity[core]"), "found affinity a second time, expected it once");
}

TEST(Options, AlternativesDoNotGrowWithoutEnd) {
  std::string many = "rusage[a";
  for (int i = 0; i < 40; ++i) many += "||a";
  EXPECT_EQ(merged((many + "]").c_str(), (many + "]").c_str()),
            "found too much in rusage, expected at most 1024 usages in all alternatives together");
}

TEST(JobOverQueue, BothSelectsMustHold) {
  EXPECT_EQ(over("swp>5", "select[mem>100||aix]"), "select[(mem > 100 || aix) && swp > 5]");
}

// Administering Platform LSF 6.2: rusage[mem=200:lic=1] of the queue and mem=100 of the job.
TEST(JobOverQueue, TheJobsUsageWins) {
  EXPECT_EQ(over("rusage[mem=100]", "rusage[mem=200:lic=1]"), "rusage[mem=100:lic=1]");
  EXPECT_EQ(over("rusage[lic=2]", "rusage[mem=200:lic=1]"), "rusage[mem=200:lic=2]");
  EXPECT_EQ(over("rusage[mem=100:duration=10]", "rusage[mem=200:lic=1:duration=20]"),
            "rusage[lic=1:duration=20,mem=100:duration=10]");
  EXPECT_EQ(over("mem>5", "rusage[mem=200]"), "select[mem > 5] rusage[mem=200]");
}

TEST(JobOverQueue, BuiltInUsageAndDurationStayBelowTheQueues) {
  EXPECT_EQ(over("rusage[mem=300]", "rusage[mem=200]"),
            "found mem=300 in rusage, expected at most the queue's 200");
  EXPECT_EQ(over("rusage[mem=1G]", "rusage[mem=2000]"), "rusage[mem=1G]");
  EXPECT_EQ(over("rusage[mem=2G]", "rusage[mem=2000]"),
            "found mem=2G in rusage, expected at most the queue's 2000");
  EXPECT_EQ(over("rusage[mem=100:duration=2h]", "rusage[mem=200:duration=60]"),
            "found a duration of 7200 s for mem in rusage, expected at most the queue's 3600 s");
}

TEST(JobOverQueue, TheQueuesOrderIsForJobsThatRequireNothing) {
  EXPECT_EQ(over("", "order[mem] rusage[lic=1]"), "order[mem] rusage[lic=1]");
  EXPECT_EQ(over("order[ut]", "order[mem]"), "order[ut]");
  EXPECT_EQ(over("mem>5", "order[mem]"), "select[mem > 5]");
}

TEST(JobOverQueue, SpanCuAndAffinityAreTheJobsWhereItHasThem) {
  EXPECT_EQ(over("mem>5", "span[hosts=1]"), "select[mem > 5] span[hosts=1]");
  EXPECT_EQ(over("span[ptile=2]", "span[hosts=1]"), "span[ptile=2]");
  EXPECT_EQ(over("span[hosts=-1]", "span[hosts=1]"), "");
  EXPECT_EQ(over("cu[excl]", "cu[type=rack] affinity[core]"), "cu[excl] affinity[core(1)*1]");
  EXPECT_EQ(over("affinity[numa]", "affinity[core]"), "affinity[numa(1)*1]");
  EXPECT_EQ(over("same[model]", "same[type]"), "same[type:model]");
}

TEST(Defaults, AreWhatBjobsShows) {
  const auto completed = [](const char* text) { return print(with_defaults(parsed(text), cluster())); };
  EXPECT_EQ(completed(""), "select[type == local] order[r15s:pg]");
  EXPECT_EQ(completed("rusage[mem=5]"), "select[type == local] order[r15s:pg] rusage[mem=5]");
  EXPECT_EQ(completed("(ngpus>0) order[ut]"), "select[ngpus > 0 && type == local] order[ut]");
  EXPECT_EQ(completed("profile == mx2_16x128"),
            "select[profile == mx2_16x128 && type == any] order[r15s:pg]");
  EXPECT_EQ(completed("mem>5||linux"), "select[(mem > 5 || linux) && type == any] order[r15s:pg]");
  EXPECT_EQ(completed("type==linux"), "select[type == linux] order[r15s:pg]");
}

}  // namespace
}  // namespace rollcall::resreq
