// The Book with the scheduling cycle and PREEMPTION, while daemons die and connections break: every preempted job goes on, no host
// has more running jobs than slots, and each job still runs exactly once.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/sim/cycles.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

int seeds(int usual) {
  const char* asked = std::getenv("ROLLCALL_SIM_SEEDS");
  return asked ? std::atoi(asked) : usual;
}

template <class Take>
void each_job(const BookWorld& world, const Take& take) {
  for (const std::int32_t id : world.acknowledged())
    for (const JobKey key : world.book().jobs().elements(id)) take(key, *world.book().jobs().find(key));
}

void submit_some(BookWorld& world, std::uint32_t seed) {
  std::mt19937 random(seed);
  const char* const kQueues[] = {"high", "middle", "low", "low"};
  for (int i = 0; i < 24; ++i) {
    auto asked = random() % 5 == 0 ? book::array_job(3) : book::plain_job();
    const std::string queue = kQueues[random() % 4];
    asked.add_queues(queue);
    const std::uint32_t slots = 1 + random() % 3;
    asked.set_min_slots(slots);
    asked.set_max_slots(slots);
    if (queue != "middle") asked.set_exclusive(random() % 6 == 0);
    world.submit(asked);
    for (int k = 0; k < 4; ++k) {
      world.turn();
      ASSERT_EQ(broken_slots(world.book()), "");
    }
  }
}

struct Ended {
  int preemptions = 0, deaths = 0, lent = 0;
  std::int64_t preempted_us = 0;
};
Ended run_world(int seed, WorldChances chances, WorldEngines engines) {
  const ConfigView config = preemption_site({seed % 3 == 0, seed % 4 != 0, {}, {}});
  const Cycles cycles(config);
  BookWorld world(config, static_cast<std::uint32_t>(seed), chances, engines);
  world.plan_with([&](book::Book& book, WallTime now, const auto& take) { cycles.plan(book, now, take); });
  submit_some(world, static_cast<std::uint32_t>(seed));
  for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) {
    world.turn();
    EXPECT_EQ(broken_slots(world.book()), "");
  }
  Ended ended;
  EXPECT_TRUE(world.settle(20'000)) << "a job never ended";
  EXPECT_EQ(world.trouble(), "");
  each_job(world, [&](JobKey key, const Job& job) {
    EXPECT_EQ(job.record.suspend_reasons(), 0U) << text(key);
    ended.preemptions += job.record.preemptions();
    ended.preempted_us += job.record.preempted_for_us();
    EXPECT_EQ(job.record.preempted_since_us(), 0) << text(key);
    if (chances.people) return;
    EXPECT_EQ(world.runs(key), 1) << text(key);
    EXPECT_EQ(job.record.exit_status(), BookWorld::code_of(key)) << text(key);
  });
  ended.deaths = world.deaths();
  ended.lent = cycles.lent();
  return ended;
}

class PreemptionSim : public testing::TestWithParam<WorldEngines> {};
INSTANTIATE_TEST_SUITE_P(Engines, PreemptionSim, testing::Values(WorldEngines::one, WorldEngines::two),
                         [](const auto& of) { return of.param == WorldEngines::one ? "one" : "two"; });

TEST_P(PreemptionSim, PreemptedJobsGoOnAndRunOnce) {
  int preemptions = 0, deaths = 0;
  std::int64_t preempted_us = 0;
  const int count = seeds(GetParam() == WorldEngines::one ? 500 : 100);
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.freezes = seed % 3;
    chances.refuses = seed % 4;
    const Ended ended = run_world(seed, chances, GetParam());
    preemptions += ended.preemptions;
    preempted_us += ended.preempted_us;
    deaths += ended.deaths;
  }
  EXPECT_GT(preemptions, count);
  EXPECT_GT(preempted_us, 0);
  EXPECT_GT(deaths, 0);
}

TEST_P(PreemptionSim, PeopleMayStopResumeAndKillPreemptedJobs) {
  const int count = seeds(50);
  int lent = 0;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.people = true;
    lent += run_world(seed, chances, GetParam()).lent;
  }
  EXPECT_GT(lent, 0);
}

}  // namespace
}  // namespace rollcall::sched
