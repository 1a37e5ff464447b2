// HwlocReader: reads the counters of elim.hwloc at each interval: memory of NUMA nodes, times of CPUs, network links.
#pragma once

#include "common/base/machine_topology.hpp"
#include "elim/policy/load/hwloc_indices.hpp"
#include "elim/reader/files_below.hpp"

namespace rollcall::load {

// Of the nodes and network devices of `machine`.
HwlocReading read_hwloc(const FilesBelow& files, const MachineTopology& machine);

}  // namespace rollcall::load
