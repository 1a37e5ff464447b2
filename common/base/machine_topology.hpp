// MachineTopology: what one machine is made of: packages, cores, NUMA nodes, caches, kinds of cores and devices. A value.
//
// It is read once by common/io/topology (hwloc) and then no hwloc is needed any more. Only what this process may use is
// in it: a container's cpuset is its machine. It holds no load. CPUs are the kernel's numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rollcall {

struct Core {
  int package = 0;        // place in MachineTopology::packages
  int numa = 0;           // place in MachineTopology::nodes of the nearest node
  int kind = 0;           // 0: the least efficient in power, or the only one; larger: faster
  std::vector<int> cpus;  // its hardware threads
  friend bool operator==(const Core&, const Core&) = default;
};

struct NumaNode {
  int number = 0;           // the kernel's: nodeN
  std::uint64_t bytes = 0;  // 0: not known
  int package = 0;          // nearest; -1: of the whole machine
  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

// Caches of one kind: how large one is, and how many there are. Data and unified ones.
struct CacheLevel {
  int level = 1;
  std::uint64_t bytes = 0;
  int count = 0;
  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

struct Device {
  enum class Kind { network, infiniband, gpu, storage };
  Kind kind = Kind::network;
  std::string name;          // eth0, mlx5_0, cuda0, nvme0n1; a GPU without a driver: its PCI address
  std::string model;         // as the PCI table names it; may be empty
  std::uint32_t vendor = 0;  // PCI; 0: not on PCI
  friend bool operator==(const Device&, const Device&) = default;
};

struct MachineTopology {
  int packages = 0;
  std::vector<Core> cores;
  std::vector<NumaNode> nodes;
  std::vector<CacheLevel> caches;
  std::vector<std::string> kinds;  // names of the kinds of cores; empty where all are alike
  std::vector<Device> devices;     // only where asked for
  std::uint64_t bytes = 0;         // memory of all nodes
  std::string processor;           // name of the first package's processor; empty: not known

  friend bool operator==(const MachineTopology&, const MachineTopology&) = default;
};

}  // namespace rollcall
