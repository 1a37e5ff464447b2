// When lsb.events and lsb.acct are rotated, by parameter. The rotation itself is tested by event_files_test.
#include <gtest/gtest.h>

#include "sched/mbatchd/configuration_views.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

FileAges ages_of(const std::string& params) {
  Configuration configuration;
  configuration.files = sched::book::site_files(params);
  return file_ages_of(configuration);
}

TEST(FileAges, OnlyLsbEventsIsRotatedByDefault) {
  const FileAges ages = ages_of("");
  EXPECT_EQ(ages.finished_jobs, 1000);
  EXPECT_EQ(ages.account_kb, 0);
  EXPECT_EQ(ages.account_days, 0);
  EXPECT_FALSE(ages.account_minute);
  EXPECT_EQ(ages.account_files, 0);
  EXPECT_EQ(ages.event_files, 0);
}

TEST(FileAges, EachParameterHasItsPlace) {
  const FileAges ages = ages_of(
      "MAX_JOB_NUM = 11\nACCT_ARCHIVE_SIZE = 12\nACCT_ARCHIVE_AGE = 13\nACCT_ARCHIVE_TIME = 1:14\n"
      "MAX_ACCT_ARCHIVE_FILE = 15\nMAX_EVENT_ARCHIVE_FILE = 16\n");
  EXPECT_EQ(ages.finished_jobs, 11);
  EXPECT_EQ(ages.account_kb, 12);
  EXPECT_EQ(ages.account_days, 13);
  EXPECT_EQ(ages.account_minute, 74);
  EXPECT_EQ(ages.account_files, 15);
  EXPECT_EQ(ages.event_files, 16);
}

TEST(FileAges, InvalidTimeHasNoEffect) {
  EXPECT_FALSE(ages_of("ACCT_ARCHIVE_TIME = 25:00\n").account_minute);
}

}  // namespace
}  // namespace rollcall::mbatchd
