// LSF command lines, sorted into options and operands.
#include "common/base/command_words.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

CommandShape shape(CommandShape::Order order = CommandShape::Order::anywhere) {
  using Value = CommandOption::Value;
  return {"lsload",
          "[host ...]",
          {{"-l", Value::none, "all indices"},
           {"-R", Value::required, "RES_REQ hosts that fit"},
           {"-json", Value::none, "as JSON"}},
          order,
          "Shows the load of hosts."};
}

TEST(CommandWords, SortsOptionsAndOperandsWhereverTheyStand) {
  const auto words = CommandWords::parse(shape(), {"-l", "hostA", "-R", "mem > 5", "hostB"}).value();
  EXPECT_TRUE(words.has("-l"));
  EXPECT_FALSE(words.has("-json"));
  EXPECT_EQ(words.value("-R"), "mem > 5");
  EXPECT_EQ(words.operands(), (std::vector<std::string>{"hostA", "hostB"}));
}

TEST(CommandWords, SingleLettersMayBeJoined) {
  auto joined = shape();
  joined.options.push_back({"-a", CommandOption::Value::none, "all"});
  const auto words = CommandWords::parse(joined, {"-alR", "ut<0.5", "hostA"}).value();
  EXPECT_TRUE(words.has("-a"));
  EXPECT_TRUE(words.has("-l"));
  EXPECT_EQ(words.value("-R"), "ut<0.5");
  EXPECT_EQ(words.operands(), std::vector<std::string>{"hostA"});
  EXPECT_FALSE(CommandWords::parse(joined, {"-ax"}));
}

TEST(CommandWords, AValueMayBeJoinedToItsLetter) {
  const auto words = CommandWords::parse(shape(), {"-Rselect[CN]", "hostA", "-json"}).value();
  EXPECT_EQ(words.value("-R"), "select[CN]");
  EXPECT_TRUE(words.has("-json"));
  EXPECT_EQ(words.operands(), std::vector<std::string>{"hostA"});
  EXPECT_FALSE(CommandWords::parse(shape(), {"-lselect"}));
}

TEST(CommandWords, LeavesTheRestToAnotherProgramWhereAsked) {
  const auto words =
      CommandWords::parse(shape(CommandShape::Order::first), {"-l", "prog", "-l", "-x"}).value();
  EXPECT_EQ(words.operands(), (std::vector<std::string>{"prog", "-l", "-x"}));
}

TEST(CommandWords, DashesAloneAreNoOptions) {
  const auto words = CommandWords::parse(shape(), {"-", "--", "-l", "-x"}).value();
  EXPECT_EQ(words.operands(), (std::vector<std::string>{"-", "-l", "-x"}));
  EXPECT_FALSE(words.has("-l"));
}

TEST(CommandWords, AValueMayLookLikeAnOptionAndTheLastOneCounts) {
  const auto words = CommandWords::parse(shape(), {"-R", "-l", "-R", "ut<0.5"}).value();
  EXPECT_FALSE(words.has("-l"));
  EXPECT_EQ(words.value("-R"), "ut<0.5");
  EXPECT_EQ(words.values("-R"), (std::vector<std::string>{"-l", "ut<0.5"}));
}

TEST(CommandWords, RefusesUnknownOptions) {
  const auto unknown = CommandWords::parse(shape(), {"-x"});
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_EQ(unknown.error().text, "found the option \"-x\", expected one of -l -R -json");
  EXPECT_EQ(CommandWords::parse(shape(), {"-R"}).error().text,
            "-R: found nothing behind it, expected RES_REQ");
}

TEST(CommandWords, SaysWhyAnOptionOfLsfIsMissing) {
  auto refusing = shape();
  refusing.options.push_back({"-s", CommandOption::Value::none, "suspended"});
  refusing.refused = {{"-aff -ss", "nothing of that kind is there"}};
  EXPECT_EQ(CommandWords::parse(refusing, {"-aff"}).error().text, "-aff: nothing of that kind is there");
  EXPECT_EQ(CommandWords::parse(refusing, {"-ss"}).error().text, "-ss: nothing of that kind is there");
  EXPECT_TRUE(CommandWords::parse(refusing, {"-s"}));
  EXPECT_FALSE(CommandWords::parse(refusing, {"-a"}));
  EXPECT_TRUE(CommandWords::parse(refusing, {"-R", "-aff"}));  // a value
  EXPECT_TRUE(
      usage_text(refusing).ends_with("\nOptions of LSF's that are refused, with the reason: -aff -ss\n"));
}

TEST(UsageText, HasALineForEachOption) {
  EXPECT_EQ(usage_text(shape()),
            "Usage: lsload [options] [host ...]\n"
            "Shows the load of hosts.\n\n"
            "  -l                all indices\n"
            "  -R RES_REQ        hosts that fit\n"
            "  -json             as JSON\n");
}

TEST(CommandWords, ACommandWithoutOperandsRefusesThem) {
  CommandShape none = shape();
  none.operands = "";
  EXPECT_TRUE(CommandWords::parse(none, {"-l"}));
  const auto refused = CommandWords::parse(none, {"-l", "word"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "found \"word\", expected options alone");
}

}  // namespace
}  // namespace rollcall
