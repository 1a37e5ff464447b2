// lsf.shared: clusters, types, models and resources, as the manuals print them and real sites write them.
#include "common/conf/lsf_shared.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct SharedRead {
  LsfShared shared;
  std::vector<std::string> said;
};

constexpr const char* kCluster = "Begin Cluster\nClusterName\nlab\nEnd Cluster\n";

SharedRead read_shared(const std::string& text) {
  Problems problems;
  SharedRead result;
  const auto file = parse_sections(kCluster + text, "s", lsf_shared_syntax(), problems);
  result.shared = read_lsf_shared(file, "s", problems);
  result.said = lines_of(problems);
  return result;
}

ResourceDefinition resource(const std::string& rows, const std::string& keywords) {
  const auto result = read_shared("Begin Resource\n" + keywords + "\n" + rows + "\nEnd Resource\n");
  EXPECT_THAT(result.said, IsEmpty());
  if (result.shared.resources.size() != 1) {
    ADD_FAILURE() << rows;
    return {};
  }
  return result.shared.resources[0].definition;
}

// The problems of one row of section Resource that has a name alone.
std::vector<std::string> said_of(const std::string& row) {
  return read_shared("Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\n" + row +
                     "\nEnd Resource\n")
      .said;
}

TEST(LsfShared, ClustersAreRead) {
  Problems problems;
  const auto file = parse_sections(
      "Begin Cluster\nClusterName Servers\nlab hostA\nfar (hostC hostD hostE)\nold ()\nEnd Cluster\n", "s",
      lsf_shared_syntax(), problems);
  const auto shared = read_lsf_shared(file, "s", problems);
  ASSERT_EQ(shared.clusters.size(), 3U);
  EXPECT_THAT(shared.clusters[0].servers, ElementsAre("hostA"));
  EXPECT_THAT(shared.clusters[1].servers, ElementsAre("hostC", "hostD", "hostE"));
  EXPECT_THAT(shared.clusters[2].servers, IsEmpty());
  EXPECT_THAT(lines_of(problems), IsEmpty());
}

TEST(LsfShared, TypesAndModelsAreRead) {
  const auto result = read_shared(
      "Begin HostType\nTYPENAME # Keyword\nX86_64\nLINUX64\nX86_64\nEnd HostType\n"
      "Begin HostModel\nMODELNAME CPUFACTOR ARCHITECTURE\nOldBox 6.5 ()\nNewBox 23 (x15_3599_AMDRyzen "
      "x15)\nOther 2 x6_5904\nEnd HostModel\n"
      "begin hostmodel\nmodelname = Third\ncpufactor = 1e1\nend hostmodel\n");
  EXPECT_THAT(result.said, IsEmpty());
  EXPECT_THAT(result.shared.host_types, ElementsAre("X86_64", "LINUX64"));
  EXPECT_DOUBLE_EQ(result.shared.model("OldBox")->cpu_factor, 6.5);
  EXPECT_THAT(result.shared.model("NewBox")->architectures, ElementsAre("x15_3599_AMDRyzen", "x15"));
  EXPECT_THAT(result.shared.model("Other")->architectures, ElementsAre("x6_5904"));
  EXPECT_DOUBLE_EQ(result.shared.model("Third")->cpu_factor, 10);
  EXPECT_EQ(result.shared.model("none"), nullptr);
}

TEST(LsfShared, ResourcesInAnyOrderOfColumns) {
  const auto fast = resource("fastlink Numeric () Y () (Links that are fast)",
                             "RESOURCENAME TYPE INTERVAL INCREASING CONSUMABLE DESCRIPTION # Keywords");
  EXPECT_EQ(fast, (ResourceDefinition{.name = "fastlink",
                                      .type = ResourceType::numeric,
                                      .order = ResourceOrder::increasing,
                                      .description = "Links that are fast"}));
  const auto scratch = resource("(Scratch space) N Y N 30 numeric scratch",
                                "Description RELEASE consumable Increasing Interval Type ResourceName");
  EXPECT_EQ(scratch, (ResourceDefinition{.name = "scratch",
                                         .type = ResourceType::numeric,
                                         .order = ResourceOrder::decreasing,
                                         .interval = 30,
                                         .release = false,
                                         .consumable = true,
                                         .description = "Scratch space"}));
  EXPECT_TRUE(scratch.dynamic());
  const auto room = resource("room (A room)", "RESOURCENAME DESCRIPTION");
  EXPECT_EQ(room.type, ResourceType::boolean);
  const auto state = resource("T1_median_\xc2\xb5s String 15 () (of this machine)",
                              "RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION");
  EXPECT_TRUE(state.dynamic() && state.type == ResourceType::string);
}

TEST(LsfShared, TheOldIndexSection) {
  const auto result = read_shared(
      "Begin NewIndex\nNAME INTERVAL INCREASING DESCRIPTION\nusrtmp 60 N (Space in /usr/tmp)\nEnd "
      "NewIndex\n");
  EXPECT_THAT(result.said, IsEmpty());
  ASSERT_EQ(result.shared.resources.size(), 1U);
  EXPECT_EQ(result.shared.resources[0].definition, (ResourceDefinition{.name = "usrtmp",
                                                                       .type = ResourceType::numeric,
                                                                       .order = ResourceOrder::decreasing,
                                                                       .interval = 60,
                                                                       .description = "Space in /usr/tmp"}));
  EXPECT_TRUE(result.shared.resources[0].every_host);
}

TEST(LsfShared, InvalidResourceNamesAreReported) {
  for (const char* name : {"9a", "a:b", "a.b", "a-b", "a*b", "a/b", "a!b", "a&b", "a|b", "a<b", "a>b", "a@b",
                           "a=b", "a+b", "a,b", "mem", "cpu", "logins", "server"}) {
    const auto said = said_of(std::string(name) + " Numeric () Y (x)");
    ASSERT_EQ(said.size(), 1U) << name;
    EXPECT_THAT(said[0],
                testing::HasSubstr("s:7: RESOURCENAME: found \"" + std::string(name) + "\", expected a name"))
        << name;
  }
  EXPECT_THAT(said_of("define_ncpus_cores Boolean () () (x)").at(0),
              testing::HasSubstr("s:7: warning: RESOURCENAME: found \"define_ncpus_cores\""))
      << "files of 10.1 have such rows";
  for (const char* name : {"infiniband", "NaNo"})
    EXPECT_THAT(said_of(std::string(name) + " Boolean () () (x)").at(0),
                testing::HasSubstr("s:7: warning: RESOURCENAME"))
        << name;
  EXPECT_THAT(said_of(std::string(39, 'x') + " Boolean () () (x)"), IsEmpty());
  EXPECT_THAT(said_of(std::string(40, 'x') + " Boolean () () (x)").at(0), testing::HasSubstr("warning"));
}

TEST(LsfShared, EveryErrorIsReported) {
  EXPECT_THAT(said_of("a Real 1.5 maybe ()"),
              ElementsAre("s:7: TYPE: found \"Real\", expected Boolean, Numeric or String",
                          "s:7: INTERVAL: found \"1.5\", expected a whole number from 1 to 1000000000",
                          "s:7: INCREASING: found \"maybe\", expected Y or N"));
  EXPECT_THAT(
      said_of("a Boolean 30 () ()"),
      ElementsAre(
          "s:7: warning: INTERVAL: found \"30\", expected () for a Boolean resource, which never changes"));
  EXPECT_THAT(
      said_of("a String () Y ()"),
      ElementsAre("s:7: warning: INCREASING: found \"Y\", expected () for a resource that is no number"));
  EXPECT_THAT(said_of("() String () () ()"),
              ElementsAre("s:7: RESOURCENAME: found \"()\", expected a value"));
  EXPECT_THAT(said_of("a String () () (x)\na String () () (x)"),
              ElementsAre("s:8: warning: found the resource a again (first at s:7), expected it once"));
  EXPECT_THAT(said_of("a String () () (x)\na Numeric () () (x)"),
              ElementsAre("s:8: found the resource a again (first at s:7), expected it once"));
  EXPECT_THAT(
      read_shared("Begin Resource\nNAME COLOUR\na b\nEnd Resource\nBegin Zoo\nA=1\nEnd Zoo\n").said,
      ElementsAre(
          "s:9: warning: found section \"Zoo\", which is unknown and passed over, expected Cluster HostType "
          "HostModel "
          "Resource NewIndex",
          "s:6: warning: found \"NAME\" in section Resource, which is unknown and passed over, expected "
          "RESOURCENAME TYPE INTERVAL INCREASING RELEASE CONSUMABLE DESCRIPTION",
          "s:6: warning: found \"COLOUR\" in section Resource, which is unknown and passed over, expected "
          "RESOURCENAME TYPE INTERVAL INCREASING RELEASE CONSUMABLE DESCRIPTION",
          "s:6: found no RESOURCENAME in section Resource, expected it"));
  EXPECT_THAT(
      read_shared("Begin HostModel\nMODELNAME CPUFACTOR\na fast\nb 0\nc 1\nc 2\nEnd HostModel\n").said,
      ElementsAre("s:7: CPUFACTOR: found \"fast\", expected a number, 0 or more",
                  "s:8: CPUFACTOR: found \"0\", expected a number above 0",
                  "s:10: MODELNAME: found \"c\", expected a model that is not at s:9 too"));
}

TEST(LsfShared, AFileWithoutAClusterIsNone) {
  for (const char* text : {"", "Begin Cluster\nEnd Cluster\n", "Begin Cluster\nClusterName\nEnd Cluster\n"}) {
    Problems problems;
    read_lsf_shared(parse_sections(text, "s", lsf_shared_syntax(), problems), "s", problems);
    EXPECT_THAT(
        lines_of(problems),
        ElementsAre("s: found no cluster, expected a section Cluster with ClusterName and one row or more"));
  }
}

TEST(LsfShared, ServersStandWithoutParenthesesOrNotAtAll) {
  Problems problems;
  const auto file =
      parse_sections("Begin Cluster\nClusterName Servers\nlab head n1 n2\nfar (h1)\nlast\nEnd Cluster\n", "s",
                     lsf_shared_syntax(), problems);
  const auto shared = read_lsf_shared(file, "s", problems);
  ASSERT_EQ(shared.clusters.size(), 3U) << "a set needs its cluster to start";
  EXPECT_THAT(shared.clusters[0].servers, ElementsAre("head", "n1", "n2"));
  EXPECT_THAT(shared.clusters[2].servers, IsEmpty());
  EXPECT_THAT(
      lines_of(problems),
      ElementsAre("s:3: warning: found \"head n1 n2\", expected parentheses round the values of Servers; the "
                  "row counts without them",
                  "s:5: warning: found no value for Servers, expected one or ()"));
}

TEST(LsfShared, AnInvalidRowIsRemembered) {
  const auto read = read_shared(
      "Begin Resource\nRESOURCENAME TYPE DESCRIPTION\nscratch Numerc (x)\nmem Numeric (x)\nok Boolean "
      "(x)\nEnd Resource\n");
  EXPECT_TRUE(read.shared.invalid_resource("scratch"));
  EXPECT_FALSE(read.shared.invalid_resource("mem")) << "the built-in one can be named";
  EXPECT_FALSE(read.shared.invalid_resource("ok"));
}

}  // namespace
}  // namespace rollcall::conf
