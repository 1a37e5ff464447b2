// Three clusters forward jobs to one another while connections break, masters and hosts die and disks are full: every acknowledged job
// runs exactly once, wherever, and its end is known where it was submitted. A seed that fails is printed; ROLLCALL_SIM_FIRST=SEED
// ROLLCALL_SIM_SEEDS=1 runs it alone.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/sim/forward_world.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

int number(const char* variable, int usual) {
  const char* asked = std::getenv(variable);
  return asked ? std::atoi(asked) : usual;
}

const ConfigView& site() {
  static const ConfigView view = book::site_files("CLEAN_PERIOD = 1000000\nMBD_SLEEP_TIME = 2\n",
                                                  "RCVJOBS_FROM = allclusters\nIMPT_JOBBKLG = 5\n");
  return view;
}

void fill(ForwardWorld& world) {
  for (int i = 0; i < 12; ++i) {
    auto asked = i % 4 == 3 ? book::array_job(3) : book::plain_job();
    asked.set_user("ann");
    world.submit(static_cast<std::size_t>(i) % world.clusters(), asked);
    for (int k = 0; k < 8; ++k) world.turn();
  }
}

class ForwardSim : public testing::Test {
 protected:
  // Runs `seeds` worlds; `look` looks at each when all of its jobs are over.
  template <class Look>
  void each(int seeds, const ForwardChances& chances, Look look) {
    const int first = number("ROLLCALL_SIM_FIRST", 1);
    for (int seed = first; seed < first + number("ROLLCALL_SIM_SEEDS", seeds); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      ForwardWorld world(site(), static_cast<std::uint32_t>(seed), chances);
      fill(world);
      for (int i = 0; i < 500; ++i) world.turn();
      ASSERT_EQ(world.trouble(), "");
      ASSERT_TRUE(world.settle(40'000)) << world.trouble();
      ASSERT_EQ(world.trouble(), "");
      look(world);
      if (HasFatalFailure()) return;
      forwards_ += world.forwards();
      returns_ += world.returns();
      for (std::size_t i = 0; i < world.clusters(); ++i) deaths_ += world.cluster(i).deaths();
    }
  }
  int forwards_ = 0, returns_ = 0, deaths_ = 0;
};

TEST_F(ForwardSim, EveryAcknowledgedJobRunsExactlyOnce) {
  each(150, {}, [](const ForwardWorld& world) {
    for (std::size_t at = 0; at < world.clusters(); ++at)
      for (const std::int32_t id : world.cluster(at).acknowledged())
        for (const JobKey key : world.cluster(at).book().jobs().elements(id)) {
          ASSERT_EQ(world.runs(at, key), 1) << text(key) << " of c" << at;
          ASSERT_EQ(world.cluster(at).book().jobs().find(key)->record.exit_status(), world.code_of(at, key))
              << text(key) << " of c" << at;
        }
  });
  EXPECT_GT(forwards_, 500);
  EXPECT_GT(returns_, 20) << "none was asked back";
  EXPECT_GT(deaths_, 50);
}

// With users who kill, stop and requeue: no attempt lives beside another one (ForwardWorld::check), and all of it ends.
TEST_F(ForwardSim, WithUsersNoJobLivesTwice) {
  ForwardChances chances;
  chances.cluster.people = true;
  each(100, chances, [](const ForwardWorld&) {});
  EXPECT_GT(forwards_, 300);
}

TEST_F(ForwardSim, WhereHostsRestartNoJobLivesTwice) {
  ForwardChances chances;
  chances.cluster.host_restarts = 3;
  chances.cluster.shepherd_dies = 5;
  each(100, chances, [](const ForwardWorld&) {});
  EXPECT_GT(forwards_, 300);
}

}  // namespace
}  // namespace rollcall::sched
