// elim.hwloc: its indices computed from readings, the string that it prints, its command line.
#include <gtest/gtest.h>

#include <algorithm>

#include "elim/elims/hwloc_options.hpp"
#include "elim/policy/load/hwloc_indices.hpp"

namespace rollcall::load {
namespace {

// Two packages of two cores of two CPUs, a node for each, and a node of memory alone.
MachineTopology two_packages() {
  MachineTopology machine;
  machine.packages = 2;
  machine.nodes = {{0, 0, 0}, {1, 0, 1}, {4, 0, -1}};
  machine.cores = {{0, 0, 0, {0, 4}}, {0, 0, 0, {1, 5}}, {1, 1, 0, {2, 6}}, {1, 1, 0, {3, 7}}};
  return machine;
}

// A reading 1000 ticks after idle_ticks(all 0), of which so many were busy.
HwlocReading reading(const std::vector<std::uint64_t>& busy, std::uint64_t all) {
  HwlocReading made;
  for (std::size_t cpu = 0; cpu < busy.size(); ++cpu)
    made.cpus.emplace_back(static_cast<int>(cpu), CpuTicks{busy[cpu], all - busy[cpu]});
  return made;
}

std::string value(const std::vector<HwlocValue>& values, const std::string& name) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.name == name; });
  return found == values.end() ? "none" : found->value;
}

TEST(HwlocIndices, ACoreIsIdleWhenAllItsCpusAre) {
  const auto machine = two_packages();
  const auto before = reading({0, 0, 0, 0, 0, 0, 0, 0}, 0);
  const auto now = reading({100, 0, 0, 0, 0, 101, 0, 0}, 1000);
  const auto values = hwloc_values(machine, &before, now);
  EXPECT_EQ(value(values, "hw_idle_cores"), "3") << "10 % busy is idle, more is not";
  EXPECT_EQ(value(values, "hw_idle_packages"), "1");
}

TEST(HwlocIndices, OneBusyThreadMakesItsCoreBusy) {
  const auto machine = two_packages();
  const auto before = reading(std::vector<std::uint64_t>(8, 0), 0);
  const auto now = reading({0, 0, 0, 0, 900, 900, 900, 900}, 1000);
  const auto values = hwloc_values(machine, &before, now);
  EXPECT_EQ(value(values, "hw_idle_cores"), "0");
  EXPECT_EQ(value(values, "hw_idle_packages"), "0");
}

TEST(HwlocIndices, ACpuWithoutTimesIsNotCalledIdle) {
  const auto machine = two_packages();
  const auto before = reading({0, 0, 0, 0, 0, 0, 0}, 0);  // CPU 7 is not there
  const auto now = reading({0, 0, 0, 0, 0, 0, 0, 0}, 1000);
  EXPECT_EQ(value(hwloc_values(machine, &before, now), "hw_idle_cores"), "3");
}

TEST(HwlocIndices, FirstStringHasNoIdleCores) {
  const auto values = hwloc_values(two_packages(), nullptr, {});
  for (const char* name : {"hw_idle_cores", "hw_idle_packages", "hw_numa_best"})
    EXPECT_EQ(value(values, name), "none");
}

TEST(HwlocIndices, MemoryOfNodesAndTheBestOne) {
  const auto machine = two_packages();
  auto before = reading(std::vector<std::uint64_t>(8, 0), 0);
  auto now = reading(std::vector<std::uint64_t>(8, 0), 1000);
  now.nodes = {{0, 4096000, 8192000}, {1, 5120000, 8192000}, {4, 90000000, 99999999}, {9, 1, 1}};
  auto values = hwloc_values(machine, &before, now);
  EXPECT_EQ(value(values, "hw_nodes"), "4");
  EXPECT_EQ(value(values, "hw_numa_free0"), "4000");
  EXPECT_EQ(value(values, "hw_numa_max1"), "8000");
  EXPECT_EQ(value(values, "hw_numa_free9"), "none") << "0 to 7 have names";
  EXPECT_EQ(value(values, "hw_numa_free"), "87890");
  EXPECT_EQ(value(values, "hw_numa_best"), "1") << "as idle, more memory; node 4 has no cores";
  now.cpus[2].second = {900, 100};
  values = hwloc_values(machine, &before, now);
  EXPECT_EQ(value(values, "hw_numa_best"), "0") << "more idle cores win";
}

TEST(HwlocIndices, CountsPartsOfTheMachine) {
  auto machine = two_packages();
  machine.kinds = {"IntelAtom", "IntelCore"};
  machine.cores[0].kind = machine.cores[1].kind = machine.cores[2].kind = 1;
  machine.caches = {{1, 49152, 3}, {1, 32768, 1}, {2, 1 << 20, 4}};
  machine.devices = {{Device::Kind::gpu, "0000:05:00.0", "NVIDIA Tesla V100", 0x10de},
                     {Device::Kind::gpu, "0000:06:00.0", "NVIDIA Tesla V100", 0x10de},
                     {Device::Kind::infiniband, "mlx5_0", "", 0},
                     {Device::Kind::network, "eth0", "", 0},
                     {Device::Kind::storage, "sda", "", 0}};
  HwlocReading now;
  now.links = {{false, 1000}, {false, 25000}, {true, 200000}};
  const auto values = hwloc_values(machine, nullptr, now);
  const std::pair<const char*, const char*> expected[] = {{"hw_kinds", "2"},
                                                          {"hw_fast_cores", "3"},
                                                          {"hw_l1", "48"},
                                                          {"hw_l2", "1024"},
                                                          {"hw_l3", "none"},
                                                          {"hw_gpus", "2"},
                                                          {"hw_nics", "2"},
                                                          {"hw_ib", "1"},
                                                          {"hw_net_speed", "25000"},
                                                          {"hw_ib_speed", "200000"},
                                                          {"hw_gpu_model", "NVIDIA_Tesla_V100"}};
  for (const auto& [name, said] : expected) EXPECT_EQ(value(values, name), said) << name;
}

TEST(HwlocIndices, EveryReportedNameIsInTheList) {
  auto machine = two_packages();
  machine.nodes.clear();
  HwlocReading now;
  for (int node = 0; node < 12; ++node) now.nodes.push_back({node, 1, 1});
  machine.caches = {{1, 1024, 1}, {2, 1024, 1}, {3, 1024, 1}};
  machine.devices = {{Device::Kind::gpu, "g", "m", 1}, {Device::Kind::infiniband, "i", "", 0}};
  machine.nodes = {{0, 0, 0}, {1, 0, 1}};
  now.links = {{false, 1}, {true, 1}};
  const auto names = hwloc_names();
  const auto values = hwloc_values(machine, &now, now);
  EXPECT_EQ(values.size(), names.size()) << "all of them, on a machine that has everything";
  for (const auto& one : values)
    EXPECT_NE(std::find(names.begin(), names.end(), one.name), names.end()) << one.name;
}

TEST(HwlocString, HasTheIndicesAskedFor) {
  const std::vector<HwlocValue> values = {{"hw_nodes", "1"}, {"hw_gpus", "0"}};
  EXPECT_EQ(load_update_string(values, ""), "2 hw_nodes 1 hw_gpus 0\n");
  EXPECT_EQ(load_update_string(values, " scratch  hw_gpus\t"), "1 hw_gpus 0\n");
  EXPECT_EQ(load_update_string(values, "hw_ib"), "0\n") << "asked for, but without a value";
}

TEST(HwlocString, AsksForHwlocByNameOrWithoutAList) {
  EXPECT_TRUE(asks_for_hwloc(""));
  EXPECT_TRUE(asks_for_hwloc("  "));
  EXPECT_TRUE(asks_for_hwloc("scratch hw_numa_free7"));
  EXPECT_FALSE(asks_for_hwloc("scratch"));
  EXPECT_FALSE(asks_for_hwloc("hw_numa_free8 xhw_gpus hw_gpusx"));
}

TEST(HwlocString, ReadsInfinibandRates) {
  EXPECT_EQ(infiniband_megabits("100 Gb/sec (4X EDR)\n"), 100000U);
  EXPECT_EQ(infiniband_megabits("2.5 Gb/sec (1X SDR)"), 2500U);
  for (const char* none :
       {"", "0 Gb/sec (4X)", "100 Mb/sec", "-1 Gb/sec", "Gb/sec", "1e9 Gb/sec", "nan Gb/sec"})
    EXPECT_EQ(infiniband_megabits(none), 0U) << none;
}

TEST(HwlocOptions, TakesItsOwnOptionsAlone) {
  const auto options = read_hwloc_options({"other", "-x", "--hwloc-interval=5", "--hwloc-topology=/a b.xml",
                                           "--hwloc-root=/r", "--hwloc-strings=2", "--interval=z"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->interval, 5);
  EXPECT_EQ(options->topology, "/a b.xml");
  EXPECT_EQ(options->root, "/r");
  EXPECT_EQ(options->strings, 2);
}

TEST(HwlocOptions, NamesInvalidOptions) {
  const auto error = [](const char* word) { return read_hwloc_options({word}).error().text; };
  EXPECT_EQ(error("--hwloc-interval=0"), "--hwloc-interval: found \"0\", expected 1 to 86400");
  EXPECT_EQ(error("--hwloc-strings"), "--hwloc-strings: found \"\", expected 1 to 1000000");
  EXPECT_EQ(error("--hwloc-root="), "--hwloc-root: found nothing, expected a path");
  EXPECT_EQ(error("--hwloc-what=1"),
            "found \"--hwloc-what=1\", expected --hwloc-interval=, --hwloc-topology=, --hwloc-root= or "
            "--hwloc-strings=");
}

}  // namespace
}  // namespace rollcall::load
