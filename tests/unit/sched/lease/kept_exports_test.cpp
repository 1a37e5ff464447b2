// Which exports stay in force when new files have slips, and which end because the administrator took them out.
#include "sched/policy/lease/kept_exports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/lsb/lsb_files.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::sched::lease {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kFile = "/c/lsbatch/lab/configdir/lsb.resources";

struct Read {
  conf::ClusterFiles cluster;
  conf::LsbResources resources;
  conf::Problems problems;
};

// Cluster lab with hosts a, b and d, and AppX and AppY of them all.
Read read(const std::string& resources) {
  conf::MemoryFiles set{
      .files = {
          {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSF_CLUSTER_NAME=lab\n"},
          {"/c/lsf.shared",
           "Begin Cluster\nClusterName\nlab\nwest\neast\nEnd Cluster\n"
           "Begin HostType\nTYPENAME\nLINUX\nEnd HostType\n"
           "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nfpga Boolean () () (x)\n"
           "AppX Numeric () N (x)\nAppY Numeric () N (x)\nEnd Resource\n"},
          {"/c/lsf.cluster.lab",
           "Begin Host\nHOSTNAME type RESOURCES\na LINUX (fpga)\nb LINUX ()\nd LINUX ()\nEnd Host\n"
           "Begin ResourceMap\nRESOURCENAME LOCATION\nAppX (5@[all])\nAppY (5@[all])\nEnd ResourceMap\n"},
          {"/c/lsbatch/lab/configdir/lsb.params", ""},
          {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = q\nEnd Queue\n"},
          {kFile, resources},
      }};
  auto cluster = conf::read_cluster_files(set.sources());
  EXPECT_TRUE(cluster.files) << testing::PrintToString(lines_of(cluster.problems));
  auto lsb = conf::read_lsb_files(set.sources(), *cluster.files);
  EXPECT_TRUE(lsb.files);
  return {std::move(*cluster.files), std::move(lsb.files->resources), std::move(lsb.problems)};
}

std::string resource(const std::string& name, const std::string& more = "NINSTANCES = 2\n",
                     const std::string& consumer = "west") {
  return "Begin SharedResourceExport\nNAME = " + name + "\n" + more + "DISTRIBUTION = ([" + consumer +
         ", 1])\nEnd SharedResourceExport\n";
}
std::string hosts(const std::string& what, const std::string& consumer = "west") {
  return "Begin HostExport\n" + what + "\nDISTRIBUTION = ([" + consumer + ", 1])\nEnd HostExport\n";
}

// What is in force, a word each, and what the administrator is told.
struct Kept {
  std::vector<std::string> in_force, lines;
  conf::LsbResources resources;
};
Kept after(const conf::LsbResources& before, const std::string& next) {
  Read now = read(next);
  conf::PeerSettings peers;
  peers.key_directory = "/keys";
  peers.clusters = {{"west", {}}};
  Kept kept;
  kept.lines = keep_exports(now.resources, before, now.problems, now.cluster, peers);
  const auto consumers = [](const std::vector<conf::Share>& distribution) {
    std::string text;
    for (const auto& share : distribution) text += " " + share.name;
    return text;
  };
  for (const auto& row : now.resources.host_exports) {
    std::string text = row.hosts.empty() ? row.select : "";
    for (const auto& host : row.hosts) text += (text.empty() ? "" : " ") + host;
    kept.in_force.push_back(text + ":" + consumers(row.distribution));
  }
  for (const auto& row : now.resources.resource_exports)
    kept.in_force.push_back(row.name + " " + std::to_string(row.instances) + ":" +
                            consumers(row.distribution));
  kept.resources = std::move(now.resources);
  return kept;
}
Kept after(const std::string& before, const std::string& next) { return after(read(before).resources, next); }

TEST(KeptExports, NothingStaysOfFilesWithoutSlips) {
  const auto kept = after(hosts("PER_HOST = a\nSLOTS = 1") + resource("AppX"), "");
  EXPECT_THAT(kept.in_force, IsEmpty());
  EXPECT_THAT(kept.lines, IsEmpty());
}

TEST(KeptExports, ASharedResourceStaysWhenItsSectionHasAnError) {
  const std::vector<std::string> all_broken{
      resource("AppX", "NINSTANCES = two\n"),
      resource("AppX", ""),
      resource("AppZ"),
      resource("AppX", "NINSTANCES 2\n"),
      "Begin SharedResourceExports\nNAME = AppX\nEnd SharedResourceExports\n",
      "Begn x\n"};
  for (const std::string& broken : all_broken) {
    const auto kept = after(resource("AppX"), broken);
    EXPECT_THAT(kept.in_force, ElementsAre("AppX 2: west")) << broken;
    ASSERT_EQ(kept.lines.size(), 1U) << broken;
    EXPECT_THAT(kept.lines[0],
                testing::EndsWith(". resource \"AppX\", which no section has now, stays exported as before"));
  }
  EXPECT_EQ(after(resource("AppX"), resource("AppZ")).lines[0],
            kFile +
                ":2: NAME: found \"AppZ\", expected a resource of lsf.shared. resource \"AppX\", which "
                "no section has now, stays exported as before");
}

TEST(KeptExports, AnExportStaysUntilTheSlipIsMended) {
  const auto once = after(resource("AppX", "NINSTANCES = 3\n"), resource("AppZ"));
  const auto again = after(once.resources, resource("AppZ"));
  EXPECT_THAT(again.in_force, ElementsAre("AppX 3: west"));
  const auto mended = after(again.resources, resource("AppX"));
  EXPECT_THAT(mended.in_force, ElementsAre("AppX 2: west"));
  EXPECT_THAT(mended.lines, IsEmpty());
  EXPECT_THAT(after(again.resources, "").in_force, IsEmpty());
}

TEST(KeptExports, ASectionThatIsReadTakesEffectBesideAnError) {
  const auto kept = after(resource("AppX") + resource("AppY"), resource("AppX", "NINSTANCES = 1\n") + "x\n");
  EXPECT_THAT(kept.in_force, ElementsAre("AppX 1: west", "AppY 2: west"));
}

TEST(KeptExports, ASectionWithAnUnknownConsumerStaysAsItWas) {
  const auto kept =
      after(resource("AppX") + hosts("PER_HOST = a\nSLOTS = 1"),
            resource("AppX", "NINSTANCES = 1\n", "wset") + hosts("PER_HOST = a\nSLOTS = 2", "wset"));
  EXPECT_THAT(kept.in_force, ElementsAre("a: west", "AppX 2: west"));
  EXPECT_THAT(kept.lines,
              ElementsAre(kFile + ":4: DISTRIBUTION: found cluster \"wset\", which is no peer of this "
                                  "cluster, expected a peer. resource \"AppX\" stays exported as before",
                          kFile + ":9: DISTRIBUTION: found cluster \"wset\", which is no peer of this "
                                  "cluster, expected a peer. PER_HOST a stays exported as before"));
  EXPECT_THAT(after(resource("AppX"), resource("AppX", "NINSTANCES = 1\n", "lab")).in_force,
              ElementsAre("AppX 1: lab"))
      << "taken away from west";
  EXPECT_THAT(after(resource("AppX"), resource("AppX", "NINSTANCES = 1\n", "west, 1] [east")).in_force,
              ElementsAre("AppX 1: west east"))
      << "nobody loses anything";
}

TEST(KeptExports, AHostExportStaysWhenItsHostIsUnknown) {
  const auto kept = after(hosts("PER_HOST = a b\nSLOTS = 1"), hosts("PER_HOST = a bb\nSLOTS = 1"));
  EXPECT_THAT(kept.in_force, ElementsAre("a b: west"));
  EXPECT_THAT(kept.lines, ElementsAre(kFile + ":2: PER_HOST: found \"bb\", expected a host of the cluster. "
                                              "PER_HOST a b, which no section has now, stays exported as "
                                              "before"));
  EXPECT_THAT(after(kept.resources, hosts("PER_HOST = a bb\nSLOTS = 1")).in_force, ElementsAre("a b: west"));
  EXPECT_THAT(after(hosts("PER_HOST = a gone\nSLOTS = 1"), hosts("PER_HOST = b gone\nSLOTS = 1")).in_force,
              ElementsAre("b gone: west"))
      << "a host that was unknown before is no slip of now";
}

TEST(KeptExports, AHostExportStaysWhenItsRequirementCannotBeUnderstood) {
  const auto kept = after(hosts("RES_SELECT = fpga\nNHOSTS = 1"), hosts("RES_SELECT = fgpa\nNHOSTS = 1"));
  EXPECT_THAT(kept.in_force, ElementsAre("fpga: west"));
  EXPECT_EQ(kept.lines.size(), 1U);
}

// Both in force would lend the same hosts twice.
TEST(KeptExports, AChangedHostExportDoesNotStayBesideAnError) {
  EXPECT_THAT(after(hosts("PER_HOST = a b\nSLOTS = 1"), hosts("PER_HOST = b d\nSLOTS = 1") + "x\n").in_force,
              ElementsAre("b d: west"));
  EXPECT_THAT(
      after(hosts("RES_SELECT = fpga\nNHOSTS = 1"), hosts("RES_SELECT = type==any\nNHOSTS = 1") + "x\n")
          .in_force,
      ElementsAre("type==any: west"));
  EXPECT_THAT(after(hosts("PER_HOST = a\nSLOTS = 1"), hosts("PER_HOST = b\nSLOTS = 1") + "x\n").in_force,
              ElementsAre("b: west", "a: west"));
}

}  // namespace
}  // namespace rollcall::sched::lease
