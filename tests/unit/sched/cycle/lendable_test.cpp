// Whether a job could use hosts of a cluster, before a lease says which these are.
#include "sched/policy/cycle/lendable.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kGroups =
    "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\n"
    "far (allremote)\nnested (h1 far)\npattern (b*)\nevery (*)\nmine (all)\n"
    "less (far ~b*)\nempty (far ~every)\nlate (~far b*)\nloop (round)\nround (loop)\nEnd HostGroup\n"
    "Begin HostPartition\nHPART_NAME = part\nHOSTS = h1 nested\nUSER_SHARES = ([default, 1])\nEnd "
    "HostPartition\n";

// Of bsub -m, where "~" needs no `all` beside it.
std::vector<conf::HostItem> words(const std::vector<std::string>& all) {
  std::vector<conf::HostItem> items;
  for (const std::string& word : all) {
    const bool excluded = word.starts_with('~');
    items.push_back(conf::parse_host_items({excluded ? word.substr(1) : word})->front());
    items.back().excluded = excluded;
  }
  return items;
}

// A cluster whose queue `normal` has these HOSTS.
class Lends : public ::testing::Test {
 protected:
  bool used(const std::string& hosts, const std::vector<std::string>& asked = {}, int slots = 1,
            const std::string& user = "ann") const {
    const Scenario scenario = scenario_of(
        "Begin Queue\nQUEUE_NAME = normal\n" + (hosts.empty() ? "" : "HOSTS = " + hosts + "\n") +
        "End Queue\n" + kGroups + more + "Begin Machine\nHOST_NAME STATUS NCPUS\nh1 ok 2\nEnd Machine\n");
    auto lsb = std::make_shared<conf::LsbFiles>(*scenario.snapshot.rules().lsb);
    lsb->hosts.compute_units = {{.name = "rack", .members = {"b*"}}, {.name = "bare", .members = {"h1"}}};
    const auto rules = placement_rules(scenario.snapshot.rules().cluster, lsb);
    Demand demand;
    demand.queue = "normal";
    demand.user = user;
    demand.max_slots = slots;
    demand.asked_hosts = words(asked);
    return could_use(*rules, demand, "east");
  }
  std::string more;
};

TEST_F(Lends, AJobCouldUseAClusterThatItsQueueAndItsHostsName) {
  EXPECT_FALSE(used(""));
  EXPECT_FALSE(used("all"));
  EXPECT_TRUE(used("all allremote"));
  EXPECT_TRUE(used("all@east"));
  EXPECT_TRUE(used("hostA@east+2"));
  EXPECT_FALSE(used("all@north"));
  EXPECT_FALSE(used("allremote", {"h1"}));
  EXPECT_TRUE(used("allremote", {"hostB@east"}));
}

TEST_F(Lends, GroupsPartitionsAndUnitsNameHostsThatAreToCome) {
  for (const char* one : {"far", "nested", "pattern", "every", "less", "part", "rack"}) {
    EXPECT_TRUE(used(one)) << one;
    EXPECT_TRUE(used("allremote", {one})) << "bsub -m " << one;
  }
  for (const char* one : {"mine", "empty", "late", "loop", "bare", "unknown"}) EXPECT_FALSE(used(one)) << one;
}

// ckconfig warns of the group.
TEST_F(Lends, AGroupThatHasTheNameOfAHostOfOursIsNotMeant) {
  more = "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nh1 (allremote)\nof (h1)\nEnd HostGroup\n";
  EXPECT_FALSE(used("h1"));
  EXPECT_FALSE(used("of"));
  EXPECT_TRUE(used("all allremote ~h1"));
}

TEST_F(Lends, ExclusionsOfAllItsHostsExcludeTheCluster) {
  EXPECT_FALSE(used("allremote ~all@east"));
  EXPECT_TRUE(used("allremote ~all@west"));
  EXPECT_FALSE(used("all@east ~allremote"));
  EXPECT_FALSE(used("allremote ~far"));
  EXPECT_FALSE(used("~far allremote")) << "wherever the word is";
  EXPECT_TRUE(used("allremote ~pattern"));
  EXPECT_TRUE(used("allremote ~n1@east"));
  EXPECT_FALSE(used("pattern all ~every"));
}

TEST_F(Lends, WhereBsubOnlyExcludesHostsItAsksForAllOthers) {
  EXPECT_TRUE(used("all allremote", {"~h1"}));
  EXPECT_FALSE(used("all allremote", {"~all@east"}));
  EXPECT_FALSE(used("all", {"~h1"}));
}

TEST_F(Lends, ParallelJobsNeedReceiveFrom) {
  EXPECT_FALSE(used("allremote", {}, 2)) << "no RemoteClusters";
  more = "Begin RemoteClusters\nCLUSTERNAME RECV_FROM\neast N\nwest Y\nEnd RemoteClusters\n";
  EXPECT_FALSE(used("allremote", {}, 2));
  EXPECT_TRUE(used("allremote", {}, 1));
  more = "Begin RemoteClusters\nCLUSTERNAME RECV_FROM\neast Y\nEnd RemoteClusters\n";
  EXPECT_TRUE(used("allremote", {}, 2));
}

TEST_F(Lends, JobsOfRootNeedAnAccount) {
  EXPECT_FALSE(used("allremote", {}, 1, "root"));
  more = "Begin UserMap\nLOCAL REMOTE DIRECTION\nroot games@west export\nEnd UserMap\n";
  EXPECT_FALSE(used("allremote", {}, 1, "root"));
  more = "Begin UserMap\nLOCAL REMOTE DIRECTION\nroot games@east export\nEnd UserMap\n";
  EXPECT_TRUE(used("allremote", {}, 1, "root"));
}

}  // namespace
}  // namespace rollcall::sched::cycle
