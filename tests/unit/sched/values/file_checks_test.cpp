// What badmin ckconfig finds beside the readers of single files: requirements of queues, and lsf.conf's part of the batch system.
#include "sched/policy/values/file_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/batch_settings.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::sched {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class FileChecks : public testing::Test {
 protected:
  // Of a queue on lines 1 to 4, the third of which is `line`.
  static std::vector<std::string> said(const std::string& line) {
    conf::MemoryFiles set{
        .files = {
            {"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
            {"/c/lsf.shared",
             "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin Resource\n"
             "RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nscratch Numeric 30 N (x)\nEnd Resource\n"},
            {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nhost1\nEnd Host\n"},
            {"/c/lsbatch/lab/configdir/lsb.params", ""},
            {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
            {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = q\n" + line + "\nEnd Queue\n"},
        }};
    const auto cluster = conf::read_cluster_files(set.sources());
    const auto lsb = conf::read_lsb_files(set.sources(), *cluster.files);
    EXPECT_TRUE(lsb.files);
    conf::Problems problems;
    if (lsb.files) check_requirements(*cluster.files, *lsb.files, problems);
    return lines_of(problems);
  }
  static std::string at_3(const std::string& text) {
    return "/c/lsbatch/lab/configdir/lsb.queues:3: " + text;
  }
};

TEST_F(FileChecks, AcceptValidRequirements) {
  EXPECT_THAT(said("RES_REQ = select[scratch > 5 && type == any] order[-scratch] rusage[mem=5:duration=1h] "
                   "span[ptile=2]"),
              IsEmpty());
  EXPECT_THAT(said("STOP_COND = select[mem < 50]"), IsEmpty());
  EXPECT_THAT(said("RESUME_COND = mem > 50"), IsEmpty());
  EXPECT_THAT(said("RES_REQ ="), IsEmpty());
}

TEST_F(FileChecks, NameInvalidRequirements) {
  EXPECT_THAT(
      said("RES_REQ = select[mem>"),
      ElementsAre(at_3("RES_REQ: found the end, expected a resource, a number or \"(\", at character 12")));
  EXPECT_THAT(said("STOP_COND = select[mem <]").size(), 1);
  EXPECT_THAT(said("RESUME_COND = span[ptile=0]").size(), 1);
}

TEST_F(FileChecks, UndefinedResourceIsAWarning) {
  const std::string unknown = "found \"nosuch\", expected a resource of this cluster, at character ";
  EXPECT_THAT(said("RES_REQ = select[nosuch > 5]"), ElementsAre(at_3("warning: RES_REQ: " + unknown + "8")));
  EXPECT_THAT(said("RES_REQ = order[nosuch]").size(), 1);
  EXPECT_THAT(said("RES_REQ = rusage[nosuch=5]").size(), 1);
}

TEST_F(FileChecks, EveryErrorOfLsfConfForTheBatchSystem) {
  conf::MemoryFiles set{
      .files = {
          {"/c/lsf.conf", "LSB_MBD_PORT=abc\nLSB_SHAREDIR=work\nLSB_BJOBS_CONSISTENT_EXIT_CODE=maybe\n"},
          {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
          {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nhost1\nEnd Host\n"}}};
  const auto cluster = conf::read_cluster_files(set.sources());
  ASSERT_TRUE(cluster.files);
  conf::Problems problems;
  conf::read_batch_settings(*cluster.files, problems);
  EXPECT_THAT(lines_of(problems),
              ElementsAre("/c/lsf.conf:1: LSB_MBD_PORT: found \"abc\", expected a port from 1 to 65535",
                          "/c/lsf.conf:2: LSB_SHAREDIR: found \"work\", expected an absolute path"));
  EXPECT_THAT(lines_of(cluster.problems),
              Contains("/c/lsf.conf:3: LSB_BJOBS_CONSISTENT_EXIT_CODE: found \"maybe\", expected Y or N"));
  const auto first = conf::read_batch_settings(*cluster.files);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().text,
            "/c/lsf.conf:1: LSB_MBD_PORT: found \"abc\", expected a port from 1 to 65535");
}

// One error in lsf.shared is told once, not again at each place that names the resource.
TEST(InvalidResource, IsToldWhereItIsDefinedAlone) {
  conf::MemoryFiles set{
      .files = {
          {"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
          {"/c/lsf.shared",
           "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin Resource\n"
           "RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nscratch Numerc 30 N (x)\nEnd Resource\n"},
          {"/c/lsf.cluster.lab",
           "Begin Host\nHOSTNAME RESOURCES\nhost1 (scratch)\nEnd Host\n"
           "Begin ResourceMap\nRESOURCENAME LOCATION\nscratch [host1]\nEnd ResourceMap\n"},
          {"/c/lsbatch/lab/configdir/lsb.params", ""},
          {"/c/lsbatch/lab/configdir/lsb.hosts",
           "Begin Host\nHOST_NAME MXJ scratch\nhost1 ! 5/1\nEnd Host\n"},
          {"/c/lsbatch/lab/configdir/lsb.queues",
           "Begin Queue\nQUEUE_NAME = q\nscratch = 5/1\nRES_REQ = rusage[scratch=1]\nEnd Queue\n"
           "Begin Queue\nQUEUE_NAME = p\nRES_REQ = select[nosuch > 1]\nEnd Queue\n"},
      }};
  const auto cluster = conf::read_cluster_files(set.sources());
  EXPECT_THAT(lines_of(cluster.problems),
              ElementsAre("/c/lsf.shared:7: TYPE: found \"Numerc\", expected Boolean, Numeric or String"));
  ASSERT_TRUE(cluster.files);
  const auto lsb = conf::read_lsb_files(set.sources(), *cluster.files);
  EXPECT_THAT(lines_of(lsb.problems), IsEmpty());
  conf::Problems problems;
  check_requirements(*cluster.files, *lsb.files, problems);
  EXPECT_THAT(lines_of(problems),
              ElementsAre(testing::HasSubstr("queues:8: warning: RES_REQ: found \"nosuch\"")));
}

}  // namespace
}  // namespace rollcall::sched
