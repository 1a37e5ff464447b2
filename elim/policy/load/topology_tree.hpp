// TopologyTree: the tree of `lshosts -T`, drawn from a machine's topology. A function.
//
//   Host[15.7G]                      memory of all nodes
//       NUMA[0: 7.8G]                node and its memory
//           Socket                   a package
//               core(0 16)           a core and its CPUs, by the kernel's numbers
//
// Where a package has several nodes they stand below it. Nodes without cores (memory alone) come last. The words and the
// order are those of the affinity chapter of "IBM Platform LSF 9.1"; it leaves the rest open (docs/decisions/0018).
// The host's name is not in it, so that equal hosts have equal trees.
#pragma once

#include <string>

#include "common/base/machine_topology.hpp"

namespace rollcall::load {

// Lines, each ending with newline.
std::string topology_tree(const MachineTopology& machine);

// "853M", "15.7G", "1.5T".
std::string memory_words(std::uint64_t bytes);

}  // namespace rollcall::load
