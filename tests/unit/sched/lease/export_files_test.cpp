// What badmin ckconfig finds in lsb.resources beside the other files of a cluster.
#include "sched/policy/lease/export_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::sched::lease {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Clusters lab (this one), west and east, of which west is a peer.
std::vector<std::string> said(const std::string& resources) {
  conf::MemoryFiles set{
      .files = {
          {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSF_CLUSTER_NAME=lab\n"},
          {"/c/lsf.shared",
           "Begin Cluster\nClusterName\nlab\nwest\neast\nEnd Cluster\n"
           "Begin HostType\nTYPENAME\nLINUX\nSUN\nEnd HostType\n"
           "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nfpga Boolean () () (x)\n"
           "rack String () () (x)\nAppX Numeric () N (x)\nAppB Numeric () N (x)\nscratch Numeric 30 N (x)\n"
           "floor String () () (x)\nEnd Resource\n"},
          {"/c/lsf.cluster.lab",
           "Begin Host\nHOSTNAME type RESOURCES\na LINUX (fpga)\nb SUN (rack=r1)\nd ! ()\nEnd Host\n"
           "Begin ResourceMap\nRESOURCENAME LOCATION\nAppX (5@[all])\nAppB (1@[b] 2@[d])\nscratch [default]\n"
           "floor (2@[all])\nEnd ResourceMap\n"},
          {"/c/lsbatch/lab/configdir/lsb.params", ""},
          {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
          {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = q\nEnd Queue\n"},
          {"/c/lsbatch/lab/configdir/lsb.resources", resources},
      }};
  const auto cluster = conf::read_cluster_files(set.sources());
  EXPECT_TRUE(cluster.files) << testing::PrintToString(lines_of(cluster.problems));
  if (!cluster.files) return {};
  const auto lsb = conf::read_lsb_files(set.sources(), *cluster.files);
  EXPECT_TRUE(lsb.files);
  if (!lsb.files) return {};
  conf::PeerSettings peers;
  peers.key_directory = "/keys";
  peers.clusters = {{"west", {}}};
  conf::Problems problems;
  check_export_files(*cluster.files, *lsb.files, peers, problems);
  return lines_of(problems);
}

std::string policy(const std::string& what, const std::string& consumers = "([west, 1])") {
  return "Begin HostExport\n" + what + "\nDISTRIBUTION = " + consumers + "\nEnd HostExport\n";
}
std::string at(int line, const std::string& text) {
  return "/c/lsbatch/lab/configdir/lsb.resources:" + std::to_string(line) + ": " + text;
}

TEST(ExportFiles, AllowAHostInTwoPoliciesByName) {
  EXPECT_THAT(
      said(policy("PER_HOST = a b\nSLOTS = 1") + policy("PER_HOST = a\nSLOTS = 2")),
      ElementsAre(at(7,
                     "warning: PER_HOST: host \"a\" is exported to cluster \"west\" by the policy at "
                     "/c/lsbatch/lab/configdir/lsb.resources:1, too, expected one policy: it uses the "
                     "slots of one of them")));
}

TEST(ExportFiles, RefuseAHostOfASharedPolicyInAnotherOne) {
  EXPECT_THAT(said(policy("PER_HOST = a\nSLOTS = 1") + policy("PER_HOST = a\nSLOTS = 2\nTYPE = shared")),
              ElementsAre(at(7,
                             "PER_HOST: host \"a\" is also in the policy at "
                             "/c/lsbatch/lab/configdir/lsb.resources:1, expected one policy beside "
                             "TYPE=shared")));
}

TEST(ExportFiles, RefuseANamedHostThatASelectionMatches) {
  const std::string a =
      "RES_SELECT: host \"a\" is also in PER_HOST at "
      "/c/lsbatch/lab/configdir/lsb.resources:1, expected one policy for each host";
  for (const char* select : {"type==LINUX", "fpga", "type==any", "hname==a", "mem > 5 || fpga"})
    EXPECT_THAT(said(policy("PER_HOST = a\nSLOTS = 1") +
                     policy(std::string("RES_SELECT = ") + select + "\nNHOSTS = 1")),
                ElementsAre(at(7, a)))
        << select;
  for (const char* select : {"type==SUN", "rack==r1", "mem > 5", "!fpga"})
    EXPECT_THAT(said(policy("PER_HOST = a\nSLOTS = 1") +
                     policy(std::string("RES_SELECT = ") + select + "\nNHOSTS = 1")),
                IsEmpty())
        << select;
}

TEST(ExportFiles, ATypeThatLimDetectsMayBeAny) {
  EXPECT_EQ(said(policy("PER_HOST = d\nSLOTS = 1") + policy("RES_SELECT = type==any\nNHOSTS = 1")).size(),
            1U);
  EXPECT_THAT(said(policy("PER_HOST = d\nSLOTS = 1") + policy("RES_SELECT = type!=SUN\nNHOSTS = 1")),
              IsEmpty());
  EXPECT_THAT(said(policy("PER_HOST = d\nSLOTS = 1") + policy("RES_SELECT = type==LINUX\nNHOSTS = 1")),
              IsEmpty());
}

TEST(ExportFiles, WarnOfTypesAndModelsThatLsfSharedLacks) {
  const auto told = [](const std::string& select) {
    return said(policy("NHOSTS = 1\nRES_SELECT = " + select));
  };
  EXPECT_THAT(told("type==FOO"), ElementsAre(at(3,
                                                "warning: RES_SELECT: found type \"FOO\", expected a type of "
                                                "lsf.shared: no host has it")));
  EXPECT_THAT(
      told("type==LINUX || !(mem > 5 && model=='Box')"),
      ElementsAre(at(3,
                     "warning: RES_SELECT: found model \"Box\", expected a model of lsf.shared: no host "
                     "has it")));
  for (const char* valid : {"type==any", "type==LINUX && type!=SUN", "rack==FOO", "model==any"})
    EXPECT_THAT(told(valid), IsEmpty()) << valid;
}

TEST(ExportFiles, WarnOfMoreThanASelectionInResSelect) {
  for (const char* more : {"rusage[mem=5]", "order[mem]", "span[hosts=1]"})
    EXPECT_THAT(said(policy(std::string("NHOSTS = 1\nRES_SELECT = select[fpga] ") + more)),
                ElementsAre(at(3, std::string("warning: RES_SELECT: found \"") + more +
                                      "\", expected a selection alone: the rest has no effect")));
  EXPECT_THAT(said(policy("RES_SELECT = select[fpga]\nNHOSTS = 1")), IsEmpty());
}

TEST(ExportFiles, WarnOfWholeHostsForAClusterThatIsNoPeer) {
  EXPECT_THAT(said(policy("RES_SELECT = type==LINUX\nNHOSTS = 3", "([west, 1] [east, 1] [lab, 1])")),
              ElementsAre(at(4,
                             "warning: DISTRIBUTION: found cluster \"east\", which is no peer of this "
                             "cluster, expected a peer: neither cluster can use the hosts that it gets")));
  EXPECT_THAT(said(policy("PER_HOST = a\nSLOTS = 1", "([east, 1])")),
              ElementsAre(at(4,
                             "warning: DISTRIBUTION: found cluster \"east\", which is no peer of this "
                             "cluster, expected a peer: it cannot use what is exported to it")));
}

TEST(ExportFiles, WarnOfASharedResourceWithoutHosts) {
  const std::string resource =
      "Begin SharedResourceExport\nNAME = AppX\nNINSTANCES = 2\nDISTRIBUTION = ([west, 1])\n"
      "End SharedResourceExport\n";
  EXPECT_THAT(said(resource),
              ElementsAre(at(4,
                             "warning: DISTRIBUTION: found cluster \"west\" without a HostExport, "
                             "expected one: no \"AppX\" is exported to it")));
  const std::string hosts = policy("PER_HOST = a\nSLOTS = 1");
  EXPECT_THAT(said(hosts + resource), IsEmpty());
  EXPECT_THAT(said(resource + resource + hosts),
              ElementsAre(at(7,
                             "warning: NAME: found \"AppX\", which an earlier SharedResourceExport has, "
                             "expected one for each resource: this one is ignored")));
}

TEST(ExportFiles, WarnOfASharedResourceThatReachesNoHost) {
  const std::string hosts = policy("PER_HOST = a\nSLOTS = 1");
  const auto resource = [](const std::string& name, const std::string& consumers) {
    return "Begin SharedResourceExport\nNAME = " + name + "\nNINSTANCES = 2\nDISTRIBUTION = " + consumers +
           "\nEnd SharedResourceExport\n";
  };
  // A load index, one of each host by itself, no number, on no host.
  for (const char* name : {"mem", "scratch", "floor", "fpga"})
    EXPECT_THAT(said(hosts + resource(name, "([west, 1])")),
                ElementsAre(at(7, std::string("warning: NAME: found \"") + name +
                                      "\", expected a numeric resource that ResourceMap of lsf.cluster gives "
                                      "to hosts together: nothing is exported")));
  EXPECT_THAT(said(hosts + resource("AppX", "([lab, 1])")),
              ElementsAre(at(9,
                             "warning: DISTRIBUTION: found no cluster but this one, expected another one: no "
                             "\"AppX\" is exported")));
  EXPECT_THAT(
      said(hosts + resource("AppB", "([west, 1])")),
      ElementsAre(at(9,
                     "warning: DISTRIBUTION: found cluster \"west\" whose HostExport has no host with "
                     "the resource, expected one of b d: no \"AppB\" is exported to it")));
  EXPECT_THAT(said(hosts + policy("PER_HOST = d\nSLOTS = 1") + resource("AppB", "([west, 1])")), IsEmpty());
  EXPECT_THAT(said(policy("RES_SELECT = fpga\nNHOSTS = 1") + resource("AppB", "([west, 1])")), IsEmpty())
      << "a host that is chosen may be any";
  EXPECT_THAT(
      said(policy("RES_SELECT = fpga\nNHOSTS = 1") + policy("PER_HOST = d\nSLOTS = 1", "([east, 1])") +
           resource("AppB", "([west, 1] [east, 9])")),
      Contains(at(14,
                  "warning: DISTRIBUTION: found cluster \"west\", whose share of 2 instances is less "
                  "than one, expected more: no \"AppB\" is exported to it")));
}

// "If you do not specify the required host type, the default is type==any": also a host of another type than this one's is chosen.
TEST(ExportFiles, ASelectionWithoutATypeMatchesEveryType) {
  for (const char* host : {"a", "b"})
    EXPECT_EQ(said(policy(std::string("PER_HOST = ") + host + "\nSLOTS = 1") +
                   policy(std::string("RES_SELECT = hname==") + host + "\nNHOSTS = 1"))
                  .size(),
              1U)
        << host;
}

}  // namespace
}  // namespace rollcall::sched::lease
