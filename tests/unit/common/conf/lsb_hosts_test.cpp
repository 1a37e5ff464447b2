// lsb.hosts as the manuals print it, and what is reported of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/lsb_checked.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LsbHosts, HostsGroupsPartitionsAndUnits) {
  const auto files =
      taken({{"hosts",
              "Begin Host\nHOST_NAME MXJ JL/U r1m pg DISPATCH_WINDOW AFFINITY # Keywords\ndefault 2 1 "
              "0.6/1.6 20/40 () (Y)\n"
              "host1 ! () () () (8-17) ()\nX86_64 () () () () () N\nEnd Host\n"
              "Begin HostGroup\nGROUP_NAME GROUP_MEMBER CONDENSE GROUP_ADMIN\ng1 (host1 host[2-3]) Y "
              "(ann)\ng2 (g1 ~host2) N ()\ng3 (!) () ()\ng4 all () ()\nEnd HostGroup\n"
              "Begin HostPartition\nHPART_NAME = p1\nHosts = all\nUser_Shares = ([a, 500] [others, 1])\nEnd "
              "HostPartition\n"
              "Begin ComputeUnit\nNAME MEMBER TYPE\ncell1 (host1 host2) cell\nrack1 (cell1) rack\nEnd "
              "ComputeUnit\n"},
             {"params", "Begin Parameters\nCOMPUTE_UNIT_TYPES=cell rack\nEnd Parameters\n"}});
  ASSERT_EQ(files.hosts.hosts.size(), 3U);
  EXPECT_EQ(files.hosts.hosts[0].slots, 2);
  EXPECT_EQ(files.hosts.hosts[0].user_slots, 1);
  EXPECT_EQ(files.hosts.hosts[0].affinity, "Y");
  EXPECT_EQ(files.hosts.hosts[0].thresholds.at("pg"), (Threshold{20, 40}));
  EXPECT_TRUE(files.hosts.hosts[1].slots_of_cpus && !files.hosts.hosts[1].slots);
  EXPECT_EQ(files.hosts.hosts[1].dispatch_windows.text(), "8-17");
  EXPECT_THAT(files.hosts.groups.at(0).members, ElementsAre("host1", "host[2-3]"));
  EXPECT_TRUE(files.hosts.groups.at(0).condensed);
  EXPECT_THAT(files.hosts.groups.at(0).administrators, ElementsAre("ann"));
  EXPECT_THAT(files.hosts.partitions.at(0).shares, ElementsAre(Share{"a", 500}, Share{"others", 1}));
  EXPECT_EQ(files.hosts.compute_units.at(1).type, "rack");
}

TEST(LsbHosts, ErrorsAreReported) {
  EXPECT_THAT(
      said({{"hosts",
             "Begin Host\nHOST_NAME MXJ\nhostX many\nhost1 1\nhost1 2\nEnd Host\n"
             "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nhost2 (nobody)\ng (host[3-1])\nEnd HostGroup\n"
             "Begin HostPartition\nHPART_NAME HOSTS USER_SHARES\np (hostY) ([a, x])\nEnd HostPartition\n"
             "Begin ComputeUnit\nNAME MEMBER TYPE\nc (host1) cell\nEnd ComputeUnit\n"}}),
      ElementsAre("hosts:3: MXJ: found \"many\", expected a whole number from 0 to 10000000",
                  HasSubstr("hosts:5: found \"host1\" again"),
                  "hosts:9: warning: the name: found \"host2\", expected one that no host has",
                  "hosts:9: warning: members of host2: found \"nobody\", expected a host or a group of hosts",
                  "hosts:10: GROUP_MEMBER: found \"host[3-1]\", expected a name, NAME* or NAME[1-10,15]",
                  "hosts:14: USER_SHARES: found \"[a, x]\", expected [NAME, NUMBER]",
                  "hosts:18: TYPE: found \"cell\", expected a type of COMPUTE_UNIT_TYPES in lsb.params"));
}

// Cluster far may lend hosts of such names.
TEST(LsbHosts, PatternsThatNoHostOfOursMatchMayBeForBorrowedHosts) {
  const std::string group =
      "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\ng (n[1-4] m*)\nh (n1)\nEnd HostGroup\n";
  EXPECT_THAT(said({{"hosts", group}}),
              ElementsAre("hosts:4: warning: members of h: found \"n1\", expected a "
                          "host or a group of hosts"));
}

TEST(LsbHosts, GroupsNameNoBorrowedHostAndNoCluster) {
  EXPECT_THAT(
      said({{"hosts",
             "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\ng (host1 hostA@far)\nall_far (all@far)\nfar "
             "(allremote)\nEnd HostGroup\n"
             "Begin HostPartition\nHPART_NAME HOSTS USER_SHARES\np (hostA@far) ([a, 1])\nq (allremote) "
             "([a, 1])\nEnd HostPartition\n"}}),
      ElementsAre("hosts:3: GROUP_MEMBER: found \"hostA@far\", expected a host of this cluster, a "
                  "pattern, or allremote for all borrowed hosts",
                  HasSubstr("hosts:4: GROUP_MEMBER: found \"all@far\", expected a host of this cluster"),
                  HasSubstr("hosts:9: HOSTS: found \"hostA@far\", expected a host of this cluster")));
}

TEST(LsbHosts, RowsOfBorrowedHosts) {
  EXPECT_THAT(
      said({{"hosts",
             "Begin Host\nHOST_NAME MXJ\nn2@far 4\nhost1@moon 4\nall@far 2\nhost1@lab 1\nEnd Host\n"}}),
      ElementsAre("hosts:4: warning: HOST_NAME: found \"host1@moon\", expected a cluster of lsf.shared",
                  "hosts:5: warning: HOST_NAME: found \"all@far\", expected HOST@CLUSTER for a borrowed "
                  "host",
                  "hosts:6: warning: HOST_NAME: found \"host1@lab\", expected another cluster than this "
                  "one"));
}

TEST(LsbHosts, WarnOfADefaultMxjThatLimitsBorrowedHosts) {
  const auto told = [](const std::string& hosts, const std::string& mxj) {
    return said({{"queues", "Begin Queue\nQUEUE_NAME = q\nHOSTS = " + hosts + "\nEnd Queue\n"},
                 {"hosts", "Begin Host\nHOST_NAME MXJ\nhost1 2\nn2@far 4\ndefault " + mxj + "\nEnd Host\n"}});
  };
  for (const char* hosts : {"all allremote", "all@far", "host1@far"})
    EXPECT_THAT(
        told(hosts, "1"),
        ElementsAre("hosts:5: warning: MXJ: found 1 for default while queue \"q\" uses borrowed hosts: no "
                    "more slots of each are used, whatever is lent; a row HOST@CLUSTER counts before "
                    "default"))
        << hosts;
  for (const char* hosts : {"all", "host1@lab", "all ~all@far"})
    EXPECT_THAT(told(hosts, "1"), IsEmpty()) << hosts;
  EXPECT_THAT(told("all@moon", "1"), ElementsAre(HasSubstr("HOSTS: found \"all@moon\"")));
  for (const char* no_limit : {"!", "()"}) EXPECT_THAT(told("allremote", no_limit), IsEmpty()) << no_limit;
}

}  // namespace
}  // namespace rollcall::conf
