// Every error names its place and what was expected there; what is too long or too deep is one as well.
#include <gtest/gtest.h>

#include "common/resreq/terms.hpp"
#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

struct Mistake {
  const char* written;  // "^" before the place
  const char* text;
};

class Wrong : public testing::TestWithParam<Mistake> {};

TEST_P(Wrong, IsNamedWithItsPlace) {
  std::string written = GetParam().written;
  const std::size_t place = written.find('^');
  ASSERT_NE(place, std::string::npos);
  written.erase(place, 1);
  const ParseResult result = parse(written);
  ASSERT_TRUE(result.error) << "it parsed as " << print(result.value);
  EXPECT_EQ(result.error->text, GetParam().text);
  EXPECT_EQ(result.error->offset, place) << caret_lines(written, *result.error);
}

#define OPERAND "expected a resource, a number or \"(\""

INSTANTIATE_TEST_SUITE_P(
    Select, Wrong,
    testing::Values(
        Mistake{"select[mem >^]", "found \"]\", " OPERAND}, Mistake{"mem > 5 &&^", "found the end, " OPERAND},
        Mistake{"select[mem > 5^", "found the end, expected an operator or \"]\""},
        Mistake{"select[(mem > 5^]", "found \"]\", expected \")\""},
        Mistake{"select[mem > 5^)]", "found \")\", expected an operator or \"]\""},
        Mistake{"mem > 5 ^& swp > 6", "found \"&\", expected an operator, a section or the end"},
        Mistake{"mem >= ^=5", "found \"=\", " OPERAND},
        Mistake{"mem ^swp", "found \"swp\", expected an operator, a section or the end"},
        Mistake{"select[mem > ^20Gx]",
                "found \"20Gx\", expected a number, with or without a unit (K M G T P E Z, B may follow)"},
        Mistake{"mem > ^1e400", "found \"1e400\", expected a number from 2.3e-308 to 1.7e308"},
        Mistake{"hname == ^'hostA", "found \"'\", expected the same quote again"},
        Mistake{"defined(^5)", "found \"5\", expected the name of a resource"},
        Mistake{"defined ^> 5", "found \">\", expected \"(\""},
        Mistake{"mem=20^:swp>5", "found \":\", expected an operator, a section or the end"},
        Mistake{"größe > ^]", "found \"]\", " OPERAND}));

INSTANTIATE_TEST_SUITE_P(
    Sections, Wrong,
    testing::Values(
        Mistake{"^foo[mem]",
                "found \"foo\", expected select[, order[, rusage[, span[, same[, cu[ or affinity["},
        Mistake{"select[mem] ^foo order[mem]", "found \"foo\", expected a section or the end"},
        Mistake{"select[mem] ^&& swp", "found \"&\", expected a section or the end"},
        Mistake{"order[mem]^]", "found \"]\", expected a section or the end"},
        Mistake{"order[mem:^]", "found \"]\", expected a resource"},
        Mistake{"order[mem^,pg]", "found \",\", expected \"]\""},
        Mistake{"span[hosts=1] ^span[ptile=2]", "found span a second time, expected it once"},
        Mistake{"cu[] ^cu[]", "found cu a second time, expected it once"},
        Mistake{"affinity[core] ^affinity[core]", "found affinity a second time, expected it once"},
        Mistake{"rusage[mem=^]", "found \"]\", expected a number"},
        Mistake{"rusage[mem=^-5]", "found \"-\", expected a number"},
        Mistake{"rusage[mem=^1e308]", "found 1e308, expected a number of at most 2e15 (megabytes of memory)"},
        Mistake{"rusage[mem=^9999ZB]",
                "found 9999ZB, expected a number of at most 2e15 (megabytes of memory)"},
        Mistake{"rusage[mem=^inf]", "found \"inf\", expected a number"},
        Mistake{"rusage[mem=^nan]", "found \"nan\", expected a number"},
        Mistake{"rusage[mem=5:^mem=6]", "found \"mem\" a second time, expected it once"},
        Mistake{"rusage[^duration=5]",
                "found no resource, expected one at the least beside duration and decay"},
        Mistake{"rusage[mem=5:duration=^5d]",
                "found \"5d\", expected minutes (30, 30m), hours (2h) or seconds (90s)"},
        Mistake{"rusage[mem=5:duration=^99999999999]",
                "found \"99999999999\", expected minutes (30, 30m), hours (2h) or seconds (90s)"},
        Mistake{"rusage[mem=5:decay=^2]", "found \"2\", expected 0 or 1"},
        Mistake{"rusage[mem=5 ^| swp=5]", "found \"|\", expected \"]\""},
        Mistake{"span[^]", "found \"]\", expected hosts or ptile"},
        Mistake{"span[hosts=^2]", "found \"2\", expected 1 or -1"},
        Mistake{"span[ptile=^0]", "found \"0\", expected a whole number from 1, or '!'"},
        Mistake{"span[ptile='!',HP^]", "found \"]\", expected \":\""},
        Mistake{"span[ptile=2:^ptile=3]", "found \"ptile\" a second time, expected it once"},
        Mistake{"same[type:^5]", "found \"5\", expected a resource"},
        Mistake{"cu[pref=^best]", "found \"best\", expected config, maxavail, minavail or bestfit"},
        Mistake{"cu[pref=bestfit:^balance]",
                "found balance together with pref=bestfit, expected one of them"},
        Mistake{"affinity[^node]", "found \"node\", expected numa, socket, core, thread, mcm or cpu"},
        Mistake{"affinity[core(^0)]", "found \"0\", expected a whole number from 1"},
        Mistake{"affinity[core(1,exclusive=(socket,^host))]", "found \"host\", expected injob or alljobs"},
        Mistake{"affinity[core:^bind=core]", "found \"bind\", expected cpubind, membind or distribute"}));

TEST(Limits, NestingEndsWithAnError) {
  const auto nested = [](int depth, char open, const char* close) {
    std::string text = std::string(static_cast<std::size_t>(depth), open) + "mem";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_FALSE(parse(nested(256, '(', ")")).error);
  EXPECT_FALSE(parse(nested(256, '!', "")).error);
  const auto deep = parse(nested(257, '(', ")"));
  ASSERT_TRUE(deep.error);
  EXPECT_EQ(deep.error->offset, 256u);
  EXPECT_EQ(deep.error->text, "found \"(\", expected at most 256 levels of parentheses, \"!\" and \"-\"");
  for (const char open : {'(', '!', '-'}) EXPECT_TRUE(parse(nested(60'000, open, "")).error) << open;
}

// Joining requirements adds parentheses, which may make the result too deep.
TEST(Limits, NestingOfJoinedSectionsCounts) {
  const std::string deep = std::string(256, '!') + "mem";
  EXPECT_FALSE(parse("select[swp] select[" + deep + "]").error);
  EXPECT_TRUE(parse("select[swp] select[aix || " + deep + "]").error);
}

TEST(Limits, LengthEndsWithAnError) {
  std::string text = "mem";
  while (text.size() + 6 <= kLongestText) text += "||mem5";
  text.resize(kLongestText, ' ');
  const auto longest = parse(text);
  ASSERT_FALSE(longest.error) << longest.error->text;
  // Printing, comparing and destroying must not recurse once for each of ten thousand operands.
  EXPECT_TRUE(longest.value == longest.value);
  EXPECT_GT(print(longest.value).size(), 65'536u);
  const auto longer = parse(text + " ");
  ASSERT_TRUE(longer.error);
  EXPECT_EQ(longer.error->text, "found 65537 bytes, expected at most 65536");
}

TEST(Limits, TermsOfASelectAreCounted) {
  const auto count = [](const std::string& text) { return terms(parse(text).value.select); };
  EXPECT_EQ(count(""), 0u);
  EXPECT_EQ(count("mem"), 1u);
  EXPECT_EQ(count("select[!(mem > 5 && -r1m < defined(aix)) || hname == h1]"), 6u);
  EXPECT_EQ(count("mem=20:-aix"), 3u);
  std::string hosts = "hname==h0";
  for (int i = 1; i < 1000; ++i) hosts += "||hname==h" + std::to_string(i);
  EXPECT_LE(count(hosts), kMostTermsOfJob);
}

TEST(Limits, ListsEnd) {
  std::string order = "order[a", usage = "rusage[a0", sections;
  for (int i = 1; i <= 1024; ++i) order += ":a", usage += ":a" + std::to_string(i);
  EXPECT_TRUE(parse(order + "]").error);
  EXPECT_TRUE(parse(usage + "]").error);
  for (int i = 0; i < 65; ++i) sections += "order[a]";
  const auto many = parse(sections);
  ASSERT_TRUE(many.error);
  EXPECT_EQ(many.error->offset, 64u * 8);
}

TEST(Bytes, ControlAndInvalidBytesAreRefused) {
  EXPECT_EQ(parse("mem\x01>5").error->offset, 3u);
  EXPECT_EQ(parse(std::string_view("mem\0>5", 6)).error->offset, 3u);
  EXPECT_EQ(parse("mem>\xff").error->text, "found \"\\xff\", expected text in UTF-8");
  EXPECT_TRUE(parse("a\xc0\xaf").error);          // too long a form of '/'
  EXPECT_TRUE(parse("a\xed\xa0\x80").error);      // half of a pair
  EXPECT_TRUE(parse("a\xf4\x90\x80\x80").error);  // behind the last character
  EXPECT_TRUE(parse("a\xe2\x82").error);          // cut off
  EXPECT_FALSE(parse("\xe2\x82\xac>\xf0\x9f\x98\x80").error);
}

TEST(CaretLines, PointUnderThePlace) {
  const std::string text = "select[größe\t> ]";
  EXPECT_EQ(caret_lines(text, *parse(text).error),
            "found \"]\", expected a resource, a number or \"(\"\n"
            "select[größe > ]\n"
            "               ^");
  EXPECT_EQ(caret_lines("a\x1b\xff", {"why", 3}), "why\na??\n   ^");
  EXPECT_EQ(caret_lines("", {"why", 7}), "why\n\n^");
}

TEST(CaretLines, ShowOnlyTheNeighbourhoodOfALongText) {
  const std::string lines = caret_lines(std::string(1000, 'x'), {"why", 500});
  EXPECT_EQ(lines, "why\n..." + std::string(100, 'x') + "...\n" + std::string(63, ' ') + "^");
}

}  // namespace
}  // namespace rollcall::resreq
