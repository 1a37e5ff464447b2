// hwloc's view of this machine and of synthetic ones.
#include "common/io/topology.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/io/elim/machine_trees.hpp"

namespace rollcall::io {
namespace {

MachineTopology read(const std::string& machine) {
  const auto file = load::machine_file(machine, "topology.xml");
  const auto topology = read_topology({TopologySource::Kind::xml_file, file, true});
  EXPECT_TRUE(topology) << topology.error().text;
  return topology ? *topology : MachineTopology{};
}

TEST(Topology, TwoPackagesOfManyCores) {
  const auto machine = read("epyc-256");
  EXPECT_EQ(machine.packages, 2);
  EXPECT_EQ(machine.cores.size(), 128U);
  EXPECT_EQ(machine.cores[127].cpus, (std::vector<int>{127, 255}));
  EXPECT_EQ(machine.cores[64].package, 1);
  EXPECT_EQ(machine.cores[64].numa, 1);
  EXPECT_EQ(machine.processor, "AMD EPYC 7763 64-Core Processor");
  EXPECT_EQ(machine.caches, (std::vector<CacheLevel>{{1, 32768, 128}, {2, 524288, 128}, {3, 33554432, 16}}));
  EXPECT_TRUE(machine.kinds.empty());
}

TEST(Topology, DevicesByKind) {
  const auto machine = read("xeon-swap");
  std::vector<std::string> names;
  for (const auto& device : machine.devices) names.push_back(device.name);
  EXPECT_EQ(names, (std::vector<std::string>{"0000:05:00.0", "0000:06:00.0", "eth0", "eth1", "sda"}))
      << "two GPUs, one without its driver; not the console's VGA adapter";
  EXPECT_EQ(machine.devices[0].kind, Device::Kind::gpu);
  EXPECT_EQ(machine.devices[0].model, "NVIDIA Corporation GV100GL [Tesla V100 PCIe 16GB]");
  EXPECT_EQ(machine.devices[3].kind, Device::Kind::network);
  EXPECT_EQ(machine.devices[4].kind, Device::Kind::storage);
}

TEST(Topology, KindsOfCores) {
  const auto machine = read("hybrid");
  EXPECT_EQ(machine.kinds, (std::vector<std::string>{"IntelAtom", "IntelCore"}));
  EXPECT_EQ(machine.cores[0].kind, 1);
  EXPECT_EQ(machine.cores[7].kind, 0);
}

TEST(Topology, SyntheticAndText) {
  const auto synthetic = read_topology({TopologySource::Kind::synthetic, "pack:2 [numa] core:4 pu:2"});
  ASSERT_TRUE(synthetic);
  EXPECT_EQ(synthetic->cores.size(), 8U);
  EXPECT_EQ(synthetic->nodes.size(), 2U);
  std::ostringstream text;
  text << std::ifstream(load::machine_file("container", "topology.xml")).rdbuf();
  const auto container = read_topology({TopologySource::Kind::xml_text, text.str()});
  ASSERT_TRUE(container) << container.error().text;
  EXPECT_EQ(container->cores.size(), 4U);
}

TEST(Topology, ThisMachine) {
  const auto machine = read_topology({});
  ASSERT_TRUE(machine);
  EXPECT_GE(machine->packages, 1);
  EXPECT_GE(machine->cores.size(), 1U);
  EXPECT_GT(machine->bytes, 0U);
}

TEST(Topology, RefusesInvalidTopologies) {
  const auto missing = read_topology({TopologySource::Kind::xml_file, "/nowhere/topology.xml"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text.find("/nowhere/topology.xml: found no topology in XML"), 0U)
      << missing.error().text;
  const auto text = read_topology({TopologySource::Kind::synthetic, "core:many"});
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().text.find("\"core:many\""), std::string::npos) << text.error().text;
  EXPECT_FALSE(read_topology({TopologySource::Kind::xml_text, ""}));
}

}  // namespace
}  // namespace rollcall::io
