// Whatever dies, and whenever: every job that was acknowledged runs exactly once, and its end is known.
#include <gtest/gtest.h>

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

TEST(BookSim, EveryAcknowledgedJobRunsExactlyOnce) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int deaths = 0;
  std::size_t jobs = 0;
  for (int seed = 1; seed <= seeds(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BookWorld world(config, static_cast<std::uint32_t>(seed), {});
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
TEST(BookSim, StartsThatAreTakenBackFromFrozenHostsRunOnce) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int taken_back = 0;
  for (int seed = 1; seed <= seeds(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.freezes = 6;
    chances.refuses = 5;
    chances.older_hosts = 20;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances);
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

TEST(BookSim, WhatHostsLoseIsSaidAndRunsNoSecondTime) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  int lost = 0;
  for (int seed = 1; seed <= seeds(100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.shepherd_dies = 10;
    chances.host_restarts = 1;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances);
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

TEST(BookSim, RerunnableJobsRunAtLeastOnce) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 1000000\n");
  for (int seed = 1; seed <= seeds(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.shepherd_dies = 5;
    chances.host_restarts = 1;
    chances.freezes = 4;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances);
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

TEST(BookSim, PeopleMayDoWhatTheyLike) {
  const ConfigView config = book::site_files("CLEAN_PERIOD = 300\n");
  for (int seed = 1; seed <= seeds(100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.people = true;
    chances.shepherd_dies = 2;
    chances.freezes = 3;
    chances.refuses = 3;
    chances.older_hosts = 20;
    BookWorld world(config, static_cast<std::uint32_t>(seed), chances);
    fill(world);
    for (int i = 0; i < 400; ++i) world.turn();
    ASSERT_TRUE(world.settle(20'000));
    ASSERT_EQ(world.trouble(), "");
  }
}

}  // namespace
}  // namespace rollcall::sched
