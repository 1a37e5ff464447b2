// What lsresreq prints, byte for byte.
#include <gtest/gtest.h>

#include "common/resreq/explain.hpp"
#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

TEST(Tree, ShowsEverySection) {
  const ResReq resreq = parsed(
      "select[type==local && (mem>20G || !defined(lic)) && mem-swp*2>tmp+1-it] order[-ut:mem] "
      "rusage[mem=2G:swp=5:duration=2h:decay=1,lic || lic=2] span[ptile='!',HP:8,'SGI-1':4] same[type:model] "
      "cu[type=rack:excl] affinity[core(2,same=socket)*1:cpubind=numa]");
  EXPECT_EQ(tree(resreq),
            "select\n"
            "  &&\n"
            "    ==\n"
            "      type\n"
            "      local\n"
            "    ||\n"
            "      >\n"
            "        mem\n"
            "        20G (20480 MB)\n"
            "      !\n"
            "        defined(lic)\n"
            "    >\n"
            "      -\n"
            "        mem\n"
            "        *\n"
            "          swp\n"
            "          2\n"
            "      tmp\n"
            "      +\n"
            "        1\n"
            "      -\n"
            "        it\n"
            "order\n"
            "  -ut\n"
            "  mem\n"
            "rusage\n"
            "    mem = 2G (2048 MB)\n"
            "    swp = 5\n"
            "    for 7200 s\n"
            "    decaying\n"
            "  and\n"
            "    lic (intensive: one task per host)\n"
            "  or\n"
            "    lic = 2\n"
            "span\n"
            "  ptile='!',HP:8,'SGI-1':4\n"
            "same\n"
            "  type\n"
            "  model\n"
            "cu\n"
            "  type=rack\n"
            "  excl\n"
            "affinity\n"
            "  core(2,same=socket)*1\n"
            "  cpubind=numa\n");
  EXPECT_EQ(tree(parsed("rusage[lic=1]")), "rusage\n  lic = 1\n");
  EXPECT_EQ(tree({}), "");
}

TEST(Tree, OfADeepOneStaysNarrow) {
  const std::string text = tree(parsed(std::string(256, '!') + "mem"));
  EXPECT_EQ(text.substr(text.size() - 4), "mem\n");
  EXPECT_LT(text.size(), 256u * 90);
}

BoundSelect bound(std::string_view text) {
  auto result = resreq::bind(parsed(text).select, {.indices = &cluster(), .official_host = {}});
  if (result.error) throw std::runtime_error(result.error->text);
  return *result.select;
}

TEST(Explain, HasALineForEachPart) {
  const TestHost host({{"mem", 380}, {"ut", 0.38}, {"linux", 1}}, {{"type", "X86_64"}});
  EXPECT_EQ(bound("mem>500 && (swp>5 || mem>100) && type==any && linux && !aix && ut<50").explain(host),
            "no   mem > 500: 380\n"
            "yes  swp > 5 || mem > 100: swp -, mem 380\n"
            "yes  type == any: X86_64\n"
            "yes  linux: yes\n"
            "yes  !aix: no\n"
            "yes  ut < 50: 0.38");
  EXPECT_EQ(bound("").explain(host), "");
  EXPECT_EQ(bound("1 == 2").explain(host), "no   1 == 2");
  EXPECT_EQ(bound("(mem>1&&(linux&&aix))&&cpu<1").explain(host),
            "yes  mem > 1: 380\nyes  linux: yes\nno   aix: no\nno   cpu < 1: -");
}

TEST(Rows, TellYesOrNoWithTheReason) {
  const BoundSelect select = bound("mem>500 && linux");
  const TestHost rich({{"mem", 800}, {"linux", 1}}), poor({{"mem", 380.25}, {"linux", 1}}), bare({});
  EXPECT_EQ(rows({{"hostA", select.parts(rich)},
                  {"hostB", select.parts(poor)},
                  {"host-long", select.parts(bare)},
                  {"x", {}}}),
            "hostA      yes\n"
            "hostB      no   mem > 500: 380.25\n"
            "host-long  no   mem > 500: -; linux: no\n"
            "x          yes\n");
  EXPECT_EQ(rows({}), "");
}

TEST(NumberText, IsShort) {
  EXPECT_EQ(number_text(380), "380");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(1.0 / 3), "0.333333");
  EXPECT_EQ(number_text(-4), "-4");
  EXPECT_EQ(number_text(1e300), "1e+300");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace rollcall::resreq
