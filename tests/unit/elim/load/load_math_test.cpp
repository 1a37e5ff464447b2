// The eleven built-in indices from readings, and the three kinds of run queue lengths.
#include "elim/policy/load/load_math.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rollcall::load {
namespace {

using built_in::io;

TimePoint at(double seconds) {
  return {std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))};
}

Reading queue(double running) {
  Reading reading;
  reading.running = running;
  return reading;
}

TEST(LoadMath, FirstSampleHasNoRatesAndTheKernelsLongAverages) {
  LoadState state;
  Reading reading = queue(3);
  reading.loads = {1.5, 0.75};
  reading.cpu = {500, 500};
  reading.pages = 10;
  reading.disks = {{"sda", 100}};
  reading.users = 2;
  reading.idle_minutes = 7;
  reading.tmp = 1000;
  reading.swp = 0;
  reading.mem = 4096;
  const auto load = update(state, reading, at(0));
  EXPECT_TRUE(load.first);
  EXPECT_FLOAT_EQ(load[r15s], 3);
  EXPECT_FLOAT_EQ(load[r1m], 1.5);
  EXPECT_FLOAT_EQ(load[r15m], 0.75);
  for (const auto rate : {ut, pg, io}) EXPECT_EQ(load[rate], kUnknownLoad) << rate;
  EXPECT_FLOAT_EQ(load[ls], 2);
  EXPECT_FLOAT_EQ(load[it], 7);
  EXPECT_FLOAT_EQ(load[tmp], 1000);
  EXPECT_FLOAT_EQ(load[swp], 0) << "a machine without swap has none free, which is known";
  EXPECT_FLOAT_EQ(load[mem], 4096);
}

TEST(LoadMath, IndicesThatWereNotReadAreUnknown) {
  LoadState state;
  EXPECT_EQ(update(state, {}, at(0)), BuiltInLoad{});
}

TEST(LoadMath, QueueMovesByItsPeriod) {
  LoadState state;
  update(state, queue(0), at(0));
  const auto load = update(state, queue(10), at(15));
  EXPECT_NEAR(load[r15s], 10 * (1 - std::exp(-1.0)), 1e-4);
  EXPECT_NEAR(load[r1m], 10 * (1 - std::exp(-0.25)), 1e-4);
  EXPECT_NEAR(load[r15m], 10 * (1 - std::exp(-1.0 / 60)), 1e-4);
  EXPECT_FALSE(load.first);
}

TEST(LoadMath, QueueDoesNotDependOnHowOftenItIsRead) {
  LoadState often, seldom;
  update(often, queue(4), at(0));
  update(seldom, queue(4), at(0));
  BuiltInLoad last;
  for (int second = 5; second <= 60; second += 5) last = update(often, queue(1), at(second));
  const auto once = update(seldom, queue(1), at(60));
  for (const auto index : {r15s, r1m, r15m}) EXPECT_NEAR(last[index], once[index], 1e-4);
}

Reading ticks(std::uint64_t busy, std::uint64_t idle) {
  Reading reading;
  reading.cpu = {busy, idle};
  return reading;
}

TEST(LoadMath, UtilizationIsTheBusyPartThenItsAverage) {
  LoadState state;
  update(state, ticks(1000, 9000), at(0));
  EXPECT_NEAR(update(state, ticks(1750, 9250), at(15))[ut], 0.75, 1e-6) << "the first rate is taken as it is";
  EXPECT_NEAR(update(state, ticks(1750, 10250), at(75))[ut], 0.75 * std::exp(-1.0), 1e-6);
}

TEST(LoadMath, UtilizationOverlooksIdleTicksTakenBack) {
  LoadState state;
  update(state, ticks(1000, 9000), at(0));
  EXPECT_FLOAT_EQ(update(state, ticks(1100, 8998), at(15))[ut], 1);
  EXPECT_FLOAT_EQ(update(state, ticks(1100, 8998), at(30))[ut], 1) << "without a tick the value is unknown";
}

TEST(LoadMath, PagesAndKilobytesAreRates) {
  LoadState state;
  Reading reading;
  reading.pages = 1000;
  reading.disks = {{"sda", 2000}, {"sdb", 0}};
  update(state, reading, at(0));
  reading.pages = 1150;
  reading.disks = {{"sda", 2300}, {"sdb", 300}};
  const auto load = update(state, reading, at(15));
  EXPECT_FLOAT_EQ(load[pg], 10);
  EXPECT_FLOAT_EQ(load[io], 20) << "600 sectors of 512 bytes in 15 s";
}

TEST(LoadMath, DisksThatComeAndGoDoNotCount) {
  LoadState state;
  Reading reading;
  reading.disks = {{"sda", 2000}, {"sdb", 900000}};
  update(state, reading, at(0));
  reading.disks = {{"sda", 2030}, {"sdc", 700000}};
  EXPECT_FLOAT_EQ(update(state, reading, at(15))[io], 1);
  reading.disks = {{"sda", 10}, {"sdc", 700030}};
  EXPECT_NEAR(update(state, reading, at(30))[io], 1, 1e-5)
      << "a counter that was set back is left out, others count";
}

TEST(LoadMath, CountersMayWrapAroundOrBeReset) {
  EXPECT_EQ(counted(10, 25), 15U);
  EXPECT_EQ(counted(25, 25), 0U);
  EXPECT_EQ(counted(4294967290U, 4), 10U) << "a 32-bit kernel's";
  EXPECT_EQ(counted(5'000'000'000U, 4), std::nullopt);
  EXPECT_EQ(counted(1000, 4), std::nullopt);
}

TEST(LoadMath, ACounterSetBackLeavesTheAverage) {
  LoadState state;
  Reading reading;
  reading.pages = 0;
  update(state, reading, at(0));
  reading.pages = 150;
  update(state, reading, at(15));
  reading.pages = 3;
  EXPECT_FLOAT_EQ(update(state, reading, at(30))[pg], 10);
  reading.pages = 153;
  EXPECT_FLOAT_EQ(update(state, reading, at(45))[pg], 10);
}

TEST(LoadMath, AnIndexThatIsNotReadKeepsItsValue) {
  LoadState state;
  Reading reading = queue(2);
  reading.tmp = 500;
  update(state, reading, at(0));
  EXPECT_FLOAT_EQ(update(state, queue(2), at(5))[tmp], 500);
  EXPECT_FLOAT_EQ(update(state, {}, at(10))[r15s], 2);
}

TEST(LoadMath, TwoReadingsAtOneMomentAreOne) {
  LoadState state;
  update(state, ticks(0, 0), at(0));
  EXPECT_EQ(update(state, ticks(10, 10), at(0))[ut], kUnknownLoad);
}

HostFacts host(int packages, int cores, int threads, int ncpus) {
  HostFacts facts;
  facts.nprocs = packages;
  facts.ncores = cores;
  facts.nthreads = threads;
  facts.ncpus = ncpus;
  return facts;
}

TEST(RunQueue, IsSharedByCpusButNotByThreads) {
  EXPECT_EQ(queue_cpus(host(2, 8, 2, 16)), 16);
  EXPECT_EQ(queue_cpus(host(2, 8, 2, 32)), 16) << "define_ncpus_threads";
  EXPECT_EQ(queue_cpus(host(2, 8, 2, 2)), 2) << "define_ncpus_procs";
  EXPECT_EQ(queue_cpus(host(0, 0, 0, 4)), 4);
  EXPECT_EQ(queue_cpus(HostFacts{}), 1);
}

TEST(RunQueue, EffectiveMakesHostsComparable) {
  EXPECT_FLOAT_EQ(effective_queue(1, 1), 1);
  EXPECT_FLOAT_EQ(effective_queue(8, 8), 1);
  EXPECT_FLOAT_EQ(effective_queue(4, 8), 0.5);
  EXPECT_FLOAT_EQ(effective_queue(28, 8), 3.5);
  EXPECT_FLOAT_EQ(effective_queue(2, 0), 2);
  EXPECT_EQ(effective_queue(kUnknownLoad, 8), kUnknownLoad);
}

TEST(RunQueue, NormalisedSaysWhereOneMoreJobRunsFastest) {
  EXPECT_FLOAT_EQ(normalised_queue(0, 1, 1), 1);
  EXPECT_FLOAT_EQ(normalised_queue(0, 64, 1), 1) << "many idle CPUs make one job no faster than one";
  EXPECT_FLOAT_EQ(normalised_queue(7, 8, 1), 1) << "the last free CPU";
  EXPECT_FLOAT_EQ(normalised_queue(8, 8, 1), 1.125);
  EXPECT_FLOAT_EQ(normalised_queue(3, 1, 2), 2) << "a quarter of a CPU twice as fast";
  EXPECT_LT(normalised_queue(0, 1, 12.5), normalised_queue(0, 64, 6));
  EXPECT_FLOAT_EQ(normalised_queue(0, 1, 0), 1) << "an unknown factor";
  EXPECT_EQ(normalised_queue(kUnknownLoad, 8, 1), kUnknownLoad);
}

}  // namespace
}  // namespace rollcall::load
