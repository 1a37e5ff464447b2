// LsbHosts: the typed view of lsb.hosts: what batch does with each host, and groups, partitions and compute units of
// hosts. Values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/lsb/values.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct BatchHost {
  std::string name;               // a host, a model, a type, or "default"
  bool slots_of_cpus = false;     // MXJ "!": as many slots as CPUs
  std::optional<int> slots;       // MXJ; none: no limit
  std::optional<int> user_slots;  // JL/U
  TimeWindows dispatch_windows;
  std::optional<int> migrate_after;  // MIG, minutes
  bool checkpoint = false;           // CHKPNT
  std::optional<double> exit_rate;   // EXIT_RATE
  std::string affinity;              // AFFINITY: "", "Y" or a list of processors
  std::map<std::string, Threshold> thresholds;
  Place place;
};

struct HostGroup {
  std::string name;
  std::vector<std::string> members;  // hosts, groups, patterns, "~host", "all", "!"
  bool condensed = false;
  std::vector<std::string> administrators;
  Place place;
};

struct HostPartition {
  std::string name;
  std::vector<HostItem> hosts;
  std::vector<Share> shares;
  Place place;
};

struct ComputeUnit {
  std::string name;
  std::vector<std::string> members;
  std::string type;
  bool condensed = false;
  std::vector<std::string> administrators;
  Place place;
};

struct LsbHosts {
  std::vector<BatchHost> hosts;
  std::vector<HostGroup> groups;
  std::vector<HostPartition> partitions;
  std::vector<ComputeUnit> compute_units;
};

// `told`: threshold columns whose resource has an invalid row in lsf.shared; they need no second warning.
LsbHosts read_lsb_hosts(const SectionFile& file, const IndexTable& indices, Problems& problems,
                        const std::vector<std::string>& told = {});

// The valid words of a member list; each invalid word is reported.
class RowReader;
std::vector<std::string> read_members(RowReader& cells, std::string_view keyword);

}  // namespace rollcall::conf
