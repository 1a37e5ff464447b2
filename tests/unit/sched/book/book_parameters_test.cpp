// Parameters of lsb.params by their names, as far as the Book obeys them, and which of two goes before the other.
#include <gtest/gtest.h>

#include "sched/policy/jobs/site_rules.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

TEST(BookParameters, DefaultsAreThoseOfTheManual) {
  const auto standard = jobs::book_parameters(site_files(""));
  EXPECT_EQ(standard.clean_period_s, 3600);
  EXPECT_EQ(standard.max_job_id, 999'999);
  EXPECT_EQ(standard.unknown_after_s, 3 * 30) << "MAX_SBD_FAIL times SBD_SLEEP_TIME";
}

TEST(BookParameters, JobIdsGoAsFarAsTheManualSays) {
  EXPECT_EQ(jobs::book_parameters(site_files("MAX_JOBID = 2000000\n")).max_job_id, 2'000'000);
  EXPECT_EQ(jobs::book_parameters(site_files("MAX_JOBID = 2147483646\n")).max_job_id, 2'147'483'646);
  for (const char* invalid : {"5", "99999999999"})
    EXPECT_EQ(jobs::book_parameters(site_files("MAX_JOBID = " + std::string(invalid) + "\n")).max_job_id,
              999'999)
        << invalid;
}

TEST(BookParameters, ArraysAndRequeuesGoToTheBoundsOfTheManual) {
  EXPECT_EQ(jobs::book_parameters(site_files("MAX_JOB_ARRAY_SIZE = 2147483646\n")).max_array_size,
            2'147'483'646);
  EXPECT_EQ(jobs::book_parameters(site_files("MAX_JOB_REQUEUE = 2147483647\n")).most_requeues, 2'147'483'647);
}

TEST(BookParameters, HostIsUnknownAfterSoManyMissedAnswers) {
  EXPECT_EQ(jobs::book_parameters(site_files("MAX_SBD_FAIL = 5\nSBD_SLEEP_TIME = 7\n")).unknown_after_s, 35);
}

TEST(BookParameters, TheRetriesOfThisClusterGoBeforeThoseOfAll) {
  const auto retries = [](const std::string& params) {
    const ConfigView config = site_files(params);
    return jobs::job_rules(config, {config.lsb->queue("normal")}, plain_job()).most_preexec_retries;
  };
  EXPECT_EQ(retries(""), 3) << "MAX_PREEXEC_RETRY of the fixture";
  EXPECT_EQ(retries("LOCAL_MAX_PREEXEC_RETRY = 1\n"), 1);
}

}  // namespace
}  // namespace rollcall::sched::book
