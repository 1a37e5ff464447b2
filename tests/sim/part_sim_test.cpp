// Jobs on hosts of two clusters: no slot has two attempts, all parts end, a job whose part was taken back is requeued, and each signal
// reaches the part once and in order, whatever the network, restarts and lost disks do.
//
// A world that fails is printed as the line that replays it:
//   ROLLCALL_SIM_WORLD="17" part_sim_test --gtest_filter=PartSim.Replay
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/sim/part_world.hpp"
#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr int kTurns = 2000;
constexpr int kJobs = 25;
constexpr int kTurnsToSettle = 3000;

// ROLLCALL_SIM_SEEDS: how many.
int seeds(int usual) {
  const char* asked = std::getenv("ROLLCALL_SIM_SEEDS");
  return asked ? std::atoi(asked) : usual;
}

struct Played {
  std::string trouble;
  PartWorld::Seen seen;
};

Played play(int seed) {
  static const auto files =
      mbatchd::configuration_of(book::site_files("CLEAN_PERIOD = 1000000\n", "HOSTS = all allremote\n"));
  PartWorld world(files, static_cast<std::uint32_t>(seed), seed % 2 == 0);
  for (int turn = 0; turn < kTurns && world.trouble().empty(); ++turn) {
    if (turn % (kTurns / kJobs) == 0) world.submit(book::plain_job());
    world.turn();
  }
  const bool over = world.trouble().empty() && world.settle(kTurnsToSettle);
  if (!over && world.trouble().empty()) return {"not over in the end", world.seen()};
  return {world.trouble(), world.seen()};
}

std::string replay(int seed, const std::string& trouble) {
  return trouble + "\nreplay: ROLLCALL_SIM_WORLD=\"" + std::to_string(seed) +
         "\" part_sim_test --gtest_filter=PartSim.Replay\n";
}

TEST(PartSim, NoSlotHasTwoAttemptsAndAllPartsEnd) {
  PartWorld::Seen all;
  for (int seed = 1; seed <= seeds(100); ++seed) {
    const Played played = play(seed);
    ASSERT_EQ(played.trouble, "") << replay(seed, played.trouble);
    all.parts += played.seen.parts;
    all.cuts += played.seen.cuts;
    all.recalls += played.seen.recalls;
    all.killed += played.seen.killed;
    all.held += played.seen.held;
    all.wiped += played.seen.wiped;
    all.deaths += played.seen.deaths;
    all.signals += played.seen.signals;
    all.late_signals += played.seen.late_signals;
  }
  std::cout << all.parts << " parts, " << all.cuts << " cuts, " << all.recalls << " recalls, " << all.killed
            << " jobs whose tasks died, " << all.held << " held ends, " << all.wiped << " lost disks, "
            << all.deaths << " deaths, " << all.signals << " signals of parts, " << all.late_signals
            << " of them given in a cut\n";
  if (seeds(100) < 100) return;  // a sanitizer's few worlds may have none
  EXPECT_GT(all.parts, 1000);
  EXPECT_GT(all.cuts, 300);
  EXPECT_GT(all.recalls, 300);
  EXPECT_GT(all.killed, 2);
  EXPECT_GT(all.held, 2);
  EXPECT_GT(all.wiped, 100);
  EXPECT_GT(all.deaths, 200);
  EXPECT_GT(all.signals, 300);
  EXPECT_GT(all.late_signals, 100);
}

// Of a world that another run has printed.
TEST(PartSim, Replay) {
  const char* world = std::getenv("ROLLCALL_SIM_WORLD");
  if (!world) GTEST_SKIP() << "ROLLCALL_SIM_WORLD names the world";
  EXPECT_EQ(play(std::atoi(world)).trouble, "");
}

}  // namespace
}  // namespace rollcall::sched
