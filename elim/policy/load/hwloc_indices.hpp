// HwlocIndices: the indices of elim.hwloc: names and values, from the host's topology and two readings of its counters.
// Functions. elim.hwloc(8) lists the names; docs/samples/hwloc.conf.sample defines them.
//
//   each node N, 0 to 7   hw_numa_free<N> hw_numa_max<N>      MB; free counts what would be given up (file pages)
//   nodes                 hw_nodes hw_numa_free hw_numa_best  how many; most MB free in one; the least loaded one: most
//                                                             idle cores, then most memory free, then the lower number
//   cores                 hw_idle_cores hw_idle_packages      all of whose CPUs idled at least 90 % of the last interval
//                         hw_kinds hw_fast_cores              kinds of cores; how many are of the fastest kind
//   caches                hw_l1 hw_l2 hw_l3                   KB of one, the largest of its level
//   devices               hw_gpus hw_nics hw_ib               how many; hw_nics: network adapters whose link is up
//                         hw_net_speed hw_ib_speed            Mb/s of the fastest
//                         hw_gpu_model                        String; the first one's
//
// An index that a host does not have or report is left out; a count is then 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/machine_topology.hpp"
#include "elim/policy/load/load_math.hpp"

namespace rollcall::load {

inline constexpr int kNodeIndices = 8;
inline constexpr double kIdlePart = 0.9;

using CpuTimes = std::vector<std::pair<int, CpuTicks>>;  // by the kernel's number

// One reading of the counters.
struct HwlocReading {
  struct Node {
    int number = 0;
    std::uint64_t free_kb = 0, total_kb = 0;
  };
  std::vector<Node> nodes;
  CpuTimes cpus;
  struct Link {
    bool infiniband = false;
    std::uint64_t megabits = 0;  // of a link that is up
  };
  std::vector<Link> links;
};

struct HwlocValue {
  std::string name, value;
  friend bool operator==(const HwlocValue&, const HwlocValue&) = default;
};

// All names that elim.hwloc may report, in the order of its string.
std::vector<std::string> hwloc_names();

// `before` none: the first string, without idle cores.
std::vector<HwlocValue> hwloc_values(const MachineTopology& machine, const HwlocReading* before,
                                     const HwlocReading& now);

// The load update string with its newline; of `values` only those that `resources` (LSF_RESOURCES, blanks between names)
// asks for, or all where it is empty.
std::string load_update_string(const std::vector<HwlocValue>& values, std::string_view resources);

// True where `resources` is empty or names one of ours.
bool asks_for_hwloc(std::string_view resources);

// "100 Gb/sec (4X EDR)" of an InfiniBand port, in Mb/s; 0: none.
std::uint64_t infiniband_megabits(std::string_view rate);

}  // namespace rollcall::load
