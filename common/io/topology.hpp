// Topology: asks hwloc once for the machine's structure, and unloads the topology. For LIM and elim.hwloc, the only file that
// includes hwloc; only the value is kept.
#pragma once

#include <string>

#include "common/base/machine_topology.hpp"
#include "common/base/result.hpp"

namespace rollcall::io {

struct TopologySource {
  enum class Kind { machine, xml_file, xml_text, synthetic };
  Kind kind = Kind::machine;
  std::string text;  // the file's name, the XML itself, or the synthetic description ("pack:2 core:8 pu:2")
  bool devices = false;  // PCI devices as well; LIM does not need them, and they cost memory
};

// Errors: sources that hwloc rejects: invalid XML, an invalid synthetic description.
Result<MachineTopology> read_topology(const TopologySource& source);

}  // namespace rollcall::io
