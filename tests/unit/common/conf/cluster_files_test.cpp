// The set of files as a whole: how files depend on each other, what is derived from them, and how every error is reported.
#include "common/conf/cluster_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/malformed_lines.hpp"
#include "common/conf/show_conf.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

MemoryFiles lab() {
  return {.files = {{"/c/lsf.conf", "LSF_LOGDIR=/var/log/lab\nLSF_LIM_PORT=17869\n"},
                    {"/c/lsf.shared",
                     "Begin Cluster\nClusterName\nlab\nfar\nEnd Cluster\nBegin HostModel\nMODELNAME "
                     "CPUFACTOR\nBox 4.5\nEnd HostModel\n"
                     "Begin Resource\nRESOURCENAME TYPE INTERVAL DESCRIPTION\nrack String () (r)\nseats "
                     "Numeric () (s)\n"
                     "scratch Numeric 30 (x)\nmg Boolean () (m)\nEnd Resource\n"},
                    {"/c/lsf.cluster.lab",
                     "Begin Parameters\nEXINTERVAL = 2.5\nEnd Parameters\nBegin Host\nHOSTNAME model server "
                     "nd REXPRI RESOURCES\n"
                     "hostA Box 1 2 3 (mg rack=a1)\nhostB ! 1 () () ()\nhostC ! 0 () () ()\nEnd Host\n"
                     "Begin ResourceMap\nRESOURCENAME LOCATION\nrack z9@[default]\nscratch [default]\nEnd "
                     "ResourceMap\n"},
                    {"/c/lsf.cluster.far", "Begin Host\nHOSTNAME\nhostX\nEnd Host\n"}}};
}

MemoryFiles with(const std::string& path, const std::string& more) {
  auto files = lab();
  files.files[path] += more;
  return files;
}

std::vector<std::string> said(const MemoryFiles& files) {
  const auto checked = read_cluster_files(files.sources());
  EXPECT_EQ(checked.files.has_value(), !checked.problems.has_fatal());
  return lines_of_values(checked.problems);
}

ClusterFiles taken(const MemoryFiles& files) {
  auto checked = read_cluster_files(files.sources());
  EXPECT_THAT(lines_of_values(checked.problems), IsEmpty());
  return checked.files ? *checked.files : ClusterFiles{};
}

TEST(MalformedLines, AreOneLineForACommandAndErrorsOfTheSet) {
  EXPECT_EQ(malformed_lines(lab().sources()), "");
  EXPECT_EQ(malformed_lines(MemoryFiles{}.sources()), "") << "no lsf.conf";
  const auto files = with("/c/lsf.conf", "nonsense words\n\n=5\nLSB_NTRIES=many\n");
  EXPECT_EQ(malformed_lines(files.sources()),
            "/c/lsf.conf:3: found \"words\", expected '=' after nonsense; broken too: line 5; ignored");
  EXPECT_THAT(said(files),
              Contains("/c/lsf.conf:5: found \"=5\", expected NAME=VALUE, a comment or an empty line"));
}

TEST(ClusterFiles, ToAskADaemonLsfConfAndHostsAreEnough) {
  MemoryFiles files{
      .files = {{"/c/lsf.conf",
                 "LSF_MASTER_LIST=\"Head.lab.org hostB\"\nLSF_STRIP_DOMAIN=.lab.org\nLSF_LOGDIT=/x\n"},
                {"/c/hosts", "10.0.0.7 head head.lab.org\n"}}};
  const auto found = read_files_to_ask(files.sources());
  ASSERT_TRUE(found);
  EXPECT_THAT(found->candidates, ElementsAre("Head", "hostB"));
  EXPECT_EQ(found->names.address("Head"), "10.0.0.7");
  EXPECT_EQ(found->settings.key_file, "/c/cluster.key");
  EXPECT_FALSE(found->names.official("Head")) << "only lsf.cluster gives official names";
  files.files["/c/lsf.conf"] += "LSF_LIM_PORT=none\n";
  EXPECT_FALSE(read_files_to_ask(files.sources()));
}

TEST(ClusterFiles, ASetIsReadAsAWhole) {
  const auto files = taken(lab());
  EXPECT_EQ(files.cluster.name, "lab") << "the first one of lsf.shared";
  EXPECT_EQ(files.settings.lim_port, 17869);
  EXPECT_EQ(files.settings.work_dir, "/var/log/lab");
  EXPECT_EQ(files.settings.key_file, "/c/cluster.key");
  EXPECT_EQ(files.settings.conf_dir, "/c");
  EXPECT_EQ(files.settings.log_mask, "LOG_WARNING");
  EXPECT_THAT(files.candidates, ElementsAre("hostA", "hostB"));
  EXPECT_EQ(files.indices.at(*files.indices.find("scratch")).interval, 30);
  EXPECT_EQ(files.names.official("HOSTA"), "hostA");
}

TEST(ClusterFiles, FactsOfAHostComeFromTheFiles) {
  const auto files = taken(lab());
  const auto a = files.facts("hostA");
  EXPECT_EQ(a.model, "Box");
  EXPECT_DOUBLE_EQ(a.cpu_factor, 4.5);
  EXPECT_EQ(a.ndisks, 2);
  EXPECT_EQ(a.rexpri, 3);
  EXPECT_THAT(a.booleans, ElementsAre("mg"));
  EXPECT_THAT(a.values, ElementsAre(Pair("rack", "a1"))) << "the host's own row counts more than the map";
  const auto b = files.facts("hostB");
  EXPECT_EQ(b.model, "");
  EXPECT_DOUBLE_EQ(b.cpu_factor, 1);
  EXPECT_THAT(b.values, ElementsAre(Pair("rack", "z9")));
  EXPECT_FALSE(files.facts("hostC").server);
  EXPECT_THAT(files.facts("hostC").values, IsEmpty());
  EXPECT_EQ(files.facts("nobody").name, "nobody");
  EXPECT_DOUBLE_EQ(files.cpu_factor("Box"), 4.5);
  EXPECT_DOUBLE_EQ(files.cpu_factor("Detected"), 1);
}

TEST(ClusterFiles, LsfConfChoosesTheCluster) {
  EXPECT_EQ(taken(with("/c/lsf.conf", "LSF_CLUSTER_NAME=far\n")).cluster.hosts.at(0).name, "hostX");
  EXPECT_EQ(taken(with("/c/lsf.conf", "LSF_CLUSTER_NAME=lab\nROLLCALL_CLUSTER=far\n")).cluster.name, "far");
  EXPECT_THAT(said(with("/c/lsf.conf", "LSF_CLUSTER_NAME=moon\n")),
              ElementsAre("/c/lsf.shared: found no cluster \"moon\", expected the one that lsf.conf names in "
                          "section Cluster"));
}

// Clusters that know each other may have the same lsf.shared.
TEST(ClusterFiles, WithoutANameTheClusterIsTheFirstWhoseFileIsThere) {
  MemoryFiles files = with("/c/lsf.conf", "");
  EXPECT_EQ(taken(files).cluster.name, "lab");
  files.files.erase("/c/lsf.cluster.lab");
  EXPECT_EQ(taken(files).cluster.name, "far");
}

TEST(ClusterFiles, MasterListMustNameServerHostsOnce) {
  EXPECT_THAT(taken(with("/c/lsf.conf", "LSF_MASTER_LIST=\"hostB HOSTA\"\n")).candidates,
              ElementsAre("hostB", "hostA"));
  EXPECT_THAT(
      said(with("/c/lsf.conf", "LSF_MASTER_LIST=\"hostC hostX hostB hostB\"\n")),
      ElementsAre("/c/lsf.conf:3: LSF_MASTER_LIST: found \"hostC\", expected a server host of section Host "
                  "in lsf.cluster.lab",
                  "/c/lsf.conf:3: LSF_MASTER_LIST: found \"hostX\", expected a server host of section Host "
                  "in lsf.cluster.lab",
                  "/c/lsf.conf:3: warning: LSF_MASTER_LIST: found \"hostB\" twice, expected it once"));
  auto clients = lab();
  clients.files["/c/lsf.cluster.lab"] = "Begin Host\nHOSTNAME server\nhostA 0\nEnd Host\n";
  EXPECT_THAT(
      said(clients),
      ElementsAre("/c/lsf.cluster.lab:3: found no server host, expected one that can be master (server 1)"));
}

TEST(ClusterFiles, LsfConfGivesDirectoriesAndNames) {
  auto files = lab();
  files.files["/c/lsf.conf"] +=
      "LSF_CONFDIR=/d\nLSF_STRIP_DOMAIN=.lab.example\nROLLCALL_RUNDIR=/run/"
      "lab\nROLLCALL_HTTP=127.0.0.1:9100\n"
      "LSF_STRICT_RESREQ=y\nROLLCALL_CHECK_ADDRESSES=n\nLSF_SERVER_HOSTS=\"hostA hostB\"\n";
  files.files["/d/lsf.shared"] = files.files["/c/lsf.shared"];
  files.files["/d/lsf.cluster.lab"] = files.files["/c/lsf.cluster.lab"];
  files.files["/c/hosts"] = "10.0.0.1 hostA.lab.example node1\n";
  files.files.erase("/c/lsf.shared");
  const auto set = taken(files);
  EXPECT_EQ(set.names.official("node1"), "hostA");
  EXPECT_EQ(set.names.address("hostA.lab.example"), "10.0.0.1");
  EXPECT_EQ(set.settings.work_dir, "/run/lab");
  EXPECT_EQ(set.settings.http, "127.0.0.1:9100");
  EXPECT_TRUE(set.settings.strict_resreq);
  EXPECT_FALSE(set.settings.check_addresses);
  EXPECT_TRUE(taken(lab()).settings.check_addresses) << "unless it is said otherwise";
  EXPECT_THAT(set.settings.server_hosts, ElementsAre("hostA", "hostB"));
  EXPECT_THAT(read_cluster_files(files.sources()).read,
              ElementsAre("/c/lsf.conf", "/d/lsf.shared", "/d/lsf.cluster.lab", "/c/hosts"));
}

TEST(ClusterFiles, InvalidSettingsAreReported) {
  EXPECT_THAT(
      said(with(
          "/c/lsf.conf",
          "LSF_LIM_PORT=70000\nLSF_CONFDIR=conf\nLSF_LOG_MASK=LOUD\nLSF_STRICT_RESREQ=1\nROLLCALL_HTTP=:\n"
          "LSF_SERVER_HOSTS=\"a/b\"\nA-B\nLSF_LIMPORT=1\nLSB_CONFDIR=/x\nWHAT=ever\n")),
      ElementsAre(
          "/c/lsf.conf:2: warning: LSF_LIM_PORT: found \"17869\", expected LSF_LIM_PORT once; line 3 counts",
          "/c/lsf.conf:3: LSF_LIM_PORT: found \"70000\", expected a port from 1 to 65535",
          "/c/lsf.conf:4: LSF_CONFDIR: found \"conf\", expected an absolute path",
          "/c/lsf.conf:5: LSF_LOG_MASK: found \"LOUD\", expected LOG_EMERG ... LOG_WARNING ... LOG_DEBUG3",
          "/c/lsf.conf:6: LSF_STRICT_RESREQ: found \"1\", expected Y or N",
          "/c/lsf.conf:7: ROLLCALL_HTTP: found \":\", expected PORT or ADDRESS:PORT",
          "/c/lsf.conf:8: LSF_SERVER_HOSTS: found \"a/b\", expected host names with blanks between them",
          "/c/lsf.conf:9: found \"-B\", expected '=' after A",
          "/c/lsf.conf:10: warning: found the parameter LSF_LIMPORT, expected LSF_LIM_PORT? It is passed "
          "over"));
  for (const char* slip :
       {"ROLLCALL_MUNGESOCKET", "ROLLCALL_PRODUKT", "LSF_RSHH", "LSF_LSLOADFORMAT", "ROLLCALL_CHECKADDRESSES",
        "LSB_MBDPORT", "LSF_RESPORT", "ROLLCALL_MBDHOST", "LSB_SHARDIR", "ROLLCALL_JOBDIRS", "LSF_BINDIRS",
        "LSB_BJOBS_CONSISTENT_EXITCODE"}) {
    const auto lines = said(with("/c/lsf.conf", std::string(slip) + "=/x\n"));
    ASSERT_EQ(lines.size(), 1U) << slip;
    EXPECT_THAT(lines[0], testing::HasSubstr(std::string("found the parameter ") + slip + ", expected "))
        << slip;
  }
  EXPECT_THAT(
      said(with("/c/lsf.conf", "LSF_RSH=rsh\nLSB_SHAREDIR=/w\nLSF_RES_PORT=7000\nROLLCALL_JOBDIR=/j\n")),
      testing::IsEmpty());
  EXPECT_THAT(
      said(with("/c/lsf.conf", "EGO_DEFINE_NCPUS=sockets\n")),
      ElementsAre("/c/lsf.conf:3: EGO_DEFINE_NCPUS: found \"sockets\", expected procs, cores or threads"));
  const auto conf = LsfConf::parse("LSF_LIM_PORT=x\nLSF_LOG_MASK=y\n", "f");
  EXPECT_EQ(read_load_settings(*conf, "/e").error().text,
            "f:1: LSF_LIM_PORT: found \"x\", expected a port from 1 to 65535");
  EXPECT_EQ(read_load_settings(LsfConf{}, "/e")->lim_port, 7869);
}

TEST(ClusterFiles, AParameterWithoutAValueIsNamed) {
  EXPECT_THAT(
      said(with("/c/lsf.conf", "LSF_RES_PORT=\nLSB_SHAREDIR=  # the mount\nLSF_SERVERDIR=\"\"\n")),
      ElementsAre(
          "/c/lsf.conf:3: warning: LSF_RES_PORT: found no value, expected one; it counts as not set",
          "/c/lsf.conf:4: warning: LSB_SHAREDIR: found no value, expected one; it counts as not set",
          "/c/lsf.conf:5: warning: LSF_SERVERDIR: found no value, expected one; it counts as not set"));
}

TEST(ClusterFiles, AParameterThatIsGivenTwiceIsNamed) {
  EXPECT_THAT(said(with("/c/lsf.conf", "LSF_RES_PORT=7000\nLSF_RES_PORT=7001\nLSF_RES_PORT=7001\n")),
              ElementsAre("/c/lsf.conf:3: warning: LSF_RES_PORT: found \"7000\", expected LSF_RES_PORT once; "
                          "line 4 counts"));
  EXPECT_EQ(LsfConf::parse("A=1\nA=2\n", "f")->value("A"), "2") << "pam starts all the same";
}

TEST(ClusterFiles, ErrorsOfAllFilesAreReported) {
  auto files = lab();
  files.files["/c/lsf.conf"] += "LSF_LIM_PORT=x\n";
  files.files["/c/lsf.shared"] += "Begin Resource\nRESOURCENAME TYPE\n9x String\nEnd Resource\n";
  files.files["/c/lsf.cluster.lab"] += "Begin Host\nHOSTNAME type\nhostQ Cray\nEnd Host\n";
  EXPECT_THAT(
      said(files),
      ElementsAre(HasSubstr("/c/lsf.conf:2: warning: LSF_LIM_PORT"), HasSubstr("/c/lsf.conf:3: LSF_LIM_PORT"),
                  HasSubstr("/c/lsf.shared:19: RESOURCENAME"), HasSubstr("/c/lsf.cluster.lab:17: type")));
  EXPECT_THAT(said({}),
              ElementsAre("/c/lsf.conf: found nothing to read, expected a file: No such file or directory"));
  files.files.erase("/c/lsf.cluster.lab");
  files.files.erase("/c/lsf.cluster.far");
  EXPECT_THAT(
      said(files),
      Contains("/c/lsf.cluster.lab: found nothing to read, expected a file: No such file or directory"));
}

TEST(ShowConf, ParametersAsTheyAreInForce) {
  const auto files = taken(with("/c/lsf.conf", "LSB_MAILTO=\"!U # x\"\nROLLCALL_CLUSTER=lab\n"));
  const std::string text = show_conf_text(shown_parameters(files), true);
  EXPECT_THAT(text,
              HasSubstr("LSB_MAILTO = \"!U # x\"  # /c/lsf.conf:3\nLSF_CLUSTER_NAME = lab  # /c/lsf.conf:4\n"
                        "LSF_CONFDIR = /c  # default\nLSF_LIM_PORT = 17869  # /c/lsf.conf:2\n"));
  EXPECT_THAT(text, HasSubstr("LSF_MASTER_LIST = hostA hostB  # default\n"));
  EXPECT_THAT(text, HasSubstr("LSF_STRIP_DOMAIN =  # default\n"));
  EXPECT_THAT(
      text, HasSubstr("\nEXINTERVAL = 2.5  # /c/lsf.cluster.lab:2\nHOST_INACTIVITY_LIMIT = 5  # default\n"));
  EXPECT_THAT(show_conf_text(shown_parameters(files), false),
              HasSubstr("\nEXINTERVAL = 2.5\nHOST_INACTIVITY_LIMIT = 5\n"));
}

TEST(ShowConf, EndsWithTheVerdictOnTheFiles) {
  Problems problems;
  EXPECT_EQ(check_text(problems, {"/c/a"}, false), "No errors found.\n");
  EXPECT_EQ(check_text(problems, {"/c/a"}, true), "Checked /c/a\nNo errors found.\n");
  problems.warning({"f", 1}, "found x, expected y");
  EXPECT_EQ(check_text(problems, {}, false),
            "f:1: warning: found x, expected y\nNo errors found.\nThere is 1 warning.\n");
  problems.error({"f", 2}, "found p, expected q");
  EXPECT_EQ(check_text(problems, {}, false),
            "f:1: warning: found x, expected y\nf:2: found p, expected q\nThere is 1 error.\nThere is 1 "
            "warning.\n");
  problems.error({"f", 3}, "found r, expected s");
  EXPECT_EQ(check_text(problems, {}, true),
            "f:1: warning: found x, expected y\nf:2: found p, expected q\nf:3: found r, expected s\nThere "
            "are 2 errors.\nThere is 1 warning.\n");
}

TEST(ClusterFiles, AColumnOfAnInvalidIndexHasNoProblemOfItsOwn) {
  const MemoryFiles files{
      .files = {
          {"/c/lsf.conf", ""},
          {"/c/lsf.shared",
           "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin Resource\n"
           "RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nscratch Numerc 30 N (x)\nEnd Resource\n"},
          {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME server scratch odd\nh1 1 5 6\nEnd Host\n"}}};
  EXPECT_THAT(lines_of(read_cluster_files(files.sources()).problems),
              testing::UnorderedElementsAre(
                  "/c/lsf.shared:7: TYPE: found \"Numerc\", expected Boolean, Numeric or String",
                  HasSubstr("found \"odd\" in section Host, which is unknown")));
}

// A row that an older release left out may now be the first, whose cluster is this one.
TEST(ClusterFiles, ServersWithoutParenthesesAreToldWhereTheyChooseTheCluster) {
  const MemoryFiles files{
      .files = {{"/c/lsf.conf", ""},
                {"/c/lsf.shared", "Begin Cluster\nClusterName Servers\nold h1 h2\nlab (h3)\nEnd Cluster\n"},
                {"/c/lsf.cluster.old", "Begin Host\nHOSTNAME\nh1\nEnd Host\n"}}};
  const auto checked = read_cluster_files(files.sources());
  ASSERT_TRUE(checked.files);
  EXPECT_EQ(checked.files->settings.cluster, "old");
  EXPECT_THAT(
      lines_of(checked.problems),
      testing::Contains(HasSubstr("/c/lsf.shared:3: warning: found \"h1 h2\", expected parentheses")));
}

}  // namespace
}  // namespace rollcall::conf
