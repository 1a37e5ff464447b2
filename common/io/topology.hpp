// Topology: asks hwloc once what a machine is made of, and lets hwloc go. The only file that includes hwloc for LIM and
// elim.hwloc; nothing of it is kept but the value.
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

// Errors: what hwloc does not take: an XML that is none, a synthetic description that cannot be meant.
Result<MachineTopology> read_topology(const TopologySource& source);

}  // namespace rollcall::io
