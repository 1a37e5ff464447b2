// The eleven indices of the machines of tests/fixtures/machines, and what happens where files change or are missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "elim/reader/host_reader.hpp"
#include "tests/io/elim/machine_trees.hpp"

namespace rollcall::load {
namespace {

using built_in::io;

TimePoint at(int seconds) { return {std::chrono::seconds(seconds)}; }

TEST(LimSampler, SmallVirtualMachine) {
  const MachineTree tree("epyc-vm");
  tree.write("proc/loadavg", "0.57 0.78 0.54 2/108 22989\n");
  tree.write("proc/uptime", "605.00 1000.00\n");
  LoadSampler sampler(tree.source());
  const auto load = sampler.sample(at(0));
  EXPECT_TRUE(load.first);
  EXPECT_FLOAT_EQ(load[r15s], 1) << "two run, one of them is LIM";
  EXPECT_FLOAT_EQ(load[r1m], 0.57F);
  EXPECT_FLOAT_EQ(load[r15m], 0.54F);
  EXPECT_FLOAT_EQ(load[ls], 0);
  EXPECT_FLOAT_EQ(load[it], 10) << "no use of a terminal: idle since the start";
  EXPECT_FLOAT_EQ(load[tmp], 102400);
  EXPECT_FLOAT_EQ(load[swp], 0);
  EXPECT_EQ(sampler.sizes().maxswp, 0U);
  EXPECT_EQ(sampler.sizes().maxtmp, 409600U);
}

// A LIM that has just started knows its rates after a moment, not after 15 s.
TEST(LimSampler, TheSecondSampleHasTheRates) {
  const MachineTree tree("epyc-vm");
  tree.write("proc/stat", "cpu  1000 0 0 3000 0 0 0 0 0 0\n");
  tree.write("proc/vmstat", "pswpin 0\npswpout 0\n");
  LoadSampler sampler(tree.source());
  EXPECT_FALSE(known_load(sampler.sample(at(0))[ut]));
  tree.write("proc/stat", "cpu  1025 0 0 3075 0 0 0 0 0 0\n");
  const auto second = sampler.sample({kFirstInterval});
  EXPECT_NEAR(second[ut], 0.25, 0.001);
  EXPECT_FLOAT_EQ(second[pg], 0);
  EXPECT_TRUE(known_load(second[io]));
  tree.write("proc/stat", "cpu  2025 0 0 3075 0 0 0 0 0 0\n");
  EXPECT_NEAR(sampler.sample({kFirstInterval + kSampleInterval})[ut], 0.25, 0.001) << "then every 15 s";
}

TEST(LimSampler, ManyCores) {
  const MachineTree tree("epyc-256");
  tree.write("proc/stat", "cpu  120000000 0 0 480000000 0 0 0 0 0 0\n");
  LoadSampler sampler(tree.source());
  sampler.sample(at(0));
  tree.write("proc/loadavg", "97.42 88.10 61.35 129/3112 812345\n");
  tree.write("proc/stat",
             "cpu  120192000 0 0 480192000 0 0 0 0 0 0\n");  // 256 CPUs for 15 s, half of them busy
  EXPECT_NEAR(sampler.sample(at(15))[ut], 0.5, 0.001);
  tree.write("proc/diskstats",
             " 259 0 nvme0n1 1 0 81029300 1 1 0 107055200 1 0 1 1\n 259 2 nvme0c0n1 1 0 81029300 1 1 0 "
             "107055200 1 0 1 1\n 259 3 nvme1n1 1 0 1000 1 1 0 2000 1 0 1 1\n");
  const auto load = sampler.sample(at(30));
  EXPECT_NEAR(load[r1m], 97.42 + (128 - 97.42) * (1 - std::exp(-0.5)), 0.01);
  EXPECT_NEAR(load[io], 1000 * (1 - std::exp(-0.25)), 0.5) << "one path of the multipath disk alone counts";
  EXPECT_FLOAT_EQ(load[mem], 938705) << "961234560 kB available";
  EXPECT_EQ(sampler.sizes().maxmem, 1031784U);
}

TEST(LimSampler, NumaSwapAndPeople) {
  const MachineTree tree("xeon-swap");
  const auto now = MachineTree::kNow.count();
  tree.set_times("dev/pts/0", now - 4000, now - 5000);
  tree.set_times("dev/pts/1", now - 3000, now - 720);  // output counts as well as input
  tree.set_times("dev/pts/2", now - 3600, now - 3600);
  tree.set_times("dev/pts/7", now, now);  // of a session whose process is gone
  LoadSampler sampler(tree.source());
  const auto first = sampler.sample(at(0));
  EXPECT_FLOAT_EQ(first[ls], 2) << "alice twice, bob; not crashed";
  EXPECT_FLOAT_EQ(first[it], 12);
  EXPECT_FLOAT_EQ(first[swp], 12287);
  EXPECT_FLOAT_EQ(first[mem], 39183);
  EXPECT_EQ(sampler.sizes().maxswp, 16383U);
  tree.write("proc/vmstat", "pswpin 120050\npswpout 340100\n");
  tree.write("proc/diskstats",
             "8 0 sda 1 0 203000 1 1 0 400000 1 0 1 1\n8 1 sda1 1 0 900000 1 1 0 900000 1 0 1 1\n"
             "9 0 md0 1 0 990000 1 1 0 990000 1 0 1 1\n11 0 sr0 1 0 5000 1 1 0 0 1 0 1 1\n");
  const auto second = sampler.sample(at(15));
  EXPECT_FLOAT_EQ(second[pg], 10);
  EXPECT_FLOAT_EQ(second[io], 100) << "sda alone: no partition, no RAID above it, no CD drive";
}

TEST(LimSampler, PeopleWhoLeftAreRemembered) {
  const MachineTree tree("xeon-swap");
  const auto now = MachineTree::kNow.count();
  for (const char* line : {"dev/pts/0", "dev/pts/1", "dev/pts/2"}) tree.set_times(line, now - 600, now - 600);
  LoadSampler sampler(tree.source());
  EXPECT_FLOAT_EQ(sampler.sample(at(0))[it], 10);
  tree.write("run/utmp", "");
  tree.remove("dev/pts");
  const auto later = sampler.sample(at(30));
  EXPECT_FLOAT_EQ(later[ls], 0);
  EXPECT_FLOAT_EQ(later[it], 10) << "not since the machine was started, two hours ago";
}

TEST(LimSampler, SettingTheClockMakesNobodyIdleOrBusy) {
  const MachineTree tree("xeon-swap");
  const auto begun = MachineTree::kNow.count();
  for (const char* line : {"dev/pts/0", "dev/pts/1", "dev/pts/2"})
    tree.set_times(line, begun - 600, begun - 600);
  auto source = tree.source();
  auto wall = MachineTree::kNow;
  source.wall_clock = [&] { return wall; };
  LoadSampler sampler(source);
  tree.write("proc/uptime", "7200.00 1.00\n");
  EXPECT_FLOAT_EQ(sampler.sample(at(0))[it], 10);
  tree.write("proc/uptime", "7260.00 1.00\n");
  wall += std::chrono::seconds(60 + 3600);
  EXPECT_FLOAT_EQ(sampler.sample(at(60))[it], 11) << "an hour forth";
  tree.write("proc/uptime", "7320.00 1.00\n");
  wall -= std::chrono::seconds(2 * 3600 - 60);
  EXPECT_FLOAT_EQ(sampler.sample(at(120))[it], 12) << "and two back";
  tree.set_times("dev/pts/1", wall.count() - 5, wall.count() - 5);
  tree.write("proc/uptime", "7380.00 1.00\n");
  EXPECT_FLOAT_EQ(sampler.sample(at(180))[it], 0) << "a terminal is in use, by the new clock";
}

TEST(LimSampler, SessionsOfSystemdWhereThereIsNoUtmp) {
  const MachineTree tree("altra-arm");
  for (const char* pid : {"7001", "7004"}) tree.write(std::string("proc/") + pid + "/comm", "bash\n");
  const auto now = MachineTree::kNow.count();
  tree.set_times("dev/pts/4", now - 300, now - 900);
  LoadSampler sampler(tree.source());
  const auto load = sampler.sample(at(0));
  EXPECT_FLOAT_EQ(load[ls], 2) << "carol and dave: not the closing session, not the greeter";
  EXPECT_FLOAT_EQ(load[it], 5);
}

TEST(LimSampler, AContainersLimitsAreItsMachine) {
  const MachineTree tree("container");
  LoadSampler sampler(tree.source());
  const auto load = sampler.sample(at(0));
  EXPECT_FLOAT_EQ(load[mem], 6144) << "8 GB less 3 GB used, of which 1 GB would be given up";
  EXPECT_EQ(sampler.sizes().maxmem, 8192U);
}

// Machines whose kernels wrote both readings, with work between them: what awk makes of the same files is expected.
struct Later {
  const char* name;
  double r1m, ut, pg, io, mem, swp;
};

TEST(LimSampler, TwoReadingsOfRealKernels) {
  for (const Later& machine : {Later{"vm-numa-swap", 1.8255, 0.047968, 5162.2, 27202.4, 11, 247},
                               Later{"vm-96", 1.7211, 0.0039708, 0, 4164.27, 1682, 0}}) {
    const MachineTree tree(machine.name);
    LoadSampler sampler(tree.source());
    const auto first = sampler.sample(at(0));
    EXPECT_FALSE(known_load(first[ut])) << machine.name;
    for (const char* text : {"loadavg", "stat", "meminfo", "vmstat", "diskstats", "uptime"})
      tree.copy(machine_file(machine.name, std::string("later/proc/") + text), std::string("proc/") + text);
    const auto load = sampler.sample(at(15));
    EXPECT_NEAR(load[r1m], machine.r1m, 0.001) << machine.name;
    EXPECT_NEAR(load[ut], machine.ut, 1e-5) << machine.name;
    EXPECT_NEAR(load[pg], machine.pg, 0.1) << machine.name;
    EXPECT_NEAR(load[io], machine.io, 1) << machine.name;
    EXPECT_FLOAT_EQ(load[mem], static_cast<float>(machine.mem)) << machine.name;
    EXPECT_FLOAT_EQ(load[swp], static_cast<float>(machine.swp)) << machine.name;
    EXPECT_FLOAT_EQ(load[it], 1) << machine.name << ": nobody was ever there, and it runs for a minute";
    for (ResourceId id = 0; id < kBuiltInIndices; ++id)
      EXPECT_TRUE(known_load(load.values[id])) << machine.name << ", index " << id;
  }
}

TEST(LimSampler, MissingFileMakesItsIndexAloneUnknown) {
  struct Case {
    const char* file;
    std::vector<BuiltIn> unknown;
  };
  const Case cases[] = {{"proc/loadavg", {r15s, r1m, r15m}},
                        {"proc/stat", {ut}},
                        {"proc/vmstat", {pg}},
                        {"proc/diskstats", {io}},
                        {"proc/meminfo", {swp, mem}},
                        {"proc/uptime", {it}},
                        {"tmp", {tmp}}};
  for (const auto& [file, unknown] : cases) {
    const MachineTree tree("xeon-swap");
    tree.remove(file);
    LoadSampler sampler(tree.source());
    sampler.sample(at(0));
    if (std::string(file) != "proc/stat") tree.write("proc/stat", "cpu  99000000 0 0 99000000 0 0 0 0 0 0\n");
    const auto load = sampler.sample(at(15));
    for (ResourceId id = 0; id < kBuiltInIndices; ++id) {
      const bool expected =
          std::find(unknown.begin(), unknown.end(), static_cast<BuiltIn>(id)) == unknown.end();
      EXPECT_EQ(known_load(load.values[id]), expected) << file << ", index " << id;
    }
  }
}

TEST(LimSampler, LoadIsUnknownWithoutAProcTree) {
  HostSource source;
  source.root = "/nowhere/at/all";
  LoadSampler sampler(source);
  const auto load = sampler.sample(at(0));
  for (ResourceId id = 0; id < kBuiltInIndices; ++id)
    EXPECT_EQ(known_load(load.values[id]), id == ls) << "index " << id;
}

TEST(LimSampler, ReadsEachIndexWhenItsIntervalIsOver) {
  const MachineTree tree("xeon-swap");
  auto source = tree.source();
  int asked = 0;
  source.file_system_size = [&](int) {
    ++asked;
    return FileSystemSize{100.0 * asked, 1000};
  };
  LoadSampler sampler(source);
  sampler.sample(at(0));
  sampler.sample({kFirstInterval});
  tree.write("proc/meminfo", "MemTotal: 65807432 kB\nMemAvailable: 1048576 kB\n");
  EXPECT_FLOAT_EQ(sampler.sample(at(5))[mem], 39183);
  EXPECT_FLOAT_EQ(sampler.sample(at(10))[mem], 39183);
  EXPECT_FLOAT_EQ(sampler.sample({std::chrono::milliseconds(14'990)})[mem], 1024) << "a timer may be early";
  EXPECT_FLOAT_EQ(sampler.sample(at(115))[tmp], 100);
  EXPECT_FLOAT_EQ(sampler.sample(at(120))[tmp], 200);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace rollcall::load
