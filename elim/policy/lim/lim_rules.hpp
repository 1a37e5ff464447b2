// LimRules: the configuration files as LIM's stepper needs them. A value; it does not change until `lsadmin reconfig`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/cluster_files.hpp"
#include "elim/policy/lim/resource_map.hpp"

namespace rollcall::lim {

// A threshold beyond which the host is busy. ut is 0..1, run queues are effective ones, mem swp tmp in MB.
struct LoadThreshold {
  ResourceId index = 0;
  double value = 0;
};

// A place among the master candidates; a host that is no candidate ranks last.
using Rank = std::size_t;

struct LimRules {
  struct Host {
    std::string name;    // official
    bool server = true;  // false: a client host; it need not run a LIM, and is never dialled
  };
  std::string host;                     // our own, official
  std::vector<std::string> candidates;  // for master, in order
  std::vector<Host> hosts;              // in the order of lsf.cluster
  Duration exchange_interval = std::chrono::seconds(15);
  int host_inactivity_limit = 5;    // exchange intervals
  int master_inactivity_limit = 2;  // exchange intervals
  int adjust_duration = 3;          // exchange intervals
  IndexTable indices;
  ResourceMap resource_map;
  std::vector<LoadThreshold> thresholds;  // our own host's
  TimeWindows run_windows;                // our own host's
  std::string digest;                     // of the files, told to the master

  Rank rank(std::string_view name) const;
  std::optional<HostIndex> find(std::string_view name) const;
  // How long a silent host stays available, and a silent master is followed.
  Duration inactivity() const { return exchange_interval * host_inactivity_limit; }
  // After this time the candidate of that rank takes over from silent ones before it.
  Duration takeover(Rank rank) const {
    return exchange_interval * (host_inactivity_limit + static_cast<int>(rank) * master_inactivity_limit);
  }
  // Fills what find() and rank() need; call it when `hosts` and `candidates` are complete.
  void index_names();

 private:
  std::unordered_map<std::string, HostIndex> by_name_;
  std::unordered_map<std::string, Rank> ranks_;
};

// The rules of the LIM on `own_host` (official name) of a checked set; `digest` is of its files.
LimRules lim_rules(const conf::ClusterFiles& files, const std::string& own_host, std::string digest);

}  // namespace rollcall::lim
