// lsf.cluster.NAME: parameters, administrators, hosts, where resources live, other clusters.
#include "common/conf/lsf_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* kShared = R"(
Begin Cluster
ClusterName
lab
far
End Cluster
Begin HostType
TYPENAME
LINUX64
End HostType
Begin HostModel
MODELNAME CPUFACTOR
Box 12.5
End HostModel
Begin Resource
RESOURCENAME TYPE    INTERVAL INCREASING DESCRIPTION
mg           Boolean ()       ()         (Management)
fast         Boolean ()       ()         (Fast disk)
rack         String  ()       ()         (Rack)
weight       Numeric ()       Y          (kg)
scratch      Numeric 30       N          (Scratch)
health       String  30       ()         (Health)
lic          Numeric 30       N          (Licences)
seats        Numeric ()       N          (Seats)
End Resource
)";
constexpr const char* kHosts = R"(
Begin Host
HOSTNAME model type server RESOURCES
hostA    !     !    1      (mg)
hostB    !     !    1      ()
hostC    !     !    1      ()
hostD    !     !    0      ()
End Host
)";

struct Read {
  LsfCluster cluster;
  std::vector<std::string> said;
};

Read read(const std::string& text, HostNames names = {}) {
  Problems problems;
  const auto shared =
      read_lsf_shared(parse_sections(kShared, "s", lsf_shared_syntax(), problems), "s", problems);
  IndexTable indices;
  for (const auto& resource : shared.resources) indices.add(resource.definition);
  Read result;
  const auto file = parse_sections(text, "c", lsf_cluster_syntax(), problems);
  result.cluster = read_lsf_cluster(file, "c", shared, indices, names, problems);
  result.said = lines_of(problems);
  return result;
}

ClusterHost host(const std::string& row,
                 const std::string& keywords = "HOSTNAME model type server RESOURCES") {
  const auto result = read("Begin Host\n" + keywords + "\n" + row + "\nEnd Host\n");
  EXPECT_THAT(result.said, IsEmpty()) << row;
  return result.cluster.hosts.empty() ? ClusterHost{} : result.cluster.hosts[0];
}

std::vector<std::string> said_of_host(const std::string& row,
                                      const std::string& keywords = "HOSTNAME model type server RESOURCES") {
  return read("Begin Host\n" + keywords + "\n" + row + "\nEnd Host\n").said;
}

TEST(LsfCluster, ParametersAreRead) {
  const auto result =
      read(std::string(kHosts) +
           "Begin Parameters\nPRODUCTS = LSF_Base\nEXINTERVAL = "
           "7\nHOST_INACTIVITY_LIMIT=3\nMASTER_INACTIVITY_LIMIT=0\n"
           "RETRY_LIMIT=4\nPROBE_TIMEOUT=1\nADJUST_DURATION=2\nELIMARGS=-c /x -v\nELIM_POLL_INTERVAL=2\n"
           "LSF_ELIM_BLOCKTIME=4\nLSF_ELIM_DEBUG=y\nLSF_ELIM_RESTARTS=5\nELIM_ABORT_VALUE=97\n"
           "ROLLCALL_ELIM_RESTART_INTERVAL=0.5\nEnd Parameters\n");
  EXPECT_THAT(result.said, IsEmpty());
  const auto& p = result.cluster.parameters;
  using namespace std::chrono_literals;
  EXPECT_EQ(p.exchange_interval, 7s);
  EXPECT_EQ(p.host_inactivity_limit, 3);
  EXPECT_EQ(p.master_inactivity_limit, 0);
  EXPECT_EQ(p.retry_limit, 4);
  EXPECT_EQ(p.probe_timeout, 1s);
  EXPECT_EQ(p.adjust_duration, 2);
  EXPECT_THAT(p.elim_arguments, ElementsAre("-c", "/x", "-v"));
  EXPECT_EQ(p.elim_poll_interval, 2s);
  EXPECT_EQ(p.elim_block_time, 4s);
  EXPECT_TRUE(p.elim_block_time_given && p.elim_debug);
  EXPECT_EQ(p.elim_restarts, 5);
  EXPECT_EQ(p.elim_abort_value, 97);
  EXPECT_EQ(p.elim_restart_interval, 500ms);
}

TEST(LsfCluster, InvalidParametersAreReported) {
  EXPECT_THAT(
      read(std::string(kHosts) +
           "Begin Parameters\nEXINTERVAL=0\nHOST_INACTIVITY_LIMIT=x\nELIM_POLL_INTERVAL=9\n"
           "LSF_ELIM_RESTARTS=3\nELIM_ABORT_VALUE=256\nLSF_ELIM_DEBUG=on\nWEATHER=fine\nEnd Parameters\n")
          .said,
      ElementsAre(
          testing::HasSubstr(
              "c:16: warning: found \"WEATHER\" in section Parameters, which is unknown and passed over"),
          "c:10: EXINTERVAL: found \"0\", expected more than 0 seconds",
          "c:11: HOST_INACTIVITY_LIMIT: found \"x\", expected a whole number from 1 to 1000000",
          "c:12: warning: ELIM_POLL_INTERVAL: found \"9\", expected 5 seconds or less; 5 are taken",
          "c:15: LSF_ELIM_DEBUG: found \"on\", expected Y or N",
          "c:14: ELIM_ABORT_VALUE: found \"256\", expected a whole number from 0 to 255",
          "c:13: warning: LSF_ELIM_RESTARTS: found \"3\", expected LSF_ELIM_BLOCKTIME or LSF_ELIM_DEBUG "
          "beside it; "
          "there is no limit without"));
}

TEST(LsfCluster, AdministratorsAreReadInEverySpelling) {
  for (const char* text : {"Begin ClusterAdmins\nAdministrators = ann dept\nEnd ClusterAdmins\n",
                           "Begin ClusterAdmins\nADMINISTRATORS = (ann dept)\nEnd ClusterAdmins\n",
                           "Begin ClusterAdmins\nADMINISTRATORS\n(ann dept)\nEnd ClusterAdmins\n",
                           "Begin ClusterManager\nManager = ann dept\nEnd ClusterManager\n"}) {
    const auto result = read(std::string(kHosts) + text);
    EXPECT_THAT(result.said, IsEmpty()) << text;
    EXPECT_THAT(result.cluster.administrators, ElementsAre("ann", "dept")) << text;
  }
  EXPECT_THAT(read(kHosts).cluster.administrators, IsEmpty());
}

TEST(LsfCluster, HostRowsOfSeveralVersions) {
  const auto old =
      host("hostA ! ! 1 3.5 () () (mg)", "HOSTNAME model type server r1m mem swp RESOURCES #Keywords");
  EXPECT_THAT(old.thresholds, ElementsAre(Pair("r1m", 3.5)));
  EXPECT_THAT(old.booleans, ElementsAre("mg"));
  EXPECT_FALSE(old.type || old.model);
  const auto named = host("hostA LINUX64 Box 0 -", "HOSTNAME type model server RESOURCES");
  EXPECT_EQ(named.type, "LINUX64");
  EXPECT_EQ(named.model, "Box");
  EXPECT_FALSE(named.server);
  const auto all = host(
      "hostA ! ! 1 (mg !fast rack=b7 weight=2.5 define_ncpus_cores) 3 (5:19:00-1:8:30 20:00-8:30) -5 3 1.5 "
      "90 4 12 30",
      "HOSTNAME model type server RESOURCES nd RUNWINDOW REXPRI CPU R15S ut PG logins scratch");
  EXPECT_THAT(all.booleans, ElementsAre("mg", "fast", "define_ncpus_cores"));
  EXPECT_THAT(all.dedicated, ElementsAre("fast"));
  EXPECT_THAT(all.values, ElementsAre(Pair("rack", "b7"), Pair("weight", "2.5")));
  EXPECT_EQ(all.disks, 3);
  EXPECT_EQ(all.rexpri, -5);
  EXPECT_EQ(all.run_windows.text(), "5:19:00-1:8:30 20:00-8:30");
  EXPECT_THAT(all.thresholds, ElementsAre(Pair("ls", 12), Pair("pg", 4), Pair("r15s", 1.5), Pair("r1m", 3),
                                          Pair("scratch", 30), Pair("ut", 0.9)))
      << "per cent of ut are a fraction, aliases are formal names";
  const auto lone = host("hostA", "HostNAme");
  EXPECT_TRUE(lone.server);
  EXPECT_EQ(lone.disks, -1);
  EXPECT_TRUE(lone.run_windows.empty());
}

TEST(LsfCluster, InvalidHostsAreReported) {
  EXPECT_THAT(said_of_host("host/A ! ! 1 ()"),
              ElementsAre("c:3: HOSTNAME: found \"host/A\", expected letters, digits, '-', '.', '_'",
                          "c:1: found no valid host in section Host, expected one or more"));
  EXPECT_THAT(
      said_of_host("hostA Cray VAX 2 (no rack !weight scratch=3 mg=1 weight=x mem=4)"),
      ElementsAre("c:3: type: found \"VAX\", expected ! or a type of section HostType in lsf.shared",
                  "c:3: model: found \"Cray\", expected ! or a model of section HostModel in lsf.shared",
                  "c:3: server: found \"2\", expected a whole number from 0 to 1",
                  "c:3: RESOURCES: found \"no\", expected a resource of lsf.shared",
                  "c:3: RESOURCES: found \"rack\", expected rack=VALUE",
                  "c:3: RESOURCES: found \"!weight\", expected weight=VALUE",
                  "c:3: RESOURCES: found \"scratch=3\", expected scratch without a value: an elim reports it",
                  "c:3: RESOURCES: found \"mg=\", expected the name alone of a Boolean resource",
                  "c:3: RESOURCES: found \"weight=x\", expected weight=NUMBER",
                  "c:3: RESOURCES: found \"mem=4\", expected a resource that is not built in"));
  EXPECT_THAT(
      said_of_host("hostA 25-3 fast x", "HOSTNAME RUNWINDOW r1m health"),
      ElementsAre(
          testing::HasSubstr("c:2: warning: found \"health\" in section Host"),
          "c:3: RUNWINDOW: found \"25-3\", expected a time window [day:]hour[:minute]-[day:]hour[:minute]",
          "c:3: r1m: found \"fast\", expected a number"));
  EXPECT_THAT(said_of_host("hostA ! ! 1 ()\nHOSTA ! ! 1 ()"),
              ElementsAre("c:4: HOSTNAME: found \"HOSTA\" again (first at c:3), expected each host once"));
  EXPECT_THAT(read("Begin Parameters\nEnd Parameters\n").said,
              ElementsAre("c: found no host, expected a section Host with HOSTNAME and one row or more"));
}

TEST(LsfCluster, NamesLoseTheStrippedDomain) {
  const auto result = read(
      "Begin Host\nHOSTNAME\nhostA.lab.example\nEnd Host\nBegin ResourceMap\nRESOURCENAME LOCATION\n"
      "scratch [HOSTA.lab.example]\nEnd ResourceMap\n",
      HostNames(".lab.example", ""));
  EXPECT_THAT(result.said, IsEmpty());
  EXPECT_EQ(result.cluster.hosts.at(0).name, "hostA");
  EXPECT_THAT(result.cluster.resource_map.at(0).instances.at(0).hosts, ElementsAre("hostA"));
  EXPECT_NE(result.cluster.host("hostA"), nullptr);
}

// "scratch" as a LOCATION: each instance as "value@host,host" ("*": each host its own, a "+" behind: was [all ...]).
std::string location(const std::string& text, const std::string& resource = "scratch") {
  const auto result = read(std::string(kHosts) + "Begin ResourceMap\nRESOURCENAME LOCATION\n" + resource +
                           " " + text + "\nEnd ResourceMap\n");
  if (!result.said.empty()) return result.said[0];
  std::string shown;
  for (const auto& instance : result.cluster.resource_map.at(0).instances) {
    shown += (shown.empty() ? "" : " ") + (instance.value ? *instance.value + "@" : "");
    if (instance.kind == ResourceInstance::Kind::each_host) shown += "*";
    std::string hosts;
    for (const auto& name : instance.hosts) hosts += (hosts.empty() ? "" : ",") + name;
    shown += hosts + (instance.all_hosts ? "+" : "");
  }
  return shown;
}

TEST(LsfCluster, LocationsNameTheHostsOfEachInstance) {
  EXPECT_EQ(location("[default]"), "*");
  EXPECT_EQ(location("([default])"), "*");
  EXPECT_EQ(location("[all]"), "hostA,hostB,hostC+") << "server hosts alone";
  EXPECT_EQ(location("([all ~hostB])"), "hostA,hostC+");
  EXPECT_EQ(location("[all ~ hostB ~hostC]"), "hostA+");
  EXPECT_EQ(location("([hostB hostA] [others])"), "hostB,hostA hostC");
  EXPECT_EQ(location("[others]"), "hostA,hostB,hostC");
  EXPECT_EQ(location("([hostA] [hostB hostC] [others])"), "hostA hostB,hostC") << "no host is left";
  EXPECT_EQ(location("(5@[all])", "seats"), "5@hostA,hostB,hostC+");
  EXPECT_EQ(location("2@[hostA hostB] 4@[others]", "seats"), "2@hostA,hostB 4@hostC");
  EXPECT_EQ(location("(1@[hostA] 1@[hostB] 1@[HOSTC])", "seats"), "1@hostA 1@hostB 1@hostC");
  EXPECT_EQ(location("(1@[default])", "seats"), "1@*");
  EXPECT_EQ(location("(1 @ [ hostA ])", "seats"), "1@hostA");
  EXPECT_EQ(location("(v1.2@[hostA])", "rack"), "v1.2@hostA");
}

TEST(LsfCluster, InvalidLocationsAreReported) {
  const std::string instance = "VALUE@[HOST ...], [all ~HOST ...], [others] or [default]";
  EXPECT_EQ(location("[hostA@500]", "seats"),
            "c:11: LOCATION of seats: found \"[hostA@500]\", expected VALUE@[HOST ...], the value first");
  EXPECT_EQ(location("hostA"), "c:11: LOCATION of scratch: found \"hostA\", expected " + instance);
  EXPECT_EQ(location("5[hostA]", "seats"),
            "c:11: LOCATION of seats: found \"5[hostA]\", expected " + instance);
  EXPECT_EQ(location("@[hostA]", "seats"),
            "c:11: LOCATION of seats: found \"@[hostA]\", expected " + instance);
  EXPECT_EQ(location("[]"),
            "c:11: LOCATION of scratch: found \"[]\", expected a host, all, others or default between the "
            "brackets");
  EXPECT_EQ(location("[hostX]"),
            "c:11: LOCATION of scratch: found \"hostX\", expected a host of section Host");
  EXPECT_EQ(location("[hostA ~hostB]"),
            "c:11: LOCATION of scratch: found \"[hostA ~hostB]\", expected ~HOST only after all");
  EXPECT_EQ(location("[all hostB]"),
            "c:11: LOCATION of scratch: found \"[all hostB]\", expected nothing but ~HOST after all");
  EXPECT_EQ(
      location("[hostA default]"),
      "c:11: LOCATION of scratch: found \"[hostA default]\", expected default alone between its brackets");
  EXPECT_EQ(location("([hostA] [default])"),
            "c:11: LOCATION of scratch: found \"[default]\", expected [default] as the only instance");
  EXPECT_EQ(location("([others] [others])"),
            "c:11: LOCATION of scratch: found \"[others]\", expected [others] once");
  EXPECT_EQ(
      location("([hostA hostB] [hostB])"),
      "c:11: LOCATION of scratch: found \"[hostB]\", expected a host in one instance only: hostB is in two");
  EXPECT_EQ(
      location("5@[all]"),
      "c:11: LOCATION: found \"5@\", expected no value for scratch, which is dynamic: an elim reports it");
  EXPECT_EQ(location("[all]", "seats"),
            "c:11: LOCATION: found \"[\", expected VALUE@[ for seats, which is static: lsf.shared gives it "
            "no INTERVAL");
  EXPECT_EQ(location("many@[all]", "seats"), "c:11: LOCATION: found \"many\", expected a number for seats");
  EXPECT_EQ(location("()", "seats"), "c:11: LOCATION: found \"()\", expected where seats is");
  EXPECT_EQ(location("[all]", "unknown"),
            "c:11: RESOURCENAME: found \"unknown\", expected a resource of lsf.shared");
  EXPECT_EQ(location("[hostA]", "mg"),
            "c:11: RESOURCENAME: found \"mg\", expected a Numeric or String resource; a Boolean one stands "
            "under RESOURCES of its hosts");
  EXPECT_EQ(location("[all]", "tmp"),
            "c:11: warning: RESOURCENAME: found \"tmp\", expected a resource of lsf.shared; a built-in one "
            "is on every host");
  EXPECT_EQ(location("[all]\nscratch [all]"),
            "c:12: warning: RESOURCENAME: found \"scratch\", expected one row for it; this one is passed "
            "over for that at c:11");
}

TEST(LsfCluster, AMapWithoutKeywordsOrBeforeTheHosts) {
  const auto result =
      read("Begin ResourceMap\n# RESOURCENAME LOCATION\nscratch [default]\nEnd ResourceMap\n" +
           std::string(kHosts));
  EXPECT_THAT(
      result.said,
      ElementsAre(
          "c:3: warning: found no line of keywords, expected one; taken for it: RESOURCENAME LOCATION",
          "c:1: warning: found section ResourceMap before section Host, expected it after that"));
  EXPECT_EQ(result.cluster.resource_map.size(), 1U);
}

TEST(LsfCluster, RemoteClustersAreRead) {
  const auto result = read(std::string(kHosts) +
                           "Begin RemoteClusters\nCLUSTERNAME EQUIV CACHE_INTERVAL RECV_FROM AUTH\n"
                           "far Y 90 N KRB\nlab () () () -\nEnd RemoteClusters\n");
  EXPECT_THAT(result.said, IsEmpty());
  ASSERT_EQ(result.cluster.remote_clusters.size(), 2U);
  const auto& far = result.cluster.remote_clusters[0];
  EXPECT_TRUE(far.equivalent && !far.receive_from && far.authentication == "KRB");
  EXPECT_EQ(far.cache_interval, std::chrono::seconds(90));
  const auto& lab = result.cluster.remote_clusters[1];
  EXPECT_TRUE(!lab.equivalent && lab.receive_from && lab.authentication.empty());
  EXPECT_THAT(
      read(std::string(kHosts) + "Begin RemoteClusters\nCLUSTERNAME\nmoon\nEnd RemoteClusters\n").said,
      ElementsAre("c:11: CLUSTERNAME: found \"moon\", expected a cluster of lsf.shared"));
}

}  // namespace
}  // namespace rollcall::conf
