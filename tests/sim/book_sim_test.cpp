// Daemons and hosts die at any instant: every acknowledged job runs exactly once, and its end is known. With one engine, and with
// the hosts split between two.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/sim/book_world.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

int seeds(int usual) {
  const char* asked = std::getenv("ROLLCALL_SIM_SEEDS");
  return asked ? std::atoi(asked) : usual;
}

void fill(BookWorld& world) {
  for (int i = 0; i < 12; ++i) {
    auto asked = i % 4 == 3 ? book::array_job(3) : book::plain_job();
    if (i % 5 == 4) {
      asked.set_min_slots(2);
      asked.set_max_slots(2);
    }
    world.submit(asked);
    for (int k = 0; k < 6; ++k) world.turn();
  }
}

class BookSim : public testing::TestWithParam<WorldEngines> {};
INSTANTIATE_TEST_SUITE_P(Engines, BookSim, testing::Values(WorldEngines::one, WorldEngines::two),
                         [](const auto& of) { return of.param == WorldEngines::one ? "one" : "two"; });

TEST_P(BookSim, EveryAcknowledgedJobRunsExactlyOnce) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int deaths = 0;
  std::size_t jobs = 0;
  for (int seed = 1; seed <= seeds(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BookWorld world(config, static_cast<std::uint32_t>(seed), {}, GetParam());
    fill(world);
    for (int i = 0; i < 400; ++i) world.turn();
    ASSERT_TRUE(world.settle(20'000));
    ASSERT_EQ(world.trouble(), "");
    for (const std::int32_t id : world.acknowledged()) {
      const auto elements = world.book().jobs().elements(id);
      ASSERT_FALSE(elements.empty()) << "job " << id << " was acknowledged and is not there";
      for (const JobKey key : elements) {
        const auto& record = world.book().jobs().find(key)->record;
        ASSERT_EQ(world.runs(key), 1) << text(key);
        ASSERT_EQ(record.exit_status(), BookWorld::code_of(key)) << text(key);
        ++jobs;
      }
    }
    deaths += world.deaths();
  }
  EXPECT_GT(deaths, 10);
  EXPECT_GT(jobs, 100U);
}

// A frozen host has orders in its socket, and reads them when it thaws: by then their jobs may have been given elsewhere.
TEST_P(BookSim, StartsThatAreTakenBackFromFrozenHostsRunOnce) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int taken_back = 0;
  for (int seed = 1; seed <= seeds(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.freezes = 6;
    chances.refuses = 5;
    chances.older_hosts = 20;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances, GetParam());
    fill(world);
    for (int i = 0; i < 400; ++i) world.turn();
    ASSERT_TRUE(world.settle(20'000));
    ASSERT_EQ(world.trouble(), "");
    for (const std::int32_t id : world.acknowledged())
      for (const JobKey key : world.book().jobs().elements(id)) {
        ASSERT_EQ(world.runs(key), 1) << text(key);
        ASSERT_EQ(world.book().jobs().find(key)->record.exit_status(), BookWorld::code_of(key)) << text(key);
      }
    taken_back += world.taken_back();
  }
  EXPECT_GT(taken_back, 100);
}

TEST_P(BookSim, WhatHostsLoseIsSaidAndRunsNoSecondTime) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int lost = 0;
  for (int seed = 1; seed <= seeds(100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.shepherd_dies = 10;
    chances.host_restarts = 1;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances, GetParam());
    fill(world);
    for (int i = 0; i < 400; ++i) world.turn();
    ASSERT_TRUE(world.settle(20'000));
    ASSERT_EQ(world.trouble(), "");
    for (const std::int32_t id : world.acknowledged())
      for (const JobKey key : world.book().jobs().elements(id)) {
        const auto& record = world.book().jobs().find(key)->record;
        ASSERT_LE(world.runs(key), 1) << text(key);
        if (record.lost())
          ++lost;
        else
          ASSERT_EQ(record.exit_status(), BookWorld::code_of(key)) << text(key);
      }
  }
  EXPECT_GT(lost, 0);
}

TEST_P(BookSim, RerunnableJobsRunAtLeastOnce) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  for (int seed = 1; seed <= seeds(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.shepherd_dies = 5;
    chances.host_restarts = 1;
    chances.freezes = 4;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances, GetParam());
    auto asked = book::plain_job();
    asked.set_rerunnable(true);
    for (int i = 0; i < 6; ++i) world.submit(asked);
    for (int i = 0; i < 400; ++i) world.turn();
    ASSERT_TRUE(world.settle(20'000));
    ASSERT_EQ(world.trouble(), "");
    for (const std::int32_t id : world.acknowledged()) {
      ASSERT_GE(world.runs({id, 0}), 1) << id;
      ASSERT_EQ(world.book().jobs().find({id, 0})->record.exit_status(), BookWorld::code_of({id, 0})) << id;
    }
  }
}

TEST_P(BookSim, PeopleMayDoWhatTheyLike) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 300\n");
  for (int seed = 1; seed <= seeds(100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.people = true;
    chances.shepherd_dies = 2;
    chances.freezes = 3;
    chances.refuses = 3;
    chances.older_hosts = 20;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances, GetParam());
    fill(world);
    for (int i = 0; i < 400; ++i) world.turn();
    ASSERT_TRUE(world.settle(20'000));
    ASSERT_EQ(world.trouble(), "");
  }
}

// What a world decided, and what became of its jobs.
std::vector<std::string> story_of(int seed, WorldEngines engines) {
  WorldChances chances;
  chances.people = seed % 2 == 0;
  chances.shepherd_dies = seed % 3;
  chances.host_restarts = seed % 2;
  chances.freezes = 3;
  chances.refuses = 3;
  chances.older_hosts = 20;
  BookWorld world(book::site_files("CLEAN_PERIOD = 1000000\n"), static_cast<std::uint32_t>(seed), chances,
                  engines);
  std::vector<std::string> story;
  world.watch([&](const Effect& effect, const book::Book&) { story.push_back(text(effect)); });
  fill(world);
  for (int i = 0; i < 400; ++i) world.turn();
  EXPECT_TRUE(world.settle(20'000));
  EXPECT_EQ(world.trouble(), "");
  for (const std::int32_t id : world.acknowledged())
    for (const JobKey key : world.book().jobs().elements(id))
      story.push_back(text(key) + " " + world.book().jobs().find(key)->record.SerializeAsString());
  return story;
}

TEST(BookSimEngines, TwoEnginesDecideAndEndAsOne) {
  std::size_t lines = 0;
  for (int seed = 1; seed <= seeds(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto one = story_of(seed, WorldEngines::one);
    ASSERT_EQ(one, story_of(seed, WorldEngines::two));
    lines += one.size();
  }
  EXPECT_GT(lines, 1000U);
}

bool on_second_engine(const wire::JobRecord& record) {
  return std::any_of(record.hosts().begin(), record.hosts().end(),
                     [](const auto& host) { return BookWorld::of_second_engine(host.name()); });
}

bool over(const wire::JobRecord& record) {
  return record.status() == wire::STATUS_DONE || record.status() == wire::STATUS_EXIT;
}
bool waits_elsewhere(const BookWorld& world) {
  for (const std::int32_t id : world.acknowledged())
    for (const JobKey key : world.book().jobs().elements(id))
      if (const auto& record = world.book().jobs().find(key)->record; !over(record) && !on_second_engine(record))
        return true;
  return false;
}

// Jobs on hosts of the second engine stay unknown; every other job ends normally.
TEST(BookSimEngines, FailureOfOneEngineHarmsNoHostOfTheOther) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int ended = 0, lost = 0;
  for (int seed = 1; seed <= seeds(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BookWorld world(config, static_cast<std::uint32_t>(seed), {}, WorldEngines::two);
    // Of one slot each: the world plans parallel jobs on hosts that are gone, again and again.
    for (int i = 0; i < 12; ++i) {
      world.submit(i % 4 == 3 ? book::array_job(3) : book::plain_job());
      for (int k = 0; k < 6; ++k) world.turn();
    }
    const auto reached = [&] {
      return std::pair(world.book().hosts().connected("hostA"), world.book().hosts().connected("hostC"));
    };
    const auto before = reached();
    world.fail_second_engine();
    ASSERT_EQ(reached(), before);
    for (int i = 0; i < 20'000 && waits_elsewhere(world); ++i) world.turn();
    ASSERT_EQ(world.trouble(), "");
    for (const std::int32_t id : world.acknowledged())
      for (const JobKey key : world.book().jobs().elements(id)) {
        const auto& record = world.book().jobs().find(key)->record;
        if (!over(record)) {
          ASSERT_TRUE(on_second_engine(record)) << text(key);
          ++lost;
          continue;
        }
        ASSERT_EQ(world.runs(key), 1) << text(key);
        ASSERT_EQ(record.exit_status(), BookWorld::code_of(key)) << text(key);
        ++ended;
      }
  }
  EXPECT_GT(ended, 100);
  EXPECT_GT(lost, 0) << "the second engine had no job to lose";
}

}  // namespace
}  // namespace rollcall::sched
