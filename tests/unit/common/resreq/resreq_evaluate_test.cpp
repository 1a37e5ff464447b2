// Evaluating select[] on a host: numbers, words, Booleans, unknown values and undefined names.
#include <gtest/gtest.h>

#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

const TestHost& host() {
  static const TestHost host({{"r15s", 0.4},
                              {"r1m", 1.2},
                              {"ut", 0.38},
                              {"mem", 380},
                              {"swp", 1000},
                              {"ls", 3},
                              {"it", 0},
                              {"ncpus", 16},
                              {"maxmem", 64 * 1024},
                              {"ngpus", 0},
                              {"linux", 1},
                              {"größe", 5}},
                             {{"type", "X86_64"},
                              {"model", "Xeon-5"},
                              {"status", "ok"},
                              {"hname", "host-1"},
                              {"profile", "mx2_16x128"}});
  return host;
}

BindContext context() {
  return {.indices = &cluster(), .local_type = "X86_64", .local_model = "Opteron", .official_host = {}};
}

bool holds(std::string_view text, const BindContext& with = context()) {
  const auto bound = resreq::bind(parsed(text).select, with);
  if (bound.error) throw std::runtime_error(caret_lines(text, *bound.error));
  return bound.select->matches(host());
}

TEST(Select, ComparesNumbers) {
  EXPECT_TRUE(holds("mem > 379"));
  EXPECT_FALSE(holds("mem > 380"));
  EXPECT_TRUE(holds("mem >= 380 && mem <= 380 && mem == 380 && !(mem != 380)"));
  EXPECT_TRUE(holds("500 > mem"));
  EXPECT_TRUE(holds("mem < swp"));
  EXPECT_TRUE(holds("mem + swp*2 - 80 == 2300"));
  EXPECT_TRUE(holds("swp / 2 - -mem > 879"));
  EXPECT_TRUE(holds("1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 8 / 2 / 2 == 2 && 5 - 2 - 1 == 2"));
  EXPECT_TRUE(holds("1 < 2 < 3"));  // from the left: 1 < 3
  EXPECT_FALSE(holds("3 > 2 > 1"));
  EXPECT_TRUE(holds("größe == 5"));
  EXPECT_TRUE(holds("swap > 5 && cpu < 2 && login == 3 && logins == 3 && idle == 0"));
}

TEST(Select, IsTrueWhereTheResultIsNotZero) {
  EXPECT_TRUE(holds("ncpus"));
  EXPECT_FALSE(holds("ngpus"));
  EXPECT_FALSE(holds("it"));
  EXPECT_TRUE(holds("(-mem)"));
  EXPECT_TRUE(holds("!ngpus && !it"));
  EXPECT_TRUE(holds(""));
  EXPECT_TRUE(holds("ngpus || it || mem"));
  EXPECT_FALSE(holds("mem && ncpus && it"));
  EXPECT_TRUE(holds("(mem && ncpus) == 1 && (it || 5) == 1"));
}

TEST(Select, CountsBooleansAsOneAndZero) {
  EXPECT_TRUE(holds("linux && !aix"));
  EXPECT_TRUE(holds("linux + aix == 1"));
  EXPECT_TRUE(holds("linux == 1 && aix == 0 && aix != 1"));
}

TEST(Select, ComparesWords) {
  EXPECT_TRUE(holds("hname == host-1"));
  EXPECT_TRUE(holds("hname = host-1"));
  EXPECT_FALSE(holds("hname != 'host-1'"));
  EXPECT_TRUE(holds("status == ok && status != busy"));
  EXPECT_TRUE(holds("profile == mx2_16x128"));
  EXPECT_TRUE(holds("mx2_16x128 == profile"));
  EXPECT_FALSE(holds("profile == 'mx2_*'"));  // no wildcards
  EXPECT_FALSE(holds("type == linux"));       // a word, though there is a Boolean of that name
  EXPECT_TRUE(holds("(type == X86_64) + (model == 'Xeon-5') == 2"));
}

TEST(Select, KnowsAnyAndLocal) {
  EXPECT_TRUE(holds("type == any && model == any"));
  EXPECT_FALSE(holds("type != any"));
  EXPECT_TRUE(holds("type == local"));
  EXPECT_FALSE(holds("type != local"));
  EXPECT_FALSE(holds("model == local"));
  EXPECT_TRUE(holds("model != local"));
  EXPECT_TRUE(holds("-"));
  // A client on a host of unknown type gets no host.
  BindContext stranger{.indices = &cluster(), .official_host = {}};
  EXPECT_FALSE(holds("type == local", stranger));
  EXPECT_FALSE(holds("type != local", stranger));
}

TEST(Select, HasADefaultTypeForThoseWhoPlace) {
  BindContext elsewhere{
      .indices = &cluster(), .local_type = "AARCH64", .default_type_local = true, .official_host = {}};
  EXPECT_FALSE(holds("", elsewhere));
  EXPECT_FALSE(holds("mem > 5", elsewhere));
  EXPECT_TRUE(holds("linux", elsewhere));
  EXPECT_TRUE(holds("defined(linux)", elsewhere));
  EXPECT_TRUE(holds("model == any", elsewhere));
  EXPECT_TRUE(holds("type == any", elsewhere));
  EXPECT_TRUE(holds("profile == mx2_16x128", elsewhere));
}

TEST(Select, AsksForTheOfficialNameOfAHost) {
  BindContext named = context();
  named.official_host = [](std::string_view name) -> std::optional<std::string> {
    return name == "HOST-1.a.com" ? std::optional<std::string>("host-1") : std::nullopt;
  };
  EXPECT_TRUE(holds("hname == HOST-1.a.com", named));
  EXPECT_TRUE(holds("hname == host-1", named));
}

TEST(Select, TakesUtilizationAsFractionOrPerCent) {
  EXPECT_TRUE(holds("ut < 50"));
  EXPECT_TRUE(holds("ut < 0.5"));
  EXPECT_FALSE(holds("ut < 30"));
  EXPECT_FALSE(holds("ut < 0.3"));
  EXPECT_TRUE(holds("ut < 1"));
  EXPECT_TRUE(holds("40 > ut && ut = 50"));
  EXPECT_TRUE(holds("ut * 100 > 37"));
}

TEST(Select, TakesUnitsForMemory) {
  EXPECT_TRUE(holds("maxmem == 64G && maxmem == 65536 && mem < 1G && mem > 1024K && swp > 900MB"));
  EXPECT_TRUE(holds("scratch > 1G || mem"));  // a site's own index is in MB where it has units
}

// r15m=1.5:mem=20:swp=12:-aix: at most where less is better, at least where more is.
TEST(OldSyntax, TakesTheDirectionOfTheResource) {
  EXPECT_TRUE(holds("r1m=1.5:mem=20:swp=12:-aix"));
  EXPECT_FALSE(holds("r1m=1.0:mem=20"));
  EXPECT_FALSE(holds("mem=381"));
  EXPECT_TRUE(holds("mem=380"));
  EXPECT_FALSE(holds("linux:aix"));
  EXPECT_TRUE(holds("type=X86_64:ncpus"));
  EXPECT_FALSE(holds("-mem=20"));
  EXPECT_TRUE(holds("20 = mem && 1.5 = r1m"));
  EXPECT_TRUE(holds("größe=5"));
  EXPECT_FALSE(holds("größe=4"));
  EXPECT_TRUE(holds("linux=1"));
}

TEST(Unknown, FailsEveryComparison) {
  for (const char* text :
       {"tmp > 0", "tmp < 0", "tmp == 0", "tmp != 0", "tmp >= 0", "tmp <= 0", "tmp = 0", "0 = tmp",
        "tmp == tmp", "tmp", "tmp + 5", "-tmp + 5 < 100", "tmp * 0 == 0", "mem / 0 > 5", "it / it == 1"})
    EXPECT_FALSE(holds(text)) << text;
  EXPECT_TRUE(holds("!(tmp > 0)"));
  EXPECT_FALSE(holds("defined(tmp) && !(tmp > 0)"));
  EXPECT_TRUE(holds("tmp > 0 || mem > 0"));
  EXPECT_FALSE(holds("(tmp && mem) || (mem && tmp)"));
}

TEST(Unknown, WordsAreNeitherEqualNorNot) {
  const TestHost nothing({});
  for (const char* text :
       {"type == any", "type == X86_64", "type != X86_64", "type == local", "hname != ''"}) {
    const auto bound = resreq::bind(parsed(text).select, context());
    ASSERT_FALSE(bound.error);
    EXPECT_FALSE(bound.select->matches(nothing)) << text;
  }
}

TEST(Defined, AsksWhetherTheHostHasAValue) {
  EXPECT_TRUE(holds("defined(mem) && defined(profile) && defined(linux)"));
  EXPECT_FALSE(holds("defined(tmp) || defined(aix) || defined(lic)"));
}

// Needs a deeper stack of numbers than a usual requirement.
TEST(Deep, ExpressionsAreRunAsWell) {
  std::string text = "mem";
  for (int i = 0; i < 250; ++i) text = "1 + (" + text + ")";
  EXPECT_TRUE(holds(text + " == 630"));
  EXPECT_FALSE(holds(text + " == 631"));
}

struct WrongName {
  const char* written;  // "^" before the place
  const char* text;
};
class Misnamed : public testing::TestWithParam<WrongName> {};

TEST_P(Misnamed, IsFoundWhileBinding) {
  std::string written = GetParam().written;
  const std::size_t place = written.find('^');
  written.erase(place, 1);
  const auto bound = resreq::bind(parsed(written).select, context());
  ASSERT_TRUE(bound.error);
  EXPECT_FALSE(bound.select);
  EXPECT_EQ(bound.error->text, GetParam().text);
  EXPECT_EQ(bound.error->offset, place) << caret_lines(written, *bound.error);
}

INSTANTIATE_TEST_SUITE_P(
    All, Misnamed,
    testing::Values(
        WrongName{"mem > 5 && ^foo > 3", "found \"foo\", expected a resource of this cluster"},
        WrongName{"mem > 5 || ^foo", "found \"foo\", expected a resource of this cluster"},
        WrongName{"defined(linux) && !^defined(foo)", "found \"foo\", expected a resource of this cluster"},
        WrongName{"mem == ^foo", "found \"foo\", expected a resource of this cluster"},
        WrongName{"^foo == bar", "found \"foo\", expected a resource of this cluster"},
        WrongName{"select[mem > ^'abc']",
                  "found the word \"abc\", expected a number, or a resource with == or != before the word"},
        WrongName{"^type > 5", "found the string resource \"type\", expected == or != and a word behind it"},
        WrongName{"linux && ^profile",
                  "found the string resource \"profile\", expected == or != and a word behind it"},
        WrongName{"profile == ^5", "found the number \"5\", expected a word for profile, '5' in quotes"},
        WrongName{"^5 == hname", "found the number \"5\", expected a word for hname, '5' in quotes"},
        WrongName{"profile == ^a - b",
                  "found an expression, expected a word for profile, in quotes where it has a \"-\""},
        WrongName{"ncpus > ^2K", "found \"2K\", expected a number without a unit beside ncpus"},
        WrongName{"^2G > r15s", "found \"2G\", expected a number without a unit beside r15s"}));

std::string checked(const char* text, const Syntax& syntax = {}) {
  const auto error = check_names(parsed(text), cluster(), syntax);
  return error ? error->text + " at " + std::to_string(error->offset) : "";
}

TEST(CheckNames, SaysWhatCannotBeUsed) {
  EXPECT_EQ(checked("rusage[mem=5:lic=1||swp=3] same[type:model:ncpus]"), "");
  EXPECT_EQ(checked("rusage[mem=5:foo=1]"), "found \"foo\", expected a resource of this cluster at 13");
  EXPECT_EQ(checked("rusage[linux=5]"), "found \"linux\", expected a numeric resource at 7");
  EXPECT_EQ(checked("same[mem]"), "found \"mem\", expected a static resource at 5");
  EXPECT_EQ(checked("rusage[ncpus=5]"), "");
  EXPECT_EQ(checked("rusage[ncpus=5]", {.strict = true}),
            "found \"ncpus\", expected a consumable resource (LSF_STRICT_RESREQ) at 7");
  EXPECT_EQ(checked("rusage[mem=5:lic=1]", {.strict = true}), "");
}

}  // namespace
}  // namespace rollcall::resreq
