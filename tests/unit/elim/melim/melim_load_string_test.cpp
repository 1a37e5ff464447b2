// Load update strings: which are valid, and the fault that is reported for each invalid one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elim/policy/melim/load_string.hpp"

namespace rollcall::melim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ElimNames known() {
  std::vector<ElimName> names{
      {"tmp2"}, {"nio"}, {"licenses"}, {"healthy", ResourceType::string}, {"flag", ResourceType::boolean}};
  names.push_back({"tmp", ResourceType::numeric, true, 1000.0});
  names.push_back({"r1m", ResourceType::numeric, true, {}});
  names.push_back({"ls", ResourceType::numeric, true, {}});
  return ElimNames(std::move(names));
}

LoadString read(std::string_view line) { return read_load_string(line, known()); }

std::string fault_of(std::string_view line) {
  const LoadString said = read(line);
  if (said.faults.size() != 1) return std::to_string(said.faults.size()) + " faults";
  return said.faults[0].text;
}

void expect_refused(std::string_view line, FaultKind kind) {
  const LoadString said = read(line);
  EXPECT_TRUE(said.refused) << line;
  EXPECT_THAT(said.readings, IsEmpty()) << line;
  ASSERT_EQ(said.faults.size(), 1U) << line;
  EXPECT_EQ(said.faults[0].kind, kind) << line << ": " << said.faults[0].text;
}

TEST(LoadString, ReadsTheManualsExample) {
  const LoadString said = read("3 tmp2 47.5 nio 344.0 licenses 5");
  EXPECT_THAT(said.readings,
              ElementsAre(Reading{"tmp2", 47.5F}, Reading{"nio", 344.0F}, Reading{"licenses", 5.0F}));
  EXPECT_THAT(said.faults, IsEmpty());
  EXPECT_FALSE(said.refused);
}

TEST(LoadString, CountOfZeroAndAnEmptyLineReportNothing) {
  for (const char* line : {"0", "0 ", " 0\t", "000", "", "   ", "\r"}) {
    const LoadString said = read(line);
    EXPECT_THAT(said.readings, IsEmpty()) << line;
    EXPECT_THAT(said.faults, IsEmpty()) << line;
  }
}

TEST(LoadString, AnyBlanksSeparate) {
  EXPECT_THAT(read("\t2  nio\t 1 \v tmp2 2 \r").readings,
              ElementsAre(Reading{"nio", 1.0F}, Reading{"tmp2", 2.0F}));
}

TEST(LoadString, ReadsNumbersAsRealElimsWriteThem) {
  const std::pair<const char*, float> rows[] = {{"7.3e-3", 0.0073F}, {"1E3", 1000.0F},
                                                {"-5", -5.0F},       {"+5", 5.0F},
                                                {".5", 0.5F},        {"5.", 5.0F},
                                                {"931.51", 931.51F}, {"007", 7.0F},
                                                {"1e-400", 0.0F},    {"2147483647", 2147483648.0F}};
  for (const auto& [word, value] : rows)
    EXPECT_THAT(read(std::string("1 nio ") + word).readings, ElementsAre(Reading{"nio", value})) << word;
}

TEST(LoadString, InvalidNumberKeepsTheOldValue) {
  for (const char* word : {"nan", "NaN", "inf", "-Infinity", "0x10", "1,5", "1.2.3", "ok", "-", ".", "e5",
                           "1e", "1e+", "5MB", "\xff\xfe", "--5"}) {
    const LoadString said = read(std::string("2 nio ") + word + " tmp2 4");
    EXPECT_THAT(said.readings, ElementsAre(Reading{"tmp2", 4.0F})) << word;
    ASSERT_EQ(said.faults.size(), 1U) << word;
    EXPECT_EQ(said.faults[0].kind, FaultKind::not_a_number) << word;
    EXPECT_FALSE(said.refused);
  }
  EXPECT_EQ(fault_of("1 nio ok"), "found \"ok\" for nio, expected a number");
}

TEST(LoadString, RejectsValuesBeyondInfinitLoad) {
  for (const char* word :
       {"1e400", "-1e400", "2147483900", "-3e9", "99999999999999999999999999999999999999999"}) {
    const LoadString said = read(std::string("1 nio ") + word);
    EXPECT_THAT(said.readings, IsEmpty()) << word;
    ASSERT_EQ(said.faults.size(), 1U);
    EXPECT_EQ(said.faults[0].kind, FaultKind::beyond_limits);
  }
  EXPECT_EQ(fault_of("1 nio 1e400"), "found \"1e400\" for nio, expected at most 2147483648 (INFINIT_LOAD)");
}

TEST(LoadString, RejectsAnInvalidCount) {
  for (const char* line : {"tmp2 47.5", "-1 nio 3", "3.0 nio 1 nio 2 nio 3", "+1 nio 3", "0x1 nio 3",
                           "1234567 nio 3", "elim.reaper: FATAL: no configuration",
                           "\x7f"
                           "ELF\x01",
                           "nan"})
    expect_refused(line, FaultKind::no_count);
  EXPECT_EQ(fault_of("ERROR: Unknown option"),
            "found \"ERROR:\", expected the number of indices that follow");
}

TEST(LoadString, RejectsACountThatDoesNotMatch) {
  for (const char* line :
       {"2 nio 3", "1 nio", "1 nio 3 tmp2", "0 nio 3", "1 nio 3 tmp2 4", "999999 nio 3", "1"})
    expect_refused(line, FaultKind::wrong_count);
  EXPECT_EQ(fault_of("2 nio 3"),
            "found 2 words after the count 2, expected 4 (a name and a value for each index)");
}

TEST(LoadString, SkipsTheUnknownNameAlone) {
  const LoadString said = read("3 nio 1 otherhost_index 2 tmp2 3");
  EXPECT_THAT(said.readings, ElementsAre(Reading{"nio", 1.0F}, Reading{"tmp2", 3.0F}));
  ASSERT_EQ(said.faults.size(), 1U);
  EXPECT_EQ(said.faults[0].kind, FaultKind::unknown_name);
  EXPECT_EQ(said.faults[0].name, "otherhost_index");
  EXPECT_THAT(said.faults[0].text, HasSubstr("\"otherhost_index\", expected one that lsf.shared defines"));
  EXPECT_EQ(read("1 NIO 1").faults.at(0).kind, FaultKind::unknown_name) << "names are of one case";
}

TEST(LoadString, ReportsAnIndexWithoutInterval) {
  const LoadString said = read_load_string("2 nio 1 patchrev 2", ElimNames({{"nio"}}, {"patchrev"}));
  EXPECT_THAT(said.readings, ElementsAre(Reading{"nio", 1.0F}));
  ASSERT_EQ(said.faults.size(), 1U);
  EXPECT_THAT(said.faults[0].text, HasSubstr("\"patchrev\", which has no INTERVAL in lsf.shared"));
}

TEST(LoadString, TakesABuiltInIndexByItsFormalNameOnly) {
  EXPECT_THAT(read("1 tmp 20").readings, ElementsAre(Reading{"tmp", 20.0F}));
  EXPECT_EQ(fault_of("1 cpu 2"), "found index \"cpu\", expected the formal name r1m of the built-in index");
  EXPECT_EQ(fault_of("1 login 2"),
            "found index \"login\", expected the formal name ls of the built-in index");
  EXPECT_EQ(read("1 swap 5").faults.at(0).kind, FaultKind::unknown_name) << "swp may not be overridden here";
}

TEST(LoadString, AnOverrideHasItsMaximum) {
  EXPECT_THAT(read("1 tmp 1000").readings, ElementsAre(Reading{"tmp", 1000.0F}));
  EXPECT_EQ(fault_of("1 tmp 1000.5"), "found \"1000.5\" for tmp, expected at most 1000, its maximum");
  EXPECT_EQ(fault_of("1 tmp -1"), "found \"-1\" for tmp, expected 0 or more for a built-in index");
}

TEST(LoadString, StringsAreAnyTextWithoutBlanks) {
  for (const std::string word :
       {"ok", "not_ok", "Heron_r2", "47.5", "gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x99\x82", "-"})
    EXPECT_THAT(read("1 healthy " + word).readings, ElementsAre(Reading{"healthy", word}));
  const std::string longest(kWordLimit, 'x');
  EXPECT_THAT(read("1 healthy " + longest).readings, ElementsAre(Reading{"healthy", longest}));
  EXPECT_EQ(fault_of("1 healthy " + longest + "x"), "found 1025 bytes for healthy, expected at most 1024");
}

TEST(LoadString, SkipsAStringWithInvalidCharacters) {
  for (const std::string& word :
       {std::string("\x1b[31mred"), std::string("\xff"), std::string("\xc0\x80"), std::string("a\x7f"),
        std::string("\xc2\x9b"), std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"),
        std::string("\xe2\x82"), std::string("a\0b", 3)}) {
    const LoadString said = read("1 healthy " + word);
    EXPECT_THAT(said.readings, IsEmpty()) << word;
    ASSERT_EQ(said.faults.size(), 1U);
    EXPECT_EQ(said.faults[0].kind, FaultKind::bad_word);
  }
}

TEST(LoadString, MessageIsOneShortLineForAnyInput) {
  const std::string noise(60'000, '\x1b');
  for (const std::string& line :
       {noise, "1 " + noise + " 5", "1 nio " + noise, "1 healthy " + noise.substr(0, 900)}) {
    const LoadString said = read(line);
    EXPECT_FALSE(said.faults.empty()) << "no fault found in a line of " << line.size() << " bytes";
    for (const Fault& fault : said.faults) {
      EXPECT_LT(fault.text.size(), 500U);
      EXPECT_EQ(fault.text.find_first_of("\n\x1b"), std::string::npos);
      EXPECT_LE(fault.name.size(), kLineShown);
    }
  }
}

TEST(LoadString, ReportsTheFirstOfManyFaults) {
  std::string line = "500";
  for (int i = 0; i < 500; ++i) line += " x" + std::to_string(i) + " 1";
  EXPECT_EQ(read(line).faults.size(), kFaultsOfAString);
}

TEST(LoadString, BooleansAreNumbers) {
  EXPECT_THAT(read("1 flag 1").readings, ElementsAre(Reading{"flag", 1.0F}));
}

}  // namespace
}  // namespace rollcall::melim
