// Every example of the manuals, and the strings of real scripts and clusters: each to its normal form, which reads back.
#include <gtest/gtest.h>

#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

struct Example {
  const char* written;
  const char* normal;
};

class Documented : public testing::TestWithParam<Example> {};

TEST_P(Documented, HasItsNormalForm) {
  const auto [written, expected] = GetParam();
  const ResReq first = parsed(written);
  EXPECT_EQ(print(first), expected);
  EXPECT_TRUE(parsed(expected) == first);
  EXPECT_EQ(normal(expected), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Sections, Documented,
    testing::Values(
        Example{"", ""}, Example{"  \t\n", ""}, Example{"select[] order[ ] rusage[] same[]", ""},
        // What bjobs -l of real clusters shows.
        Example{"select[type == local] order[r15s:pg]", "select[type == local] order[r15s:pg]"},
        Example{"select[((ngpus>0)) && (type == local)] order[gpu_maxfactor] rusage[ngpus_physical=1.00]",
                "select[ngpus > 0 && type == local] order[gpu_maxfactor] rusage[ngpus_physical=1.00]"},
        Example{"select[(profile == mx2_16x128 ) && (type == any)] order[r15s:pg]",
                "select[profile == mx2_16x128 && type == any] order[r15s:pg]"},
        Example{"select[type == local] order[r15s:pg] "
                "affinity[core(1,same=numa)*1:cpubind=numa:membind=localonly] ",
                "select[type == local] order[r15s:pg] "
                "affinity[core(1,same=numa)*1:cpubind=numa:membind=localonly]"},
        // What people write.
        Example{"select[type==LINUX64]rusage[mem=7000]", "select[type == LINUX64] rusage[mem=7000]"},
        Example{"rusage[mem=28000]span[hosts=1]", "rusage[mem=28000] span[hosts=1]"},
        Example{"select[gm_ports>0] rusage[gm_ports=1:duration=30]",
                "select[gm_ports > 0] rusage[gm_ports=1:duration=30]"},
        Example{"rusage[mem=20G]", "rusage[mem=20G]"}, Example{"rusage[mem=512MB]", "rusage[mem=512MB]"},
        Example{"rusage[gtotalin=100:duration=20]", "rusage[gtotalin=100:duration=20]"},
        Example{"select[hname!='host06-x12']", "select[hname != 'host06-x12']"},
        Example{"type==any order[cpu]", "select[type == any] order[cpu]"},
        Example{"type==any", "select[type == any]"}, Example{"mem>5", "select[mem > 5]"},
        Example{"order [r15m] select [ut<50]", "select[ut < 50] order[r15m]"},
        Example{"defined(verilog)", "select[defined(verilog)]"},
        Example{"order[-slots:mem]", "order[-slots:mem]"}, Example{"select[größe>3]", "select[größe > 3]"}));

INSTANTIATE_TEST_SUITE_P(
    Usage, Documented,
    testing::Values(Example{"rusage[mem=200:lic=1]", "rusage[mem=200:lic=1]"},
                    Example{"rusage[r15s=1.0:r1m=1.0:r15m=1.0]", "rusage[r15s=1.0:r1m=1.0:r15m=1.0]"},
                    Example{"rusage[mem=50:duration=100:decay=1, swp=20:duration=60]",
                            "rusage[mem=50:duration=100:decay=1,swp=20:duration=60]"},
                    Example{"rusage[mem=20:duration=30m]", "rusage[mem=20:duration=30]"},
                    Example{"rusage[mem=20:duration=2h]", "rusage[mem=20:duration=120]"},
                    Example{"rusage[mem=20:duration=90s:decay=0]", "rusage[mem=20:duration=90s:decay=0]"},
                    Example{"rusage[duration=0:mem=20]", "rusage[mem=20:duration=0]"},
                    Example{"rusage[mem=20,lic=1||mem=10]", "rusage[mem=20,lic=1 || mem=10]"},
                    Example{"rusage[mem]", "rusage[mem]"}));

INSTANTIATE_TEST_SUITE_P(
    Placing, Documented,
    testing::Values(Example{"span[hosts=1]", "span[hosts=1]"}, Example{"span[hosts=-1]", "span[hosts=-1]"},
                    Example{"span[ptile=16]", "span[ptile=16]"},
                    Example{"span[ptile='!']", "span[ptile='!']"},
                    Example{"span[ptile=!]", "span[ptile='!']"},
                    Example{"span[ptile='!',HP:8,SGI:8,LINUX:2] same[type]",
                            "span[ptile='!',HP:8,SGI:8,LINUX:2] same[type]"},
                    Example{"span[ptile='!', PC1133:4 , 'PC-233':1 ] same[ type : model ]",
                            "span[ptile='!',PC1133:4,'PC-233':1] same[type:model]"},
                    Example{"cu[type=rack]", "cu[type=rack]"}, Example{"cu[]", "cu[]"},
                    Example{"cu[pref=maxavail]", "cu[pref=maxavail]"},
                    Example{"cu[excl:type=enclosure:maxcus=3:pref=minavail:usablecuslots=8:balance]",
                            "cu[type=enclosure:pref=minavail:maxcus=3:usablecuslots=8:balance:excl]"}));

INSTANTIATE_TEST_SUITE_P(
    Affinities, Documented,
    testing::Values(
        Example{"affinity[core(5)]", "affinity[core(5)*1]"}, Example{"affinity[core]", "affinity[core(1)*1]"},
        Example{"affinity[thread*2]", "affinity[thread(1)*2]"},
        Example{"affinity[core(1):distribute=pack]", "affinity[core(1)*1:distribute=pack]"},
        Example{"affinity[core(1):distribute=pack(socket=1)]",
                "affinity[core(1)*1:distribute=pack(socket=1)]"},
        Example{"affinity[core(2, same=socket, exclusive=(socket, injob))]",
                "affinity[core(2,same=socket,exclusive=(socket,injob))*1]"},
        Example{
            "affinity[core(2, same=socket, exclusive=(socket, alljobs)): cpubind=socket:distribute=balance]",
            "affinity[core(2,same=socket,exclusive=(socket,alljobs))*1:cpubind=socket:distribute=balance]"},
        Example{"affinity[core(1,same=numa):cpubind=numa:membind=localonly]",
                "affinity[core(1,same=numa)*1:cpubind=numa:membind=localonly]"},
        Example{"affinity[core(same=numa):distribute=pack]", "affinity[core(1,same=numa)*1:distribute=pack]"},
        Example{"affinity[cpu(4,exclusive=core)*2:membind=localprefer:cpubind=mcm]",
                "affinity[thread(4,exclusive=(core))*2:cpubind=numa:membind=localprefer]"}));

// A section that comes again is another -R option.
INSTANTIATE_TEST_SUITE_P(Repeated, Documented,
                         testing::Values(Example{"select[mem>5] select[swp>6]", "select[mem > 5 && swp > 6]"},
                                         Example{"mem>5 select[swp>6||aix]",
                                                 "select[mem > 5 && (swp > 6 || aix)]"},
                                         Example{"order[mem] order[-ut:mem]", "order[mem:-ut]"},
                                         Example{"rusage[mem=5:lic=1] rusage[mem=7]", "rusage[mem=7:lic=1]"},
                                         Example{"same[type] same[model:type]", "same[type:model]"}));

TEST(Rusage, KeepsWhatSharesADuration) {
  const ResReq resreq = parsed("rusage[mem=50:swp=10:duration=100:decay=1,lic=20:duration=60s||mem=4]");
  ASSERT_TRUE(resreq.rusage);
  ASSERT_EQ(resreq.rusage->alternatives.size(), 2u);
  const auto& strings = resreq.rusage->alternatives[0].strings;
  ASSERT_EQ(strings.size(), 2u);
  ASSERT_EQ(strings[0].usages.size(), 2u);
  EXPECT_EQ(strings[0].usages[1].name, "swp");
  EXPECT_EQ(strings[0].duration, 6000);
  EXPECT_EQ(strings[0].decay, true);
  EXPECT_EQ(strings[1].duration, 60);
  EXPECT_FALSE(strings[1].decay);
  EXPECT_EQ(resreq.rusage->alternatives[1].strings[0].usages[0].value->value, 4);
}

TEST(Rusage, UnitsAreMegabytes) {
  const auto megabytes = [](const std::string& value) {
    return parsed("rusage[mem=" + value + "]").rusage->alternatives[0].strings[0].usages[0].value->value;
  };
  EXPECT_EQ(megabytes("512"), 512);
  EXPECT_EQ(megabytes("512K"), 0.5);
  EXPECT_EQ(megabytes("512KB"), 0.5);
  EXPECT_EQ(megabytes("512M"), 512);
  EXPECT_EQ(megabytes("512MB"), 512);
  EXPECT_EQ(megabytes("2G"), 2048);
  EXPECT_EQ(megabytes("2gb"), 2048);
  EXPECT_EQ(megabytes("1.5T"), 1572864);
  EXPECT_EQ(megabytes("1TB"), 1048576);
  EXPECT_EQ(megabytes("1PB"), 1073741824);
  EXPECT_EQ(megabytes("1E"), 1099511627776);
  EXPECT_EQ(megabytes("1EB"), 1099511627776);
  EXPECT_EQ(megabytes("1Z"), 1125899906842624);
  EXPECT_EQ(megabytes("1e3"), 1000);
  EXPECT_EQ(megabytes("7.3e-3"), 7.3e-3);
  EXPECT_EQ(megabytes("1E2G"), 102400);
}

TEST(Span, HoldsWhatIsWritten) {
  EXPECT_EQ(parsed("span[hosts=-1]").span->hosts, -1);
  const Span span = *parsed("span[ptile='!',HP:8,SGI:4]").span;
  EXPECT_TRUE(span.ptile_slots);
  EXPECT_FALSE(span.ptile);
  EXPECT_EQ(span.ptile_by, (std::vector<std::pair<std::string, int>>{{"HP", 8}, {"SGI", 4}}));
}

TEST(ResReq, EmptyRequirementHasNoSections) {
  EXPECT_TRUE(parsed("").empty());
  EXPECT_FALSE(parsed("cu[]").empty());
}

}  // namespace
}  // namespace rollcall::resreq
