// Borrowed hosts in the snapshot: leases come and go while jobs wait and run, their slots and memory are state, and words of HOSTS
// and of host groups mean them or not.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sched/policy/cycle/tally.hpp"
#include "sched/policy/cycle/working_state.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

const std::string kSite =
    "Begin Queue\nQUEUE_NAME = normal\nHOSTS = all allremote\nEnd Queue\n"
    "Begin Queue\nQUEUE_NAME = local\nEnd Queue\n"
    "Begin Queue\nQUEUE_NAME = grouped\nHOSTS = far named\nEnd Queue\n"
    "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nfar (allremote)\nnamed (b*)\nmine (all)\nEnd HostGroup\n"
    "Begin RemoteClusters\nCLUSTERNAME RECV_FROM\neast Y\nwest N\nEnd RemoteClusters\n"
    "Begin Machine\nHOST_NAME STATUS NCPUS mem\nh1 ok 2 1000\nb2 ok 2 1000\nEnd Machine\n";
const std::vector<HostId> kHosts{HostId("b1@east"), HostId("b2@east"), HostId("c1@west")};

void bring_up(Snapshot& snapshot, const HostId& id, const BorrowedShare& share, float free_mem = 1000) {
  const HostNumber host = *snapshot.rules().host(id);
  HostFacts facts;
  facts.type = "X86_64";
  facts.ncpus = 16;
  snapshot.set_facts(host, facts);
  LoadVector load(snapshot.rules().indices().size());
  for (ResourceId index = 0; index < load.size(); ++index) load[index].number = 0.1F;
  load[mem].number = free_mem;
  snapshot.set_load(host, load);
  snapshot.host(host).unavailable = snapshot.host(host).unreachable = false;
  snapshot.set_share(host, share);
}

Demand demand_of(const std::string& queue, int slots = 1, const std::string& more = "") {
  Demand demand;
  demand.queue = queue;
  demand.user = "ann";
  demand.min_slots = demand.max_slots = slots;
  demand.resreq = "select[type == any] order[r15s] " + more;
  return demand;
}

class BorrowedHosts : public ::testing::Test {
 protected:
  Scenario scenario = scenario_of(kSite);
  Snapshot& snapshot = scenario.snapshot;
  void borrow(const std::vector<HostId>& hosts) {
    snapshot.take_rules(with_borrowed(snapshot.rules(), hosts));
  }
  void wait(int id, const Demand& demand) {
    snapshot.wait({.key = {id, 0}, .demand = snapshot.demand(demand)});
  }
  std::string plan() const { return starts(schedule(snapshot, scenario.now), snapshot); }
  void start() { apply(schedule(snapshot, scenario.now), scenario.now, snapshot); }
};

TEST_F(BorrowedHosts, AJobOfRootUsesThoseOfAClusterInWhichUserMapGivesRootAnAccount) {
  const std::string map = "Begin UserMap\nLOCAL REMOTE DIRECTION\nroot games@{} export\nEnd UserMap\n";
  for (const auto& [cluster, planned] : {std::pair("east", "1 b1@east"), std::pair("south", "")}) {
    scenario = scenario_of(kSite + std::string(map).replace(map.find("{}"), 2, cluster));
    borrow(kHosts);
    bring_up(snapshot, kHosts[0], {.slots = 4});
    Demand demand = demand_of("normal");
    demand.asked_hosts = {{.name = "b1", .cluster = "east"}};
    demand.user = "root";
    wait(1, demand);
    EXPECT_EQ(plan(), planned) << cluster;
  }
}

TEST_F(BorrowedHosts, AJobOfRootUsesNone) {
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 4});
  Demand demand = demand_of("normal");
  demand.asked_hosts = {{.name = "b1", .cluster = "east"}};
  wait(1, demand);
  demand.user = "root";
  wait(2, demand);
  EXPECT_EQ(plan(), "1 b1@east");
  EXPECT_NE(why_text(snapshot, scenario.now, {2, 0}).find("a job of root stays in its cluster"),
            std::string::npos);
}

TEST_F(BorrowedHosts, ALeaseThatComesIsUsedByJobsThatWaitAlready) {
  for (int id = 1; id <= 6; ++id) wait(id, demand_of("normal"));
  start();
  EXPECT_EQ(snapshot.pending_count(), 2U) << "four slots are ours";
  borrow(kHosts);
  EXPECT_EQ(plan(), "") << "nothing is known of the hosts yet";
  bring_up(snapshot, kHosts[1], {.slots = 1});
  EXPECT_EQ(plan(), "5 b2@east");
  EXPECT_EQ(snapshot.broken_invariant(), "");
}

// Its provider counts the slots of a suspended job as in use, and would refuse the other one.
TEST_F(BorrowedHosts, AJobOnABorrowedHostIsNoVictim) {
  scenario = scenario_of(kSite +
                         "Begin Queue\nQUEUE_NAME = high\nPRIORITY = 90\nPREEMPTION = PREEMPTIVE\nHOSTS = "
                         "all allremote\nEnd Queue\n");
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 1});
  Demand there = demand_of("normal");
  there.asked_hosts = {{.name = "b1", .cluster = "east"}};
  wait(1, there);
  start();
  there.queue = "high";
  wait(2, there);
  EXPECT_TRUE(schedule(snapshot, scenario.now).suspends.empty());
  Demand here = demand_of("normal", 2);
  here.asked_hosts = {{.name = "h1"}};
  wait(3, here);
  start();
  here.queue = "high";
  wait(4, here);
  const Plan found = schedule(snapshot, scenario.now);
  ASSERT_EQ(found.suspends.size(), 1U) << "as one of ours is";
  EXPECT_EQ(found.suspends[0].job.id, 3);
}

TEST_F(BorrowedHosts, SlotsOfALeaseChangeWithoutNewRules) {
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 1});
  const PlacementRules* const rules = &snapshot.rules();
  Demand demand = demand_of("normal");
  demand.asked_hosts = {{.name = "b1", .cluster = "east"}};
  for (int id = 1; id <= 4; ++id) wait(id, demand);
  EXPECT_EQ(plan(), "1 b1@east");
  start();
  snapshot.set_share(*snapshot.rules().host("b1@east"), {.slots = 3});
  EXPECT_EQ(plan(), "2 b1@east, 3 b1@east");
  snapshot.set_share(*snapshot.rules().host("b1@east"), {.slots = 0});
  EXPECT_EQ(plan(), "") << "a slot that is in use is given back when its job is over";
  EXPECT_EQ(&snapshot.rules(), rules);
}

TEST_F(BorrowedHosts, AReasonNamesTheClusterThatLendsNoSlotNow) {
  scenario =
      scenario_of(kSite + "Begin Queue\nQUEUE_NAME = alone\nEXCLUSIVE = Y\nHOSTS = allremote\nEnd Queue\n");
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 0});
  Demand demand = demand_of("normal");
  demand.asked_hosts = {{.name = "b1", .cluster = "east"}};
  wait(1, demand);
  demand.queue = "alone";
  demand.whole_hosts = true;
  wait(2, demand);
  EXPECT_EQ(plan(), "");
  for (const int job : {1, 2}) {
    const std::string why = why_text(snapshot, scenario.now, {job, 0});
    EXPECT_NE(why.find("1 host: cluster east lends no slot of it now"), std::string::npos) << job << why;
  }
}

TEST_F(BorrowedHosts, ALeaseThatGoesLeavesItsJobsAndTakesNoNewOnes) {
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 8});
  Demand demand = demand_of("normal");
  demand.asked_hosts = {{.name = "b1", .cluster = "east"}};
  wait(1, demand);
  start();
  wait(2, demand);
  const HostNumber number = *snapshot.rules().host("b1@east");
  borrow({kHosts[1]});
  EXPECT_EQ(snapshot.rules().host("b1@east"), number);
  EXPECT_EQ(snapshot.tallies().slots[number], 1);
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(why_text(snapshot, scenario.now, {2, 0}).find("b1@east"), std::string::npos);
  borrow({kHosts[0], kHosts[1]});
  EXPECT_EQ(plan(), "2 b1@east") << "the lease is back, and so is what was known of its host";
  EXPECT_EQ(snapshot.broken_invariant(), "");
}

// Its job still counts, and is taken from the limits when it ends.
class LimitedBorrowing : public BorrowedHosts {
 protected:
  LimitedBorrowing() {
    scenario = scenario_of(kSite +
                           "Begin Limit\nNAME = far\nHOSTS = allremote\nSLOTS = 1\nEnd Limit\n"
                           "Begin Limit\nNAME = each\nPER_HOST = allremote\nJOBS = 4\nEnd Limit\n");
  }
};

TEST_F(LimitedBorrowing, ALimitCountsAJobOnAHostThatHasReturnedUntilItEnds) {
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 1});
  Demand demand = demand_of("normal");
  demand.asked_hosts = {{.name = "allremote"}};
  wait(1, demand);
  start();
  ASSERT_EQ(snapshot.jobs_on(*snapshot.rules().host("b1@east")).size(), 1U);
  borrow({kHosts[1]});
  EXPECT_EQ(snapshot.broken_invariant(), "");
  borrow({kHosts[1], kHosts[2]});
  EXPECT_EQ(snapshot.broken_invariant(), "") << "also after further changes";
  bring_up(snapshot, kHosts[1], {.slots = 1});
  wait(2, demand);
  EXPECT_EQ(plan(), "") << "the limit is one slot";
  snapshot.forget({1, 0});
  EXPECT_EQ(snapshot.broken_invariant(), "");
  EXPECT_TRUE(snapshot.tallies().taken_on.empty());
  EXPECT_EQ(plan(), "2 b2@east");
}

TEST_F(BorrowedHosts, QueuesWithoutHostsUseHostsOfOursAlone) {
  borrow(kHosts);
  for (const HostId& host : kHosts) bring_up(snapshot, host, {.slots = 4});
  for (int id = 1; id <= 6; ++id) wait(id, demand_of("local"));
  EXPECT_EQ(plan(), "1 h1, 2 h1, 3 b2, 4 b2");
  Demand asked = demand_of("local");
  asked.asked_hosts = {{.name = "b1", .cluster = "east"}};
  wait(7, asked);
  EXPECT_EQ(why_text(snapshot, scenario.now, {7, 0}).find("1 host: HOSTS of queue local does not name it"),
            std::string("4 hosts: bsub -m does not name it\n").size())
      << why_text(snapshot, scenario.now, {7, 0});
}

TEST_F(BorrowedHosts, HostGroupsNameThemByAllremoteAndByThePartBeforeTheCluster) {
  borrow(kHosts);
  const auto named = [&](const char* group) {
    std::string names;
    for (const HostNumber host : snapshot.rules().host_groups.at(group))
      names += (names.empty() ? "" : " ") + snapshot.rules().hosts[host].text();
    return names;
  };
  EXPECT_EQ(named("far"), "b1@east b2@east c1@west");
  EXPECT_EQ(named("named"), "b2 b1@east b2@east");
  EXPECT_EQ(named("mine"), "h1 b2");
  EXPECT_TRUE(snapshot.rules().queues[*snapshot.rules().queue("grouped")].hosts->size() == 4);
}

TEST_F(BorrowedHosts, ParallelJobsNeedReceiveFrom) {
  borrow(kHosts);
  for (const HostId& host : kHosts) bring_up(snapshot, host, {.slots = 1});
  wait(1, demand_of("normal", 7));
  EXPECT_EQ(plan(), "") << "four of ours and two of east; that of west takes no parallel job";
  snapshot.forget({1, 0});
  wait(2, demand_of("normal", 6));
  EXPECT_EQ(plan(), "2 2*h1 b1@east b2@east 2*b2")
      << "our cluster starts the job, so a host of ours is the first";
  for (int id = 3; id <= 9; ++id) wait(id, demand_of("normal"));
  start();
  EXPECT_EQ(snapshot.tallies().slots[*snapshot.rules().host("c1@west")], 1) << "one slot is not parallel";
}

TEST_F(BorrowedHosts, AHostOfOursIsTheFirstOfAJobOnHostsOfSeveralClusters) {
  borrow(kHosts);
  for (const HostId& host : kHosts) bring_up(snapshot, host, {.slots = 2});
  wait(1, demand_of("normal", 4, "span[ptile=2]"));
  EXPECT_EQ(plan(), "1 2*b1@east 2*b2@east") << "of hosts of one cluster the best one";
  snapshot.forget({1, 0});
  wait(2, demand_of("normal", 6, "span[ptile=2]"));
  EXPECT_EQ(plan(), "2 2*h1 2*b1@east 2*b2@east");
}

// Our cluster starts such a job: hosts of two others alone would be planned for ever.
TEST_F(BorrowedHosts, HostsOfTwoOtherClustersAreOfOneJobOnlyBehindAHostOfOurs) {
  const std::string from_all =
      "Begin Queue\nQUEUE_NAME = remote\nHOSTS = allremote\nEnd Queue\n"
      "Begin Queue\nQUEUE_NAME = before\nHOSTS = allremote+1 all\nEnd Queue\n"
      "Begin RemoteClusters\nCLUSTERNAME RECV_FROM\neast Y\nwest Y\nEnd RemoteClusters\n";
  scenario =
      scenario_of(std::string(kSite).erase(kSite.find("Begin RemoteClusters"),
                                           kSite.find("Begin Machine") - kSite.find("Begin RemoteClusters")) +
                  from_all);
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 1});
  bring_up(snapshot, kHosts[1], {.slots = 1});
  bring_up(snapshot, kHosts[2], {.slots = 3});
  wait(1, demand_of("remote", 4));
  EXPECT_EQ(plan(), "");
  EXPECT_NE(
      why_text(snapshot, scenario.now, {1, 0})
          .find("job asks for 4 slots, 5 slots are free on 3 hosts that fit; on hosts of several clusters a "
                "job begins on one of ours"),
      std::string::npos)
      << why_text(snapshot, scenario.now, {1, 0});
  snapshot.forget({1, 0});
  wait(5, demand_of("remote", 4, "span[ptile=2]"));
  EXPECT_EQ(plan(), "");
  const std::string of_ptile = why_text(snapshot, scenario.now, {5, 0});
  EXPECT_NE(of_ptile.find("job asks for 4 slots, 2 on each host, 5 slots are free on 3 hosts that fit"),
            std::string::npos)
      << of_ptile;
  EXPECT_EQ(of_ptile.find("a job begins on one of ours"), std::string::npos) << "one host alone has 2 slots";
  snapshot.forget({5, 0});
  wait(2, demand_of("remote", 3));
  EXPECT_EQ(plan(), "2 3*c1@west") << "one cluster has enough, though not with the best host";
  snapshot.forget({2, 0});
  wait(3, demand_of("before", 4));
  EXPECT_EQ(plan(), "3 2*h1 b1@east b2@east");
  snapshot.forget({3, 0});
  Demand one_of_h1 = demand_of("local");
  one_of_h1.asked_hosts = {{.name = "h1"}};
  wait(6, one_of_h1);
  start();
  bring_up(snapshot, kHosts[0], {.slots = 2});
  wait(7, demand_of("before", 6, "span[ptile=2]"));
  EXPECT_EQ(plan(), "7 2*b2 2*b1@east 2*c1@west") << "h1 has less than a tile";
  snapshot.forget({7, 0});
  snapshot.forget({6, 0});
  bring_up(snapshot, kHosts[0], {.slots = 1});
  Demand asks = demand_of("before", 3);
  asks.asked_hosts = {{.name = "c1", .cluster = "west", .first_execution = true}, {.name = "h1"}};
  wait(4, asks);
  EXPECT_EQ(plan(), "4 3*c1@west");
  snapshot.forget({4, 0});
  asks.min_slots = asks.max_slots = 4;
  wait(5, asks);
  EXPECT_EQ(plan(), "") << "it asks to begin on a borrowed host";
}

TEST_F(BorrowedHosts, TypesThatHostsFindByThemselvesAreTheSameWithoutARowOfLsfShared) {
  borrow(kHosts);
  HostFacts facts;
  facts.ncpus = 2;
  for (const auto& [host, type] : {std::pair(kHosts[0], "AARCH64"), std::pair(kHosts[1], "MINE")}) {
    bring_up(snapshot, host, {.slots = 1});
    facts.type = type;
    snapshot.set_facts(*snapshot.rules().host(host), facts);
  }
  Demand demand = demand_of("normal");
  demand.resreq = "select[type == MINE]";
  wait(1, demand);
  EXPECT_EQ(plan(), "") << "each cluster may mean another one by it";
  demand.resreq = "select[type == AARCH64]";
  wait(2, demand);
  EXPECT_EQ(plan(), "2 b1@east");
}

TEST_F(BorrowedHosts, ARowOfLsbHostsNamedByTheirTypeCounts) {
  scenario = scenario_of("Begin Host\nHOST_NAME MXJ\nX86_64 3\ndefault 9\nEnd Host\n" + kSite);
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 8});
  EXPECT_EQ(snapshot.slots(*snapshot.rules().host(kHosts[0])), 3);
}

TEST_F(BorrowedHosts, WhereTheTileFailsNothingIsSaidOfTheFirstHost) {
  borrow(kHosts);
  for (const HostId& host : kHosts) bring_up(snapshot, host, {.slots = 2});
  wait(1, demand_of("normal", 6, "span[ptile=3]"));
  EXPECT_EQ(plan(), "");
  const std::string why = why_text(snapshot, scenario.now, {1, 0});
  EXPECT_NE(why.find("3 on each host"), std::string::npos) << why;
  EXPECT_EQ(why.find("begins on one of ours"), std::string::npos) << why;
}

// The host with less than a tile is the last one elsewhere. Here it is our only one.
TEST_F(BorrowedHosts, OurOnlyHostIsTheFirstThoughItHasLessThanATile) {
  borrow(kHosts);
  for (const HostId& host : kHosts) bring_up(snapshot, host, {.slots = 2});
  for (int id = 1; id <= 3; ++id) wait(id, demand_of("local"));
  start();
  ASSERT_EQ(snapshot.placed_count(), 3U);
  wait(4, demand_of("normal", 5, "span[ptile=2]"));
  wait(5, demand_of("normal", 5, "span[ptile=2] rusage[mem=10]"));
  EXPECT_EQ(plan(), "4 b2 2*b1@east 2*b2@east");
}
// What is reserved once for a job is reserved on its first host.
TEST_F(BorrowedHosts, OurOnlyHostIsTheFirstOnlyIfItHasWhatTheFirstHostNeeds) {
  scenario =
      scenario_of("Begin ReservationUsage\nRESOURCE METHOD\nmem PER_JOB\nEnd ReservationUsage\n" + kSite);
  borrow(kHosts);
  for (const HostId& host : kHosts) bring_up(snapshot, host, {.slots = 2}, 8000);
  for (int id = 1; id <= 3; ++id) wait(id, demand_of("local"));
  start();
  wait(4, demand_of("normal", 5, "span[ptile=2] rusage[mem=2000]"));
  wait(5, demand_of("normal", 5, "span[ptile=2] rusage[mem=500]"));
  EXPECT_EQ(plan(), "5 b2 2*b1@east 2*b2@east");
}

// The other side: hosts of ours that leases give away.
TEST_F(BorrowedHosts, AHostThatIsLentAsAWholeTakesNoJobOfOurs) {
  const HostNumber h1 = *snapshot.rules().host("h1"), b2 = *snapshot.rules().host("b2");
  snapshot.set_lent(h1, {.whole = true});
  EXPECT_EQ(snapshot.slots(h1), 0);
  wait(1, demand_of("local"));
  wait(2, demand_of("local"));
  start();
  EXPECT_TRUE(snapshot.jobs_on(h1).empty());
  EXPECT_EQ(snapshot.jobs_on(b2).size(), 2U);
  snapshot.set_lent(h1, {});
  EXPECT_NE(snapshot.slots(h1), 0);
}
// A shared lease divides them.
TEST_F(BorrowedHosts, AHostOfASharedLeaseHasAsManySlotsAsCpusWithoutMxj) {
  scenario = scenario_of("Begin Host\nHOST_NAME MXJ\ndefault -\nEnd Host\n" + kSite);
  const HostNumber h1 = *snapshot.rules().host("h1");
  EXPECT_FALSE(snapshot.slots(h1));
  snapshot.set_lent(h1, {.slots = 1, .counted = true});
  EXPECT_EQ(snapshot.slots(h1), 1);
  snapshot.set_lent(h1, {.counted = true});
  EXPECT_EQ(snapshot.slots(h1), 2) << "all are ours";
  snapshot.set_lent(h1, {});
  EXPECT_FALSE(snapshot.slots(h1));
}
TEST_F(BorrowedHosts, AReasonNamesTheSlotsThatAreLentAndTheCluster) {
  const HostNumber h1 = *snapshot.rules().host("h1"), b2 = *snapshot.rules().host("b2");
  const auto reason = [&](int id) {
    PendingReasons reasons(snapshot, scenario.now);
    std::string lines;
    for (const PendingReason& one : reasons.of({id, 0})) lines += text_of(one) + " " + words_of(one) + "\n";
    return lines;
  };
  snapshot.set_lent(h1, {.whole = true, .slots_lent = 2, .consumers = "east, west"});
  snapshot.set_lent(b2, {.slots = 1, .slots_lent = 1, .consumers = "east"});
  wait(1, demand_of("local", 2));
  EXPECT_EQ(reason(1),
            "Not enough job slots (1 lent to cluster east); Not enough job slots (1 lent to cluster east): "
            "job asks for 2 slots, 1 slot is free on 1 host that fits; 1 slot is lent to cluster east\n"
            "Not enough job slots (2 lent to clusters east, west): 1 host; "
            "1 host: 2 slots are lent to clusters east, west\n");
  snapshot.forget({1, 0});
  wait(2, demand_of("local"));
  start();
  wait(3, demand_of("local"));
  EXPECT_EQ(reason(3),
            "Not enough job slots (2 lent to clusters east, west): 1 host; "
            "1 host: 2 slots are lent to clusters east, west\n"
            "Not enough job slots (1 lent to cluster east): 1 host; "
            "1 host: its own slot is taken, 1 slot is lent to cluster east\n");
  snapshot.set_lent(h1, {});
  snapshot.set_lent(b2, {});
  for (int id = 4; id <= 6; ++id) wait(id, demand_of("local"));
  start();
  EXPECT_EQ(reason(6), "Not enough job slots: 2 hosts; 2 hosts: all 2 slots are taken\n");
}
TEST_F(BorrowedHosts, ExportedMemoryIsGoneFromOurOwnJobs) {
  const HostNumber h1 = *snapshot.rules().host("h1");
  const double before = snapshot.values(h1).numbers[mem];
  snapshot.set_lent(h1, {.mem_mb = 400, .swp_mb = 1});
  EXPECT_DOUBLE_EQ(snapshot.values(h1).numbers[mem], before - 400);
  snapshot.set_lent(h1, {.mem_mb = 1e9});
  EXPECT_DOUBLE_EQ(snapshot.values(h1).numbers[mem], 0);
  snapshot.set_lent(h1, {});
  EXPECT_DOUBLE_EQ(snapshot.values(h1).numbers[mem], before);
}

TEST_F(BorrowedHosts, ExportedMemoryIsTheLimitOfWhatJobsReserveAndUse) {
  borrow(kHosts);
  const HostNumber host = *snapshot.rules().host("b1@east");
  bring_up(snapshot, kHosts[0], {.slots = 8, .mem_mb = 1000}, 8000);
  Demand demand = demand_of("normal", 1, "rusage[mem=400]");
  demand.asked_hosts = {{.name = "b1", .cluster = "east"}};
  for (int id = 1; id <= 4; ++id) wait(id, demand);
  EXPECT_EQ(plan(), "1 b1@east, 2 b1@east") << "1000 MB are enough for two";
  start();
  const auto left = [&] { return WorkingState(snapshot, scenario.now).number(host, mem); };
  EXPECT_DOUBLE_EQ(left(), 200);
  PlacedJob job = *snapshot.placed({1, 0});
  job.used_mem = 300;  // of what it reserved
  snapshot.place(job);
  EXPECT_DOUBLE_EQ(left(), 200);
  job.used_mem = 550;  // more than it reserved
  snapshot.place(job);
  EXPECT_DOUBLE_EQ(left(), 50);
  snapshot.forget({1, 0});
  EXPECT_DOUBLE_EQ(left(), 600);
  bring_up(snapshot, kHosts[0], {.slots = 8, .mem_mb = 1000}, 500);
  EXPECT_DOUBLE_EQ(left(), 100) << "the host has less free than is lent";
  bring_up(snapshot, kHosts[0], {.slots = 8}, 500);
  EXPECT_DOUBLE_EQ(left(), 100) << "jobs compete for what is free";
}

// lic is in lsf.shared; of ours only h1 has an instance, of `far` none.
class LentLicences : public BorrowedHosts {
 protected:
  LentLicences() {
    scenario =
        scenario_of(kSite +
                    "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nlic Numeric () "
                    "N (licence)\nfar_lic Numeric () N (licence)\nEnd Resource\n"
                    "Begin ResourceMap\nRESOURCENAME LOCATION\nlic (1@[h1])\nEnd ResourceMap\n");
  }
  void borrow_licences(const std::string& resource, int instances) {
    const std::vector<InstancesOnLease> lent{{resource, {kHosts[0], kHosts[1]}, instances}};
    snapshot.take_rules(with_borrowed(snapshot.rules(), kHosts, lent));
    const auto id = *snapshot.rules().indices().find(resource);
    snapshot.set_shared(*snapshot.rules().instance_of(id, *snapshot.rules().host(kHosts[0])), instances);
    for (const HostId& host : {kHosts[0], kHosts[1]}) bring_up(snapshot, host, {.slots = 4});
  }
  void waits(int id, const std::string& rusage) {
    wait(id, demand_of("normal", 1, "rusage[" + rusage + "]"));
  }
};

TEST_F(LentLicences, AreReservedOnTheHostsOfTheLeaseBesideOurOwn) {
  borrow_licences("lic", 2);
  for (int id = 1; id <= 4; ++id) waits(id, "lic=1");
  start();
  EXPECT_EQ(snapshot.placed_count(), 3U) << "one of ours, two of the lease";
  const auto& places = snapshot.jobs_on(*snapshot.rules().host("h1"));
  EXPECT_EQ(places.size(), 1U);
  EXPECT_TRUE(snapshot.jobs_on(*snapshot.rules().host("b2")).empty()) << "a host of ours without one";
  EXPECT_NE(why_text(snapshot, scenario.now, {4, 0}).find("lic"), std::string::npos);
  EXPECT_EQ(snapshot.broken_invariant(), "");
}
TEST_F(LentLicences, OfAResourceThatWeHaveNotAreUsedByJobsThatWaitAlready) {
  for (int id = 1; id <= 3; ++id) waits(id, "far_lic=1");
  EXPECT_EQ(plan(), "");
  borrow_licences("far_lic", 2);
  start();
  EXPECT_EQ(snapshot.placed_count(), 2U);
  EXPECT_EQ(snapshot.broken_invariant(), "");
  snapshot.take_rules(with_borrowed(snapshot.rules(), {}));
  EXPECT_EQ(snapshot.broken_invariant(), "");
  borrow_licences("far_lic", 3);
  EXPECT_EQ(snapshot.broken_invariant(), "") << "jobs that hold some are counted again";
  start();
  EXPECT_EQ(snapshot.placed_count(), 3U);
}
// A static resource that its cluster has taken from the host.
TEST_F(LentLicences, AStaticNumberThatAHostHasNoLongerIsUnknown) {
  borrow(kHosts);
  bring_up(snapshot, kHosts[0], {.slots = 4}, 700);
  const HostNumber host = *snapshot.rules().host(kHosts[0]);
  const auto lic = *snapshot.rules().indices().find("far_lic");
  HostFacts facts;
  facts.values["far_lic"] = "3";
  snapshot.set_facts(host, facts);
  EXPECT_EQ(snapshot.values(host).numbers[lic], 3);
  facts.values.clear();
  snapshot.set_facts(host, facts);
  EXPECT_TRUE(std::isnan(snapshot.values(host).numbers[lic]));
  EXPECT_EQ(snapshot.values(host).numbers[mem], 700) << "facts say nothing of the load";
}
TEST_F(LentLicences, AreHeldAsLongAsTheJobRunsAlsoWhileItIsSuspended) {
  borrow_licences("far_lic", 1);
  waits(1, "far_lic=1:duration=1");
  start();
  PlacedJob job = *snapshot.placed({1, 0});
  ASSERT_EQ(job.placement.reservations.size(), 1U);
  EXPECT_TRUE(job.placement.reservations[0].until.never());
  job.suspended = wire::SUSPEND_USER;
  snapshot.place(job);
  waits(2, "far_lic=1");
  EXPECT_EQ(plan(), "") << "the provider counts it until the attempt is over";
}
TEST_F(LentLicences, OfOursAreGoneFromOurOwnJobs) {
  waits(1, "lic=1");
  EXPECT_EQ(plan(), "1 h1");
  snapshot.set_shared_lent({1});
  EXPECT_EQ(plan(), "");
  snapshot.set_shared_lent({9});
  EXPECT_EQ(snapshot.shared_number(0), 0);
  EXPECT_EQ(snapshot.shared_told(0), 1);
  snapshot.set_shared_lent({});
  EXPECT_EQ(plan(), "1 h1");
}
TEST_F(LentLicences, AreDroppedWhereHostsOfOursHaveTheResourceForThemselves) {
  EXPECT_TRUE(may_be_borrowed(*snapshot.rules().cluster, "lic"));
  EXPECT_TRUE(may_be_borrowed(*snapshot.rules().cluster, "far_lic"));
  EXPECT_FALSE(may_be_borrowed(*snapshot.rules().cluster, "mem"));
  EXPECT_FALSE(may_be_borrowed(*snapshot.rules().cluster, "unheard"));
  auto cluster = *snapshot.rules().cluster;
  cluster.cluster.hosts[0].values["far_lic"] = "3";
  EXPECT_FALSE(may_be_borrowed(cluster, "far_lic"));
}

// However leases came and went, the cycle decides as if the snapshot had been made with the leases of now.
RC_GTEST_PROP(BorrowedHostsProperty, LeasesThatChangeDecideLikeANewSnapshot, ()) {
  Scenario scenario = scenario_of(kSite);
  Snapshot& kept = scenario.snapshot;
  std::vector<HostId> pool;
  for (const char* cluster : {"east", "west"})
    for (int i = 1; i <= 4; ++i) pool.emplace_back("b" + std::to_string(i) + "@" + cluster);
  const auto draw = [](int most) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most)); };
  int id = 0;
  std::vector<HostId> lent;
  for (int round = 0; round < 4; ++round) {
    lent.clear();
    for (const HostId& host : pool)
      if (draw(2) == 0) lent.push_back(host);
    kept.take_rules(with_borrowed(kept.rules(), lent));
    for (int i = 0; i < 3; ++i) {
      Demand demand = demand_of(draw(3) == 0 ? "grouped" : "normal", 1 + draw(3));
      demand.resreq = "select[type == any] order[mem]";
      if (draw(3) == 0) demand.asked_hosts = {{.name = "all"}, {.name = "allremote"}};
      kept.wait({.key = {++id, 0}, .demand = kept.demand(demand), .order = static_cast<double>(id)});
    }
    // Loads differ, so that no host is chosen for its number: a new snapshot has other numbers.
    Snapshot fresh(placement_rules(kept.rules().cluster, kept.rules().lsb, lent));
    for (HostNumber host = 0; host < kept.rules().own_hosts; ++host) {
      fresh.set_facts(host, kept.rules().cluster->facts(kept.rules().hosts[host].text()));
      for (Snapshot* one : {&kept, &fresh}) {
        LoadVector load(one->rules().indices().size());
        load[mem].number = static_cast<float>(5000 + host);
        one->set_load(host, load);
        one->host(host).unavailable = one->host(host).unreachable = false;
      }
    }
    for (std::size_t i = 0; i < pool.size(); ++i) {
      const BorrowedShare share{.slots = draw(4)};
      if (fresh.rules().host(pool[i])) bring_up(fresh, pool[i], share, static_cast<float>(1000 + i));
      if (kept.rules().host(pool[i])) bring_up(kept, pool[i], share, static_cast<float>(1000 + i));
    }
    for (HostNumber host = 0; host < fresh.rules().own_hosts; ++host) {
      HostFacts facts = kept.rules().cluster->facts(kept.rules().hosts[host].text());
      facts.ncpus = 2;
      kept.set_facts(host, facts);
      fresh.set_facts(host, facts);
    }
    kept.each_pending([&](const PendingJob& job) {
      PendingJob same = job;
      same.demand = fresh.demand(kept.demand(job.demand));
      fresh.wait(same);
    });
    RC_ASSERT(starts(schedule(kept, scenario.now), kept) == starts(schedule(fresh, scenario.now), fresh));
    RC_ASSERT(kept.broken_invariant() == "");
  }
}

// However hosts come and go while jobs start and end, limits count the jobs that there are.
RC_GTEST_PROP(BorrowedHostsProperty, LimitsCountJobsWhileLeasesChange, ()) {
  Scenario scenario =
      scenario_of(kSite +
                  "Begin Limit\nNAME = far\nHOSTS = allremote\nSLOTS = 6\nEnd Limit\n"
                  "Begin Limit\nNAME = some\nHOSTS = named h1\nJOBS = 5\nEnd Limit\n"
                  "Begin Limit\nNAME = each\nPER_HOST = allremote ~b1@east\nSLOTS = 2\nEnd Limit\n");
  Snapshot& snapshot = scenario.snapshot;
  const auto draw = [](int most) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most)); };
  for (int round = 0, id = 0; round < 6; ++round) {
    std::vector<HostId> lent;
    for (const HostId& host : kHosts)
      if (draw(2) == 0) lent.push_back(host);
    snapshot.take_rules(with_borrowed(snapshot.rules(), lent));
    RC_ASSERT(snapshot.broken_invariant() == "");
    for (const HostId& host : lent) bring_up(snapshot, host, {.slots = draw(4)});
    for (int i = 0; i < 4; ++i)
      snapshot.wait({.key = {++id, 0}, .demand = snapshot.demand(demand_of("normal", 1 + draw(2)))});
    apply(schedule(snapshot, scenario.now), scenario.now, snapshot);
    for (int one = 1; one <= id; ++one)
      if (snapshot.placed({one, 0}) != nullptr && draw(3) == 0) snapshot.forget({one, 0});
    RC_ASSERT(snapshot.broken_invariant() == "");
  }
  std::vector<JobKey> all;
  for (const auto& [key, job] : snapshot.placed_jobs()) all.push_back(key);
  for (const JobKey key : all) snapshot.forget(key);
  const auto& taken = snapshot.tallies().taken;
  RC_ASSERT(std::all_of(taken.begin(), taken.end(), [](double one) { return one == 0; }));
  RC_ASSERT(snapshot.tallies().taken_on.empty());
}

}  // namespace
}  // namespace rollcall::sched::cycle
