// LSF_UNIT_FOR_LIMITS: one unit for the limits of queues and profiles, for lsb.resources and for rusage.
#include "common/conf/limit_unit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/resreq/resreq.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Read {
  ClusterFiles cluster;
  LsbFiles lsb;
};

Read read(const std::string& lsf_conf) {
  const std::string limits =
      "MEMLIMIT = 1000 2000\nSWAPLIMIT = 3\nSTACKLIMIT = 4\nCORELIMIT = 5\nDATALIMIT = 6\nFILELIMIT = 7\n"
      "PROCESSLIMIT = 8\n";
  const std::string batch = "/c/lsbatch/lab/configdir/lsb.";
  const MemoryFiles files{
      .files = {
          {"/c/lsf.conf", lsf_conf},
          {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
          {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nh1\nEnd Host\n"},
          {batch + "params", ""},
          {batch + "queues", "Begin Queue\nQUEUE_NAME = q\n" + limits + "End Queue\n"},
          {batch + "applications", "Begin Application\nNAME = a\n" + limits + "End Application\n"},
          {batch + "resources",
           "Begin Limit\nNAME = l\nMEM = 10\nSWP = 20%\nTMP = 30\nRESOURCE = [mem, 40] [swp, 50] [tmp, 60]\n"
           "End Limit\n"}}};
  auto cluster = read_cluster_files(files.sources());
  EXPECT_TRUE(cluster.files);
  auto lsb = read_lsb_files(files.sources(), *cluster.files);
  EXPECT_TRUE(lsb.files);
  return {std::move(*cluster.files), std::move(*lsb.files)};
}

// memory standard and most, swap, stack, core, data, file, processes: KB.
std::vector<long long> limits_of(const JobDefaults& jobs) {
  return {*jobs.memory_limit.standard,
          *jobs.memory_limit.most,
          *jobs.swap_limit,
          *jobs.stack_limit,
          *jobs.core_limit,
          *jobs.data_limit,
          *jobs.file_limit,
          *jobs.process_limit.most};
}

TEST(LimitUnit, LimitsAreInKbWithoutIt) {
  const auto set = read("LSF_LOGDIR=/l\n");
  EXPECT_THAT(limits_of(set.lsb.queues.at(0).jobs), ElementsAre(1000, 2000, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(set.lsb.resources.limits.at(0).amounts.at("MEM").at(0).amount, 10) << "MB";
  EXPECT_EQ(set.cluster.settings.limit_unit.memory_mb(), 1);
}

TEST(LimitUnit, ItScalesQueuesProfilesAndResources) {
  const auto set = read("LSF_UNIT_FOR_LIMITS=GB\n");
  constexpr long long g = 1024 * 1024;
  for (const auto& jobs : {set.lsb.queues.at(0).jobs, set.lsb.applications.at(0).jobs})
    EXPECT_THAT(limits_of(jobs), ElementsAre(1000 * g, 2000 * g, 3 * g, 4 * g, 5 * g, 6 * g, 7, 8));
  const auto& limit = set.lsb.resources.limits.at(0);
  EXPECT_EQ(limit.amounts.at("MEM").at(0).amount, 10 * 1024) << "MB";
  EXPECT_EQ(limit.amounts.at("SWP").at(0).amount, 20) << "per cent";
  EXPECT_EQ(limit.amounts.at("TMP").at(0).amount, 30);
  EXPECT_THAT(limit.resources,
              ElementsAre(Share{"mem", 40 * 1024}, Share{"swp", 50 * 1024}, Share{"tmp", 60}));
  const auto of_tmp = read("LSF_UNIT_FOR_LIMITS=GB\nLSF_ENABLE_TMP_UNIT=Y\n");
  EXPECT_EQ(of_tmp.lsb.resources.limits.at(0).amounts.at("TMP").at(0).amount, 30 * 1024);
}

TEST(LimitUnit, RusageWithoutAUnitIsScaledAndPrintedAsWritten) {
  const resreq::Syntax syntax{false, 1024, 1};
  const auto parsed = resreq::parse("select[mem>100] rusage[mem=2:swp=3,tmp=4:mem=500M]", syntax);
  ASSERT_FALSE(parsed.error) << parsed.error->text;
  const auto& strings = parsed.value.rusage->alternatives.at(0).strings;
  EXPECT_EQ(strings.at(0).usages.at(0).value->value, 2048);
  EXPECT_EQ(strings.at(0).usages.at(1).value->value, 3072);
  EXPECT_EQ(strings.at(1).usages.at(0).value->value, 4);
  EXPECT_EQ(strings.at(1).usages.at(1).value->value, 500);
  const std::string printed = resreq::print(parsed.value);
  EXPECT_THAT(printed, HasSubstr("rusage[mem=2:swp=3"));
  const auto again = resreq::parse(printed, syntax);
  EXPECT_EQ(again.value.rusage->alternatives.at(0).strings.at(0).usages.at(0).value->value, 2048);
}

TEST(LimitUnit, AnInvalidUnitRefusesTheSet) {
  const MemoryFiles files{.files = {{"/c/lsf.conf", "LSF_UNIT_FOR_LIMITS=megs\n"}}};
  EXPECT_THAT(lines_of(read_cluster_files(files.sources()).problems).at(0),
              HasSubstr("LSF_UNIT_FOR_LIMITS: found \"megs\", expected KB, MB, GB"));
}

TEST(LimitUnit, TheMaximumStandsWhereItsDefaultIsInvalid) {
  Problems problems;
  Row row;
  row.set("MEMLIMIT", {"200 100", {"q", 3}});
  row.set("RUNLIMIT", {"2:00 1:00", {"q", 4}});
  row.set("CPULIMIT", {"soon 90", {"q", 5}});
  row.set("THREADLIMIT", {"1 2 3", {"q", 6}});
  row.set("PROCESSLIMIT", {"5 many", {"q", 7}});
  const auto jobs = read_job_defaults(row, {}, problems);
  EXPECT_EQ(jobs.memory_limit.standard, 100);
  EXPECT_EQ(jobs.memory_limit.most, 100);
  EXPECT_EQ(jobs.run_limit.standard->time, std::chrono::hours(1));
  EXPECT_EQ(jobs.run_limit.most->time, std::chrono::hours(1));
  EXPECT_EQ(jobs.cpu_limit.standard->time, std::chrono::minutes(90));
  EXPECT_FALSE(jobs.thread_limit.standard || jobs.thread_limit.most);
  EXPECT_EQ(jobs.process_limit.standard, 5);
  EXPECT_FALSE(jobs.process_limit.most);
  EXPECT_THAT(lines_of(problems),
              testing::UnorderedElementsAre("q:3: MEMLIMIT: found \"200 100\", expected a default that is at "
                                            "most the maximum; the maximum is the "
                                            "default now",
                                            HasSubstr("q:4: RUNLIMIT: found \"2:00 1:00\""),
                                            testing::AllOf(HasSubstr("q:5: CPULIMIT: found \"soon\""),
                                                           HasSubstr("; the maximum 90 is the default now")),
                                            HasSubstr("q:6: THREADLIMIT: found \"1 2 3\""),
                                            HasSubstr("q:7: PROCESSLIMIT: found \"many\"")));
  const Row shown = cells_in_force(row, jobs, problems);
  EXPECT_EQ(shown.find("MEMLIMIT")->text, "100") << "bapp -l shows what is in force";
  EXPECT_EQ(shown.find("CPULIMIT")->text, "90");
  ASSERT_TRUE(shown.find("PROCESSLIMIT"));
  EXPECT_EQ(shown.find("PROCESSLIMIT")->text, "5") << "the default stands where the maximum is invalid";
  EXPECT_FALSE(shown.find("THREADLIMIT"));
}

}  // namespace
}  // namespace rollcall::conf
