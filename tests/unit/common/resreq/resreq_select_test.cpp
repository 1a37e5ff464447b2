// Select expressions: precedence, the old syntax, words, and what LSF_STRICT_RESREQ takes away.
#include <gtest/gtest.h>

#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

std::string select(std::string_view text, const Syntax& syntax = {}) {
  return print(*parsed(text, syntax).select);
}

constexpr Syntax kStrict{.strict = true};

TEST(Precedence, FallsAsTheManualSays) {
  EXPECT_TRUE(parsed("a||b&&c==d>e+f*-g") == parsed("a || (b && (c == (d > (e + (f * (-g))))))"));
  EXPECT_TRUE(parsed("-a*b+c>d==e&&f||g") == parsed("((((((-a)*b)+c)>d)==e)&&f)||g"));
  EXPECT_TRUE(parsed("!a==b") == parsed("(!a)==b"));
  EXPECT_FALSE(parsed("a-b-c") == parsed("a-(b-c)"));
  EXPECT_EQ(select("a/(b*c)"), "a / (b * c)");
  EXPECT_EQ(select("(a/b)*c"), "(a / b) * c");
  EXPECT_EQ(select("a/b*c"), "a / b * c");
}

TEST(Expressions, HaveOnlyTheParenthesesTheyNeed) {
  EXPECT_EQ(select("((a))&&((b||c))"), "a && (b || c)");
  EXPECT_EQ(select("!(a&&b)"), "!(a && b)");
  EXPECT_EQ(select("! ! a"), "!!a");
  EXPECT_EQ(select("3 - -a"), "3 - -a");
  EXPECT_EQ(select("(a>b)==1"), "a > b == 1");
  EXPECT_EQ(select("a>(b==1)"), "a > (b == 1)");
}

TEST(Numbers, ArePrintedAsTheyWereWritten) {
  EXPECT_EQ(select("r1m<7.3e-3"), "r1m < 7.3e-3");
  EXPECT_EQ(select("r1m<.5&&r1m<5."), "r1m < .5 && r1m < 5.");
  EXPECT_EQ(select("mem>20G"), "mem > 20G");
  Expression made{Number{.value = 0.25}, {}};
  EXPECT_EQ(print(made), "0.25");
  made.node = Number{.value = 20480, .sized = true};
  EXPECT_EQ(print(made), "20480M");
}

TEST(OldSyntax, IsReadAsTheLaterOne) {
  EXPECT_EQ(select("r15m=1.5:mem=20:swp=12:-aix"), "r15m = 1.5 && mem = 20 && swp = 12 && !aix");
  EXPECT_EQ(select("-"), "type == any");
  EXPECT_EQ(select("select[-]"), "type == any");
  EXPECT_EQ(select("- order[mem]"), "type == any");
  EXPECT_EQ(select("-aix"), "!aix");
  EXPECT_EQ(select("linux:ngpus"), "linux && ngpus");
  EXPECT_EQ(select("type=SUN-4:-mem=20:model='a:b'"), "type = 'SUN-4' && !(mem = 20) && model = 'a:b'");
  EXPECT_EQ(select("mem=20 order[r15s]"), "mem = 20");
  EXPECT_EQ(select("cpu=1:login=3:idle=5:swap=10"), "cpu = 1 && login = 3 && idle = 5 && swap = 10");
}

// One word alone is read as the old syntax, anything longer as the newer one.
TEST(OldSyntax, IsOnlyTakenForWholeTexts) {
  EXPECT_TRUE(std::holds_alternative<Unary>(parsed("-mem").select->node));
  EXPECT_EQ(std::get<Unary>(parsed("-mem").select->node).op, Operator::no);
  EXPECT_EQ(std::get<Unary>(parsed("(-mem)").select->node).op, Operator::negate);
  EXPECT_EQ(print(parsed("(-mem)")), "select[(-mem)]");
  EXPECT_EQ(select("-mem+5"), "-mem + 5");
  EXPECT_EQ(select("hname=hostA && mem=5"), "hname = hostA && mem = 5");
  EXPECT_EQ(select("mem=-5"), "mem = -5");
}

TEST(Words, OfBuiltInStringsNeedNoQuotes) {
  EXPECT_EQ(select("hname==host-1"), "hname == 'host-1'");
  EXPECT_EQ(select("hname!=host-1.a-b.com&&mem>5"), "hname != 'host-1.a-b.com' && mem > 5");
  EXPECT_EQ(select("hname==host.domain.com"), "hname == host.domain.com");
  EXPECT_EQ(select("hname=9node"), "hname = '9node'");
  EXPECT_EQ(select("type==x86-64||model==Xeon-5"), "type == 'x86-64' || model == 'Xeon-5'");
  EXPECT_EQ(select("hname=='host-1'"), "hname == 'host-1'");
  EXPECT_EQ(select("hname==\"it's\""), "hname == \"it's\"");
  EXPECT_EQ(select("profile=='größe x'"), "profile == 'größe x'");
  EXPECT_EQ(select("profile==a-b"), "profile == a - b");
  EXPECT_EQ(select("mem-swp==tmp-mem"), "mem - swp == tmp - mem");
}

TEST(Strict, HasTheLaterGrammarOnly) {
  EXPECT_EQ(select("select[hname!='host06-x12' && mem>5]", kStrict), "hname != 'host06-x12' && mem > 5");
  EXPECT_EQ(select("hname==host-1", kStrict), "hname == host - 1");
  EXPECT_EQ(std::get<Unary>(parsed("-mem", kStrict).select->node).op, Operator::negate);
  for (const char* text : {"mem=20", "hname=hostA", "r15m=1.5:mem=20", "linux:aix", "-"})
    EXPECT_TRUE(parse(text, kStrict).error) << text;
  EXPECT_EQ(normal("order[-ut] rusage[mem=5:lic=1]", kStrict), "order[-ut] rusage[mem=5:lic=1]");
}

TEST(Places, AreThoseOfTheText) {
  const ResReq resreq = parsed("select[ mem > 5 && foo ] order[r15s : -pg] rusage[lic=1] same[type]");
  const auto& chain = std::get<Chain>(resreq.select->node);
  EXPECT_EQ(resreq.select->place.offset, 8u);
  EXPECT_EQ(chain.rest[0].operand->place.offset, 19u);
  EXPECT_EQ(resreq.order[1].place.offset, 38u);
  EXPECT_EQ(resreq.rusage->alternatives[0].strings[0].usages[0].place.offset, 50u);
  EXPECT_EQ(resreq.same[0].place.offset, 62u);
}

TEST(Both, JoinsWithoutNesting) {
  const auto joined = both(both(parsed("a").select, parsed("b||c").select), parsed("d&&e").select);
  EXPECT_EQ(print(*joined), "a && (b || c) && d && e");
  EXPECT_TRUE(same_expression(joined, parsed("a&&(b||c)&&d&&e").select));
  EXPECT_EQ(both(nullptr, nullptr), nullptr);
  EXPECT_TRUE(same_expression(both(nullptr, joined), joined));
}

}  // namespace
}  // namespace rollcall::resreq
