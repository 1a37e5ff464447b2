// lsb.resources: exports, limits, reservations and usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/lsb_checked.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

TEST(LsbResources, LeasesInBothSpellings) {
  const auto files = taken({{"resources",
                             "Begin HostExport\nPER_HOST= host1 host2\nSLOTS= 4\nDISTRIBUTION= [lab, 1] "
                             "[far, 3]\nMEM= 100\nSWAP= 100\nEnd HostExport\n"
                             "Begin HostExport\nRES_SELECT=type==LINUX\nNHOSTS=2\nDISTRIBUTION=([far, "
                             "1])\nSWP=7\nTYPE=shared\nEnd HostExport\n"
                             "Begin SharedResourceExport\nNAME = AppX\nNINSTANCES = 10\nDISTRIBUTION = "
                             "([far, 30] [lab, 70])\nEnd SharedResourceExport\n"}});
  const auto& byname = files.resources.host_exports.at(0);
  EXPECT_THAT(byname.hosts, ElementsAre("host1", "host2"));
  EXPECT_THAT(byname.distribution, ElementsAre(Share{"lab", 1}, Share{"far", 3}));
  EXPECT_TRUE(byname.slots == 4 && byname.memory_mb == 100 && byname.swap_mb == 100 && !byname.shared);
  const auto& selected = files.resources.host_exports.at(1);
  EXPECT_EQ(selected.select, "type==LINUX") << "split at the first =";
  EXPECT_TRUE(selected.host_count == 2 && selected.swap_mb == 7 && selected.shared);
  EXPECT_EQ(files.resources.resource_exports.at(0).instances, 10);
}

TEST(LsbResources, LimitsReservationsAndUsage) {
  const auto files =
      taken({{"resources",
              "Begin Limit\nNAME = l1\nUSERS = all ~ann\nPER_HOST = host1 host2\nSLOTS_PER_PROCESSOR = "
              "2\nMEM = 10%\n"
              "RESOURCE = [AppX, 4]\nEnd Limit\n"
              "Begin Limit\nUSERS QUEUES SLOTS\nann (default) 5\n() - ([20 09:00-17:00] [10 "
              "17:00-09:00])\nEnd Limit\n"
              "Begin ResourceReservation\nNAME = day\nUSERS = ann\nTIME_WINDOW = 8:00-18:00\nEnd "
              "ResourceReservation\n"
              "Begin ReservationUsage\nRESOURCE METHOD\nAppX PER_JOB\nscratch -\nEnd ReservationUsage\n"}});
  const auto& limits = files.resources.limits;
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_THAT(limits[0].consumers.at("USERS"), ElementsAre("all", "~ann"));
  EXPECT_TRUE(limits[0].amounts.at("MEM")[0].percent);
  EXPECT_THAT(limits[0].resources, ElementsAre(Share{"AppX", 4}));
  EXPECT_EQ(limits[1].amounts.at("SLOTS")[0].amount, 5);
  ASSERT_EQ(limits[2].amounts.at("SLOTS").size(), 2U);
  EXPECT_EQ(limits[2].amounts.at("SLOTS")[1].windows.text(), "17:00-09:00");
  EXPECT_EQ(files.resources.reservations.at(0).windows.text(), "8:00-18:00");
  EXPECT_EQ(files.resources.reservation_methods.at(0).method, "PER_JOB");
}

TEST(LsbResources, ErrorsAreReported) {
  EXPECT_THAT(
      said({{"resources",
             "Begin HostExport\nPER_HOST=hostX\nDISTRIBUTION=([far, 0])\nEnd HostExport\n"
             "Begin HostExport\nRES_SELECT=x\nDISTRIBUTION=([far, 1])\nSLOTS=1\nEnd HostExport\n"
             "Begin HostExport\nPER_HOST=hostX\nRES_SELECT=x\nTYPE=shared\nDISTRIBUTION=[far, 1] [lab, "
             "1]\nEnd HostExport\n"
             "Begin Limit\nUSERS=a\nPER_USER=b\nSLOTS=many\nEnd Limit\nBegin "
             "Limit\nSLOTS=1\nSLOTS_PER_PROCESSOR=2\nEnd Limit\n"
             "Begin ReservationUsage\nRESOURCE METHOD\na PER_MOON\nEnd ReservationUsage\n"}}),
      ElementsAre(
          "resources:3: DISTRIBUTION: found \"[far, 0]\", expected [NAME, NUMBER]",
          HasSubstr("resources:5: NHOSTS: found \"\", expected how many hosts"),
          "resources:8: SLOTS: found \"1\", expected SLOTS only with PER_HOST",
          "resources:10: SLOTS: found \"\", expected how many slots of each host",
          "resources:12: RES_SELECT: found \"x\", expected RES_SELECT or PER_HOST, not both",
          "resources:18: PER_USER: found \"b\", expected USERS or PER_USER, not both",
          "resources:19: SLOTS: found \"many\", expected NUMBER, NUMBER% or [NUMBER TIME_WINDOW] ...",
          "resources:23: SLOTS_PER_PROCESSOR: found \"2\", expected SLOTS or SLOTS_PER_PROCESSOR, not both",
          "resources:23: SLOTS_PER_PROCESSOR: found \"2\", expected PER_HOST beside it",
          "resources:27: METHOD: found \"PER_MOON\", expected PER_JOB, PER_HOST, PER_SLOT or PER_TASK"));
}

// The cluster is "lab".
TEST(LsbResources, NamedHostsAreSharedWithOneConsumer) {
  const auto shared_with = [](const std::string& distribution) {
    return std::map<std::string, std::string>{
        {"resources", "Begin HostExport\nPER_HOST=host1\nSLOTS=2\nTYPE=shared\nDISTRIBUTION=" + distribution +
                          "\nEnd HostExport\n"}};
  };
  const auto two = shared_with("([far, 1] [lab, 1] [east, 1])");
  EXPECT_THAT(said(two), ElementsAre("resources:5: DISTRIBUTION: found clusters east, far, expected one for "
                                     "TYPE=shared with PER_HOST"));
  EXPECT_THAT(check(two).files->resources.host_exports, IsEmpty());
  const auto one = shared_with("([lab, 3] [far, 1])");
  EXPECT_THAT(said(one), IsEmpty()) << "our own name counts for nothing";
  EXPECT_EQ(check(one).files->resources.host_exports.size(), 1U);
}

TEST(LsbResources, AMisspeltExportIsAnErrorAndNothingElse) {
  EXPECT_THAT(said({{"resources",
                     "Begin HostExprt\nPER_HOST=host1\nSLOTS=1\nDISTRIBUTION=([far, 1])\nEnd HostExprt\n"
                     "Begin Elsewhere\nNAME=x\nEnd Elsewhere\n"}}),
              ElementsAre(HasSubstr("resources:1: found section \"HostExprt\", expected HostExport "),
                          HasSubstr("resources:6: warning: found section \"Elsewhere\", which is unknown")));
}

TEST(LsbResources, NamesSharesThatAreNoneAndWordsThatAreGivenTwice) {
  const auto told = [](const std::string& distribution, const std::string& more = "") {
    return said({{"resources", "Begin HostExport\nPER_HOST=host1\nSLOTS=2\n" + more +
                                   "DISTRIBUTION=" + distribution + "\nEnd HostExport\n"}});
  };
  for (const char* valid : {"([far, 1])", "[far,1][lab, 2]", "( [ far , 3 ] )"})
    EXPECT_THAT(told(valid), IsEmpty()) << valid;
  EXPECT_THAT(
      told("([far, 1] [lab, 2] [far, 3])"),
      ElementsAre("resources:4: warning: DISTRIBUTION: found \"far\", expected each cluster once: its "
                  "shares are added"));
  for (const char* odd : {"([far 1])", "([far,, 1])", "[[far, 1] [lab, 2]]", "([,far, 1])", "([far, 1e0])"})
    EXPECT_THAT(told(odd), ElementsAre("resources:4: warning: DISTRIBUTION: found \"" + std::string(odd) +
                                       "\", expected ([CLUSTER, SHARES] ...)"));
  for (const char* invalid : {"([far, 1.5])", "([far, 1000001])", "([far, 600000] [lab, 1] [far, 400001])"})
    EXPECT_THAT(told(invalid), ElementsAre("resources:4: DISTRIBUTION: found \"" + std::string(invalid) +
                                           "\", expected whole numbers of shares, at most 1000000"));
  EXPECT_THAT(told("([far, 1])", "SWP=5\nSWAP=7\n"),
              ElementsAre("resources:5: warning: SWAP: found \"7\", expected SWAP or SWP, not both: SWP "
                          "counts"));
}

TEST(LsbResources, LimitsNameHostsOfClustersThatExist) {
  const auto told = [](const std::string& hosts) {
    return said({{"resources", "Begin Limit\nNAME=a\nSLOTS=1\n" + hosts + "\nEnd Limit\n"}});
  };
  EXPECT_THAT(
      told("HOSTS = all@moon h1@far"),
      ElementsAre("resources:1: warning: HOSTS: found \"all@moon\", expected a cluster of lsf.shared"));
  EXPECT_THAT(told("PER_HOST = allremote@far"),
              ElementsAre("resources:1: warning: PER_HOST: found \"allremote@far\", expected HOST@CLUSTER or "
                          "all@CLUSTER: the limit is for no host"));
  EXPECT_THAT(told("PER_HOST = all allremote ~host2"), IsEmpty());
}

TEST(LsbResources, WarnOfAHostTwiceInPerHost) {
  const std::string section =
      "Begin HostExport\nSLOTS=2\nPER_HOST=host1 host2 host1 hostX\nDISTRIBUTION=([far, 1])\nEnd "
      "HostExport\n";
  EXPECT_THAT(
      said({{"resources", section}}),
      ElementsAre("resources:3: warning: PER_HOST: found \"host1\", expected each host once: it counts "
                  "once",
                  "resources:3: warning: PER_HOST: found \"hostX\", expected a host of the cluster"));
}

// A large number for "all" has worked before there was a bound, and its lease must not go.
TEST(LsbResources, InstancesHaveABound) {
  const auto told = [](const std::string& instances) {
    return said({{"resources", "Begin SharedResourceExport\nNAME=AppX\nNINSTANCES=" + instances +
                                   "\nDISTRIBUTION=([far, 1])\nEnd SharedResourceExport\n"}});
  };
  EXPECT_THAT(told("100000"), IsEmpty());
  EXPECT_THAT(told("100001"),
              ElementsAre("resources:3: NINSTANCES: found \"100001\", expected a whole number "
                          "from 1 to 100000"));
}

// Without its consumer a limit would hold for all.
TEST(LsbResources, ALimitWithAnUnknownWordIsNotInForce) {
  const std::string limits =
      "Begin Limit\nNAME = a\nCLUSTERS = far\nSLOTS = 1\nEnd Limit\n"
      "Begin Limit\nNAME = b\nINELIGIBLE = Y\nSLOTS = 2\nEnd Limit\n"
      "Begin Limit\nUSERS CLUSTERS SLOTS\nann far 3\nbob - 4\nEnd Limit\n";
  const auto checked = check({{"resources", limits}});
  ASSERT_TRUE(checked.files);
  const auto& in_force = checked.files->resources.limits;
  ASSERT_EQ(in_force.size(), 2U);
  EXPECT_EQ(in_force[0].name, "b");
  EXPECT_THAT(in_force[1].consumers.at("USERS"), ElementsAre("bob"));
  EXPECT_THAT(said({{"resources", limits}}),
              testing::IsSupersetOf({"resources:3: warning: a limit with \"CLUSTERS\" is not in force",
                                     "resources:13: warning: a limit with \"CLUSTERS\" is not in force"}));
}

}  // namespace
}  // namespace rollcall::conf
