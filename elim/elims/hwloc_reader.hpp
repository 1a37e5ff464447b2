// HwlocReader: reads what elim.hwloc reports anew each interval: memory of the NUMA nodes, times of the CPUs, links.
#pragma once

#include "common/base/machine_topology.hpp"
#include "elim/policy/load/hwloc_indices.hpp"
#include "elim/reader/files_below.hpp"

namespace rollcall::load {

// Of the nodes and network devices of `machine`.
HwlocReading read_hwloc(const FilesBelow& files, const MachineTopology& machine);

}  // namespace rollcall::load
