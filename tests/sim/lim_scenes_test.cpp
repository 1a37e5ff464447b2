// The promises of the manual about who is master, each in a cluster of its own, with the times in which they are kept.
#include <gtest/gtest.h>

#include "tests/sim/lim_world.hpp"

namespace rollcall::lim::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kAtOnce = milliseconds(500);  // some messages, each 20 ms at the most

// Five hosts, the first three are candidates; the manual's defaults.
struct Scene : ::testing::Test {
  Scene() : world(settings()) {
    for (Node node = 0; node < 5; ++node) world.start(node);
    world.run_for(seconds(60));
    EXPECT_TRUE(everybody_follows(0));
  }
  static WorldSettings settings() {
    WorldSettings s;
    s.nodes = 5;
    for (const char* name : {"a", "b", "c", "d", "e"}) s.rules.hosts.push_back({name});
    s.rules.candidates = {"a", "b", "c"};
    const ResourceId scratch =
        s.rules.indices.add({"scratch", ResourceType::numeric, ResourceOrder::decreasing, 15});
    s.rules.resource_map.shared = {{scratch, {3, 4}, false}};
    s.rules.index_names();
    return s;
  }

  bool everybody_follows(Node master) const {
    for (Node node = 0; node < world.size(); ++node) {
      if (!world.living(node) || !world.reaches(node, master)) continue;
      if (world.lim(node).master_name() != world.name(master)) return false;
      if ((world.lim(node).role == Role::master) != (node == master)) return false;
      if (presence(master, node) != Presence::up) return false;
    }
    return true;
  }
  Presence presence(Node master, Node node) const {
    const Lim& lim = world.lim(master);
    return lim.mastership ? lim.mastership->table[static_cast<HostIndex>(node)].presence : Presence::unheard;
  }
  bool runs_scratch(Node node) const {
    return world.lim(node).melim && !world.lim(node).melim->resources.empty();
  }
  // How long until it is so; an hour: never.
  Duration until(const std::function<bool()>& so) {
    const TimePoint begin = world.now();
    while (!so() && world.now() - begin < std::chrono::hours(1)) world.run_for(milliseconds(10));
    EXPECT_EQ(world.broken(), "");
    return world.now() - begin;
  }

  World world;
};

TEST_F(Scene, AMasterWhosePortRefusesIsReplacedAtOnce) {
  world.kill(0);
  EXPECT_LE(until([&] { return everybody_follows(1); }), kAtOnce);
}

TEST_F(Scene, TheFirstTakesOverAgainAtOnceWhenItIsBack) {
  world.kill(0);
  world.run_for(seconds(100));
  world.start(0);
  EXPECT_LE(until([&] { return everybody_follows(0); }), kAtOnce);
  EXPECT_EQ(world.lim(1).role, Role::following);
}

TEST_F(Scene, ASilentMasterIsReplacedAfterTheTimeOfTheManual) {
  world.power_off(0);
  const Duration taken = until([&] { return world.lim(1).role == Role::master; });
  const Duration limit = seconds((5 + 1 * 2) * 15);
  EXPECT_GE(taken, limit - seconds(40)) << "counted from its last word";
  EXPECT_LE(taken, limit + seconds(2)) << "and a probe";
  EXPECT_LE(until([&] { return everybody_follows(1); }), seconds(16));
}

TEST_F(Scene, AStoppedMasterIsReplacedAndTakesOverWhenItContinues) {
  world.stop(0);
  EXPECT_LE(until([&] { return world.lim(1).role == Role::master; }), seconds(107));
  EXPECT_LE(until([&] { return everybody_follows(1); }), seconds(16));
  world.cont(0);
  EXPECT_LE(until([&] { return everybody_follows(0); }), seconds(16)) << "an exchange interval at the most";
}

TEST_F(Scene, TheSecondOfTwoDeadCandidatesIsWaitedForLonger) {
  world.power_off(0);
  world.power_off(1);
  const Duration taken = until([&] { return world.lim(2).role == Role::master; });
  EXPECT_LE(taken, seconds((5 + 2 * 2) * 15 + 2));
  EXPECT_GE(taken, seconds((5 + 2 * 2) * 15 - 40));
}

TEST_F(Scene, OneThatComesBackBetweenDoesNotWaitAgain) {
  world.power_off(0);
  world.kill(1);
  until([&] { return everybody_follows(2); });
  world.start(1);
  EXPECT_LE(until([&] { return everybody_follows(1); }), seconds(17))
      << "c has waited for a; b asks a once, and c is told by its next round at the latest";
}

TEST_F(Scene, ACutOffHalfHasItsOwnMasterAndTheWholeHasOne) {
  world.split({0, 1, 1, 0, 1});
  until([&] { return world.lim(1).role == Role::master && everybody_follows(1) && everybody_follows(0); });
  EXPECT_EQ(world.lim(0).role, Role::master);
  world.run_for(seconds(5 * 15 + 4));  // unheard so far
  EXPECT_EQ(presence(0, 4), Presence::unavailable);
  EXPECT_EQ(presence(1, 3), Presence::unavailable);
  EXPECT_TRUE(runs_scratch(3) && runs_scratch(4)) << "the first of the bracket in each half";
  world.split({0, 0, 0, 0, 0});
  EXPECT_LE(until([&] { return everybody_follows(0); }), seconds(32));
  EXPECT_TRUE(runs_scratch(3) && !runs_scratch(4));
}

TEST_F(Scene, AHostWhosePortRefusesIsUnavailableAtOnceAndItsElimsMove) {
  world.kill(3);
  EXPECT_LE(until([&] { return presence(0, 3) == Presence::unavailable && runs_scratch(4); }), kAtOnce);
  world.start(3);
  EXPECT_LE(until([&] { return runs_scratch(3) && !runs_scratch(4); }), kAtOnce);
}

TEST_F(Scene, ASilentHostIsUnavailableAfterTheLimit) {
  world.power_off(3);
  const Duration taken = until([&] { return presence(0, 3) == Presence::unavailable; });
  EXPECT_LE(taken, seconds(5 * 15 + 15));
  EXPECT_GE(taken, seconds(4 * 15)) << "it may have reported up to an interval before";
}

TEST_F(Scene, ATakeOverDoesNotMoveElimsThatNeedNotMove) {
  world.run_for(seconds(30));
  const std::size_t before = world.commotion();
  world.kill(0);
  until([&] { return everybody_follows(1); });
  world.run_for(seconds(60));
  // b orders its own elims, and tells c d e once each.
  EXPECT_EQ(world.commotion() - before, 4U);
  EXPECT_TRUE(runs_scratch(3) && !runs_scratch(4));
}

}  // namespace
}  // namespace rollcall::lim::sim
