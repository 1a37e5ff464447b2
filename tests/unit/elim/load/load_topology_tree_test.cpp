// lshosts -T's tree.
#include <gtest/gtest.h>

#include "elim/policy/load/topology_tree.hpp"

namespace rollcall::load {
namespace {

constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;

TEST(TopologyTree, OneNodeForEachPackage) {
  MachineTopology machine;
  machine.packages = 2;
  machine.bytes = 32 * kGiga;
  machine.nodes = {{0, 16 * kGiga, 0}, {1, 16 * kGiga, 1}};
  machine.cores = {{0, 0, 0, {0, 4}}, {0, 0, 0, {1, 5}}, {1, 1, 0, {2, 6}}, {1, 1, 0, {3, 7}}};
  EXPECT_EQ(topology_tree(machine),
            "Host[32.0G]\n"
            "    NUMA[0: 16.0G]\n"
            "        Socket\n"
            "            core(0 4)\n"
            "            core(1 5)\n"
            "    NUMA[1: 16.0G]\n"
            "        Socket\n"
            "            core(2 6)\n"
            "            core(3 7)\n");
}

TEST(TopologyTree, SeveralNodesInAPackageAndOneOfMemoryAlone) {
  MachineTopology machine;
  machine.packages = 1;
  machine.bytes = 3 * 1024 * kGiga;
  machine.nodes = {{0, kGiga, 0}, {1, kGiga, 0}, {8, 512 << 20, -1}};
  machine.cores = {{0, 0, 0, {0}}, {0, 1, 0, {1}}};
  EXPECT_EQ(topology_tree(machine),
            "Host[3.0T]\n"
            "    Socket\n"
            "        NUMA[0: 1.0G]\n"
            "            core(0)\n"
            "        NUMA[1: 1.0G]\n"
            "            core(1)\n"
            "    NUMA[8: 512M]\n");
}

TEST(TopologyTree, PackagesOnOneNode) {
  MachineTopology machine;
  machine.packages = 2;
  machine.bytes = kGiga;
  machine.nodes = {{0, kGiga, -1}};
  machine.cores = {{0, 0, 0, {0}}, {1, 0, 0, {1}}};
  EXPECT_EQ(topology_tree(machine),
            "Host[1.0G]\n"
            "    NUMA[0: 1.0G]\n"
            "        Socket\n"
            "            core(0)\n"
            "        Socket\n"
            "            core(1)\n");
}

TEST(TopologyTree, NothingKnown) { EXPECT_EQ(topology_tree({}), "Host[0M]\n"); }

}  // namespace
}  // namespace rollcall::load
