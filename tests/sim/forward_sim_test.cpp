// Three clusters forward jobs to one another while connections break, masters and hosts die, disks are full, stores are lost and
// offers come twice: every acknowledged job runs exactly once, wherever, and its end is known where it was submitted.
//
// A world that fails is printed as the line that replays it, then as the smallest world that still fails:
//   ROLLCALL_SIM_WORLD="seed=17,people=1" forward_sim_test --gtest_filter=ForwardSim.Replay
// ROLLCALL_SIM_FIRST and ROLLCALL_SIM_SEEDS choose other seeds, ROLLCALL_SIM_SHRINK=0 leaves the second line out.
#include "tests/sim/forward_sim.hpp"

#include <algorithm>
#include <cstdlib>

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

TEST_F(ForwardSim, EveryAcknowledgedJobRunsExactlyOnce) {
  each(200, forward_knobs());
  EXPECT_GT(seen_.forwards, 100);
  EXPECT_GT(seen_.returns, 5) << "none was asked back";
  EXPECT_GT(seen_.deaths, 50);
  EXPECT_GT(seen_.repeated, 50);
}

// Jobs that two clusters share are given up with a store; all others run once, and all are over in the end.
TEST_F(ForwardSim, LostStoresAreRefusedAndWhatHadBegunRunsNoMore) {
  each(100, forward_knobs().with("lost_stores", 5).with("recalls", 1).with("jobs_last", 97));
  EXPECT_GT(seen_.stores_lost, 5);
  EXPECT_GT(seen_.refused, 15);
  if (seen_.stores_lost > 150) {  // a sanitizer's few worlds may have none
    EXPECT_GT(seen_.begun_in_them, 0) << "nothing that had begun was in a store that was made anew";
  }
}

// Clusters that are written off come back: their attempts end there, no job is twice in the accounts, and all are over in the end.
TEST_F(ForwardSim, WrittenOffClustersThatComeBackAreToldSo) {
  each(100, forward_knobs().with("write_offs", 60).with("breaks", 15).with("jobs_last", 97));
  EXPECT_GT(seen_.written_off, 20);
}

// With users who kill, stop and requeue: no attempt lives beside another one, and all of it ends.
TEST_F(ForwardSim, WithUsersNoJobLivesTwice) {
  each(100, forward_knobs().with("people", 1));
  EXPECT_GT(seen_.forwards, 50);
}

TEST_F(ForwardSim, WhereHostsRestartNoJobLivesTwice) {
  each(100, forward_knobs().with("host_restarts", 3).with("shepherds", 5));
  EXPECT_GT(seen_.forwards, 50);
}

// What a cluster of the world says.
struct Said : ForwardCluster::Outside {
  void say(std::size_t, std::size_t, wire::PeerMessage message) override {
    all.push_back(std::move(message));
  }
  void died(std::size_t) override {}
  void trouble(const std::string& what) override { troubles.push_back(what); }
  std::vector<wire::PeerMessage> all;
  std::vector<std::string> troubles;
};

wire::PeerMessage offer_to_a_queue_that_is_not_there() {
  wire::PeerMessage message;
  auto& offer = *message.mutable_offer();
  offer.mutable_attempt()->mutable_key()->set_id(7);
  offer.mutable_attempt()->set_attempt(1);
  offer.set_queue("none");
  return message;
}

// One that left in the next connection would answer an offer that may be accepted there.
TEST(ForwardCluster, RefusalsEndWithTheirConnection) {
  const auto config = book::site_files("", "RCVJOBS_FROM = allclusters\n");
  Said said, others;
  WorldChances none{0, 0, 0};
  ForwardCluster cluster(said, 0, config, 1, none, ForwardCluster::Plans::by_chance);
  const ForwardCluster other(others, 1, config, 1, none, ForwardCluster::Plans::by_chance);
  const auto commits = [&] { cluster.change([](book::Book&, WallTime) { return Effects{}; }); };
  const auto refusals = [&] {
    return std::count_if(said.all.begin(), said.all.end(), [](const auto& one) { return one.has_over(); });
  };
  cluster.connected(other);
  cluster.hear(1, offer_to_a_queue_that_is_not_there());
  EXPECT_EQ(refusals(), 1);
  cluster.world.set_disk_full(true);
  cluster.hear(1, offer_to_a_queue_that_is_not_there());
  cluster.notice_loss(1);
  cluster.connected(other);
  cluster.world.set_disk_full(false);
  commits();
  EXPECT_EQ(refusals(), 1);
  EXPECT_EQ(said.troubles, std::vector<std::string>{});
}

TEST_F(ForwardSim, Replay) {
  const char* line = std::getenv("ROLLCALL_SIM_WORLD");
  if (!line) GTEST_SKIP() << "ROLLCALL_SIM_WORLD names no world";
  Knobs knobs = forward_knobs();
  ASSERT_TRUE(knobs.read(line)) << line;
  const Played played = play(knobs);
  EXPECT_EQ(played.trouble, "") << told(knobs, played);
}

}  // namespace
}  // namespace rollcall::sched
