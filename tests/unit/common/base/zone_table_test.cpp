// Time zone tables that the test itself writes; io's config_source_test compares those of the system with the C library.
#include "common/base/zone_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/civil_time.hpp"

namespace rollcall {
namespace {

constexpr std::int32_t kHour = 3600;

std::string big(std::int64_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(number >> (8 * i) & 0xff);
  return text;
}

struct Passing {
  std::int64_t when;
  int kind;
};

std::string block(char version, int width, const std::vector<Passing>& passings,
                  const std::vector<std::int32_t>& offsets) {
  std::string text = std::string("TZif") + version + std::string(15, '\0');
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{0}, std::size_t{0}, passings.size(), offsets.size(), std::size_t{4}})
    text += big(static_cast<std::int64_t>(count), 4);
  for (const auto& passing : passings) text += big(passing.when, width);
  for (const auto& passing : passings) text += static_cast<char>(passing.kind);
  for (const std::int32_t offset : offsets) text += big(offset, 4) + std::string(2, '\0');
  return text + std::string("LMT\0", 4);
}
std::string table(const std::string& rule, const std::vector<Passing>& passings = {},
                  const std::vector<std::int32_t>& offsets = {0}) {
  return block('2', 4, {}, {0}) + block('2', 8, passings, offsets) + "\n" + rule + "\n";
}

std::int64_t at(int month, int day, int hour, int minute = 0) {
  return utc_seconds({2024, month, day, hour, minute, 0, 0});
}

TEST(ZoneTable, TimesOfAnOldTable) {
  const std::string file = block('\0', 4, {{-1000, 1}, {2000, 2}}, {7, -kHour, kHour});
  EXPECT_EQ(offset_in_zone(file, -1001), 7);
  EXPECT_EQ(offset_in_zone(file, -1000), -kHour);
  EXPECT_EQ(offset_in_zone(file, 1999), -kHour);
  EXPECT_EQ(offset_in_zone(file, 2000), kHour);
  EXPECT_EQ(offset_in_zone(file, 4'000'000'000), kHour);
}

TEST(ZoneTable, TimesBeyond32BitsAndWithoutARule) {
  const std::string file = table("", {{-5'000'000'000, 0}, {5'000'000'000, 1}}, {60, 120});
  EXPECT_EQ(offset_in_zone(file, 4'999'999'999), 60);
  EXPECT_EQ(offset_in_zone(file, 5'000'000'000), 120);
}

TEST(ZoneTable, TheRuleCountsBehindTheLastTime) {
  const std::string file = table("JST-9", {{1000, 1}, {2000, 0}}, {60, 120});
  EXPECT_EQ(offset_in_zone(file, 1999), 120);
  EXPECT_EQ(offset_in_zone(file, 2000), 9 * kHour);
  EXPECT_EQ(offset_in_zone(table("<+0330>-3:30"), 0), 3 * kHour + kHour / 2);
}

TEST(ZoneTable, SummerTimeOfTheNorthAndOfTheSouth) {
  const std::string york = table("EST5EDT,M3.2.0,M11.1.0");
  EXPECT_EQ(offset_in_zone(york, at(3, 10, 6, 59)), -5 * kHour);
  EXPECT_EQ(offset_in_zone(york, at(3, 10, 7)), -4 * kHour);
  EXPECT_EQ(offset_in_zone(york, at(11, 3, 5, 59)), -4 * kHour);
  EXPECT_EQ(offset_in_zone(york, at(11, 3, 6)), -5 * kHour);
  const std::string sydney = table("AEST-10AEDT,M10.1.0,M4.1.0/3");
  EXPECT_EQ(offset_in_zone(sydney, at(4, 6, 15, 59)), 11 * kHour);
  EXPECT_EQ(offset_in_zone(sydney, at(4, 6, 16)), 10 * kHour);
  EXPECT_EQ(offset_in_zone(sydney, at(10, 5, 15, 59)), 10 * kHour);
  EXPECT_EQ(offset_in_zone(sydney, at(10, 5, 16)), 11 * kHour);
}

TEST(ZoneTable, AnyDateAndOffsetOfARule) {
  // The last Sunday of a month, at an hour before midnight, and half an hour of summer time.
  const std::string last = table("AAA0BBB-0:30,M3.5.0/-1,M10.5.0");
  EXPECT_EQ(offset_in_zone(last, at(3, 30, 22, 59)), 0);
  EXPECT_EQ(offset_in_zone(last, at(3, 30, 23)), kHour / 2);
  // Day 60 is the 1st of March whether there is a 29th of February or not; counted from zero it is the 29th.
  EXPECT_EQ(offset_in_zone(table("AAA0BBB,J60/0,J200"), at(2, 29, 23)), 0);
  EXPECT_EQ(offset_in_zone(table("AAA0BBB,J60/0,J200"), at(3, 1, 0)), kHour);
  EXPECT_EQ(offset_in_zone(table("AAA0BBB,59/0,200"), at(2, 28, 23)), 0);
  EXPECT_EQ(offset_in_zone(table("AAA0BBB,59/0,200"), at(2, 29, 0)), kHour);
}

TEST(ZoneTable, InvalidTableHasNoAnswer) {
  const std::string file = table("EST5EDT,M3.2.0,M11.1.0", {{1000, 0}}, {60});
  ASSERT_EQ(offset_in_zone(file, 999), 60);
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_EQ(offset_in_zone(std::string_view(file).substr(0, size), at(7, 1, 0)), std::nullopt) << size;
  for (const char* rule : {"E5", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0",
                           "EST5EDT,M0.2.0,M11.1.0", "EST5EDT,M3.0.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0",
                           "EST5EDT,366,1", "EST168", "EST5 ", "<EST5", "EST5:60", "EST5EDT,M3.2.0,M11.1.0,"})
    EXPECT_EQ(offset_in_zone(table(rule), 0), std::nullopt) << rule;
  EXPECT_EQ(offset_in_zone(block('\0', 4, {{0, 1}}, {60}), 1), std::nullopt) << "a type that is not there";
  EXPECT_EQ(offset_in_zone(block('\0', 4, {}, {}), 1), std::nullopt);
  std::string many = block('\0', 4, {}, {60});
  many.replace(32, 4, big(0x7fffffff, 4));
  EXPECT_EQ(offset_in_zone(many, 1), std::nullopt);
}

}  // namespace
}  // namespace rollcall
