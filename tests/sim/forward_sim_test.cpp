// Three clusters forward jobs to one another while connections break, masters and hosts die, disks are full, stores are lost and
// offers come twice: every acknowledged job runs exactly once, wherever, and its end is known where it was submitted.
//
// A world that fails is printed as the line that replays it, then as the smallest world that still fails:
//   ROLLCALL_SIM_WORLD="seed=17,people=1" forward_sim_test --gtest_filter=ForwardSim.Replay
// ROLLCALL_SIM_FIRST and ROLLCALL_SIM_SEEDS choose other seeds, ROLLCALL_SIM_SHRINK=0 leaves the second line out.
#include "tests/sim/forward_sim.hpp"

#include <cstdlib>

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
