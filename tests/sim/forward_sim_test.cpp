// Three clusters forward jobs to one another while connections break, masters and hosts die, disks are full, stores are lost and
// offers come twice: every acknowledged job runs exactly once, wherever, and its end is known where it was submitted.
//
// A world that fails is printed as the line that replays it, then as the smallest world that still fails:
//   ROLLCALL_SIM_WORLD="seed=17,people=1" forward_sim_test --gtest_filter=ForwardSim.Replay
// ROLLCALL_SIM_FIRST and ROLLCALL_SIM_SEEDS choose other seeds, ROLLCALL_SIM_SHRINK=0 leaves the second line out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/sim/forward_world.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr int kTurnsToSettle = 5'000;
constexpr int kMostTries = 150;  // of a shrink; each is a world

int number(const char* variable, int usual) {
  const char* asked = std::getenv(variable);
  return asked ? std::atoi(asked) : usual;
}

const ConfigView& site() {
  static const ConfigView view = book::site_files("CLEAN_PERIOD = 1000000\nMBD_SLEEP_TIME = 2\n",
                                                  "RCVJOBS_FROM = allclusters\nIMPT_JOBBKLG = 5\n");
  return view;
}

struct Played {
  std::string trouble;
  ForwardWorld::Seen seen;
};

// Jobs are submitted in the first turns, one in eight of them.
Played play(const Knobs& knobs) {
  ForwardWorld world(site(), knobs);
  int submitted = 0;
  const auto submit = [&] {
    auto asked = submitted % 4 == 3 ? book::array_job(3) : book::plain_job();
    asked.set_user("ann");
    world.submit(static_cast<std::size_t>(submitted++) % world.clusters(), asked);
  };
  for (int turn = 0; turn < knobs["turns"] && world.trouble().empty(); ++turn) {
    if (turn % 8 == 0 && submitted < knobs["jobs"]) submit();
    world.turn();
  }
  while (submitted < knobs["jobs"]) submit();
  const bool over = world.settle(kTurnsToSettle);
  if (over) world.check_end();
  if (!over && world.trouble().empty()) return {"not over in the end: " + world.unfinished(), world.seen()};
  return {world.trouble(), world.seen()};
}

std::string replay(const Knobs& knobs) {
  return "ROLLCALL_SIM_WORLD=\"" + knobs.text(forward_knobs().with("seed", 0)) +
         "\" forward_sim_test --gtest_filter=ForwardSim.Replay";
}

// The trouble without its numbers: a smaller world has other ones.
std::string kind_of(std::string trouble) {
  std::erase_if(trouble, [](char c) { return c >= '0' && c <= '9'; });
  return trouble.substr(0, trouble.find(" of "));
}

std::string told(const Knobs& knobs, const Played& played) {
  std::string lines = played.trouble + "\nreplay: " + replay(knobs) + "\n";
  if (number("ROLLCALL_SIM_SHRINK", 1) == 0) return lines;
  const Knobs small = shrunk(
      knobs.with("faults", played.seen.faults),
      [&](const Knobs& one) { return kind_of(play(one).trouble) == kind_of(played.trouble); }, kMostTries);
  return lines + "shrunk: " + play(small).trouble + "\nreplay: " + replay(small) + "\n";
}

class ForwardSim : public testing::Test {
 protected:
  void each(int seeds, const Knobs& knobs) {
    const int first = number("ROLLCALL_SIM_FIRST", 1);
    for (int seed = first; seed < first + number("ROLLCALL_SIM_SEEDS", seeds); ++seed) {
      const Knobs one = knobs.with("seed", seed);
      const Played played = play(one);
      ASSERT_EQ(played.trouble, "") << told(one, played);
      add(played.seen);
    }
  }
  void TearDown() override {
    if (seen_.forwards == 0) return;
    std::cout << seen_.forwards << " forwards, " << seen_.returns << " returns, " << seen_.deaths
              << " deaths, " << seen_.repeated << " repeated offers, " << seen_.stores_lost
              << " lost stores with " << seen_.begun_in_them << " begun jobs, " << seen_.refused
              << " refusals; settled in at most " << seen_.turns_to_settle << " turns\n";
  }
  void add(const ForwardWorld::Seen& seen) {
    seen_.forwards += seen.forwards;
    seen_.returns += seen.returns;
    seen_.deaths += seen.deaths;
    seen_.repeated += seen.repeated;
    seen_.stores_lost += seen.stores_lost;
    seen_.begun_in_them += seen.begun_in_them;
    seen_.refused += seen.refused;
    seen_.written_off += seen.written_off;
    seen_.turns_to_settle = std::max(seen_.turns_to_settle, seen.turns_to_settle);
  }
  ForwardWorld::Seen seen_;
};

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
