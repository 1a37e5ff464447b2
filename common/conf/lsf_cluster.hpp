// LsfCluster: the typed view of lsf.cluster.NAME: parameters, administrators, hosts, where resources live, and which
// other clusters are known.
//
// A value. Rules: "Platform LSF Configuration Reference 7.3", lsf.cluster; defaults are those of that text unless a
// comment says otherwise (docs/decisions tells where versions differ).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/host_names.hpp"
#include "common/conf/lsf_shared.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

// Section Parameters. Times in their own units are Durations here.
struct ClusterParameters {
  Duration exchange_interval = std::chrono::seconds(15);  // EXINTERVAL
  int host_inactivity_limit = 5;                          // HOST_INACTIVITY_LIMIT, in exchange intervals
  int master_inactivity_limit = 2;                        // MASTER_INACTIVITY_LIMIT, in exchange intervals
  int retry_limit = 2;                                    // RETRY_LIMIT
  Duration probe_timeout = std::chrono::seconds(2);       // PROBE_TIMEOUT
  int adjust_duration = 3;                                // ADJUST_DURATION, in exchange intervals
  std::vector<std::string> elim_arguments;                // ELIMARGS, words
  Duration elim_poll_interval = std::chrono::seconds(5);  // ELIM_POLL_INTERVAL
  Duration elim_block_time = std::chrono::seconds(2);     // LSF_ELIM_BLOCKTIME
  bool elim_block_time_given = false;                     // LSF_ELIM_RESTARTS asks for this or LSF_ELIM_DEBUG
  bool elim_debug = false;                                // LSF_ELIM_DEBUG
  std::optional<int> elim_restarts;                       // LSF_ELIM_RESTARTS; none: no limit
  int elim_abort_value = 99;                              // ELIM_ABORT_VALUE
  Duration elim_restart_interval =
      std::chrono::seconds(90);  // ROLLCALL_ELIM_RESTART_INTERVAL, ours, for tests
};

// One row of section Host.
struct ClusterHost {
  std::string name;                  // official, by HostNames
  std::optional<std::string> type;   // none: "!", detected
  std::optional<std::string> model;  // none: "!", detected
  bool server = true;
  std::vector<std::string> booleans;          // Boolean resources of RESOURCES
  std::vector<std::string> dedicated;         // "!res": chosen only by jobs that name it; also in booleans
  std::map<std::string, std::string> values;  // "name=value": static strings and numbers
  std::vector<std::string> reported;          // "name": dynamic resources, which an elim of this host reports
  int disks = -1;                             // nd; -1: detected
  int rexpri = 0;
  TimeWindows run_windows;                   // RUNWINDOW; empty: always open
  std::map<std::string, double> thresholds;  // by formal index name; beyond it the host is busy
  Place place;
};

// One LOCATION instance: who shares it.
struct ResourceInstance {
  enum class Kind { each_host, shared };  // [default], or anything else
  Kind kind = Kind::shared;
  std::optional<std::string> value;  // of a static resource
  std::vector<std::string>
      hosts;               // shared: official names in the order written; "all", "others" are spelt out
  bool all_hosts = false;  // it was [all ...]: elims run on the master alone
};

struct ResourceMapping {
  std::string resource;
  std::vector<ResourceInstance> instances;
  Place place;
};

struct RemoteCluster {
  std::string name;
  bool equivalent = false;
  Duration cache_interval = std::chrono::seconds(60);
  bool receive_from = true;
  std::string authentication;  // "" for "-"
  Place place;
};

struct LsfCluster {
  std::string name;
  ClusterParameters parameters;
  std::vector<std::string> administrators;  // as written; the first is the primary one; empty: root
  Place administrators_place;
  std::vector<ClusterHost> hosts;           // in the order of the file
  std::vector<ResourceMapping> resource_map;
  std::vector<RemoteCluster> remote_clusters;

  const ClusterHost* host(std::string_view name) const;  // by official name
};

// The hosts are added to `names` before anything that names a host is read. `shared` and `indices` are of the same set.
LsfCluster read_lsf_cluster(const SectionFile& file, const std::string& file_name, const LsfShared& shared,
                            const IndexTable& indices, HostNames& names, Problems& problems);
SectionSyntax lsf_cluster_syntax();

}  // namespace rollcall::conf
