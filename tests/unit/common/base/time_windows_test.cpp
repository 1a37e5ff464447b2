// Time windows: when they are open, and which texts are invalid.
#include "common/base/time_windows.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

bool open(const std::string& text, int day, int hour, int minute = 0) {
  const auto windows = TimeWindows::parse(text);
  if (!windows) ADD_FAILURE() << windows.error().text;
  return windows && windows->open({day, hour * 60 + minute});
}

TEST(TimeWindows, NoneIsAlwaysOpen) {
  for (const char* text : {"", "-", "()", " ( ) "}) {
    EXPECT_TRUE(TimeWindows::parse(text)->empty()) << text;
    EXPECT_TRUE(open(text, 3, 12)) << text;
  }
}

TEST(TimeWindows, EveryDay) {
  EXPECT_TRUE(open("8-17", 0, 8));
  EXPECT_TRUE(open("8-17", 6, 16, 59));
  EXPECT_FALSE(open("8-17", 6, 17)) << "the end is outside";
  EXPECT_FALSE(open("8:30-17:15", 1, 8, 29));
  EXPECT_TRUE(open("8:30-17:15", 1, 17, 14));
  EXPECT_TRUE(open("20:00-8:30", 1, 23)) << "over midnight";
  EXPECT_TRUE(open("20:00-8:30", 2, 8, 29));
  EXPECT_FALSE(open("20:00-8:30", 2, 8, 30));
  EXPECT_TRUE(open("18-24", 2, 23, 59));
  EXPECT_FALSE(open("18-24", 2, 0));
  EXPECT_TRUE(open("6-6", 2, 5)) << "the whole day";
}

TEST(TimeWindows, WithDays) {
  // Friday evening to Monday morning, and every night: the manual's example.
  const std::string text = "(5:19:00-1:8:30 20:00-8:30)";
  EXPECT_TRUE(open(text, 5, 19));
  EXPECT_TRUE(open(text, 0, 12));
  EXPECT_TRUE(open(text, 1, 8, 29));
  EXPECT_FALSE(open(text, 1, 12));
  EXPECT_FALSE(open(text, 5, 18, 59));
  EXPECT_TRUE(open(text, 3, 21));
  EXPECT_TRUE(open("7:1:00-1:2:00", 0, 1)) << "7 is Sunday too";
  EXPECT_FALSE(open("1:8:00-3:24:00", 4, 0));
}

TEST(TimeWindows, TheTextReadsBack) {
  const auto windows = TimeWindows::parse("( 5:19:00-1:8:30\t 20:00-8:30 )");
  EXPECT_EQ(windows->text(), "5:19:00-1:8:30 20:00-8:30");
  EXPECT_EQ(*TimeWindows::parse(windows->text()), *windows);
}

TEST(TimeWindows, RejectsInvalidWindows) {
  for (const char* text :
       {"8", "8-", "-8", "24-3", "8-25", "8:60-9", "8:5:3:1-9", "5:19:00-8:30", "8:00-1:9:00", "8 - 9",
        "8-24:01", "8:7:00-1:8:00", "a-b", "8-9,10-11", "((8-9))"}) {
    const auto windows = TimeWindows::parse(text);
    EXPECT_FALSE(windows.has_value()) << text;
  }
  EXPECT_EQ(TimeWindows::parse("8-9 25-3").error().text,
            "found \"25-3\", expected a time window [day:]hour[:minute]-[day:]hour[:minute]");
}

}  // namespace
}  // namespace rollcall
