// Dates without a time zone of the system.
#include "common/base/civil_time.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

TEST(CivilTime, IsTheGregorianCalendar) {
  EXPECT_EQ(utc_time(0), CivilTime{});
  EXPECT_EQ(utc_time(951782400), (CivilTime{2000, 2, 29, 0, 0, 0, 2}));
  EXPECT_EQ(utc_time(1652216962), (CivilTime{2022, 5, 10, 21, 9, 22, 2}));
  EXPECT_EQ(utc_time(-1), (CivilTime{1969, 12, 31, 23, 59, 59, 3}));
}

TEST(CivilTime, SecondsAreTheInverse) {
  for (std::int64_t s = -4'000'000'000; s < 9'000'000'000; s += 12'345'677)
    ASSERT_EQ(utc_seconds(utc_time(s)), s);
  EXPECT_EQ(utc_seconds({2023, 14, 1, 0, 0, 0, 0}), utc_seconds({2024, 2, 1, 0, 0, 0, 0}));
}

TEST(CivilTime, IsPrintedAsTablesDo) {
  const CivilTime t = utc_time(1651482562);
  EXPECT_EQ(short_date(t), "May  2 09:09");
  EXPECT_EQ(long_date(t), "Mon May  2 09:09:22");
  EXPECT_EQ(numeric_date(t), "05/02-09:09:22");
}

}  // namespace
}  // namespace rollcall
