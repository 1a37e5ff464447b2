// ClusterFiles: everything the load system knows from files, checked together: lsf.conf, lsf.shared and lsf.cluster.NAME.
//
// A value. A row or value with an error is reported and left out; after a fatal error there is no set (problems.hpp). The caller
// hands in how files are read (ReadFile), so `lsadmin ckconfig`, LIM's reconfig and the tests use one function. The lsb.* files
// are apart (lsb_files.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/base/index_table.hpp"
#include "common/conf/host_names.hpp"
#include "common/conf/limit_unit.hpp"
#include "common/conf/lsf_cluster.hpp"
#include "common/conf/lsf_conf.hpp"
#include "common/conf/lsf_shared.hpp"
#include "common/conf/program_settings.hpp"

namespace rollcall::conf {

// lsf.conf as the load system's programs need it; every default is documented in lsf.conf(5).
struct LoadSettings {
  std::string env_dir;     // where the files are (LSF_ENVDIR of the environment, else /etc)
  std::string conf_dir;    // LSF_CONFDIR, else env_dir: lsf.shared, lsf.cluster.NAME
  std::string server_dir;  // LSF_SERVERDIR: elims, daemons; "" where not set: beside the command
  std::string log_dir;     // LSF_LOGDIR; "" where not set
  std::string log_mask;    // LSF_LOG_MASK, LOG_WARNING unless set
  std::string
      key_file;  // ROLLCALL_CLUSTER_KEY, else env_dir/cluster.key; its public half is that plus ".pub"
  std::string work_dir;  // ROLLCALL_RUNDIR, else LSF_LOGDIR, else "": pid files
  std::string
      cluster;  // ROLLCALL_CLUSTER or LSF_CLUSTER_NAME, else the first of lsf.shared whose lsf.cluster.NAME is there
  int lim_port = 7869;                    // LSF_LIM_PORT
  std::vector<std::string> master_list;   // LSF_MASTER_LIST, as written
  std::vector<std::string> server_hosts;  // LSF_SERVER_HOSTS, as written: the hosts that a client asks first
  bool strict_resreq = false;             // LSF_STRICT_RESREQ
  LimitUnit limit_unit;                   // LSF_UNIT_FOR_LIMITS, LSF_ENABLE_TMP_UNIT
  bool check_addresses = true;  // ROLLCALL_CHECK_ADDRESSES: compare a daemon's address with its host name
  std::string http;             // ROLLCALL_HTTP: "PORT" or "ADDRESS:PORT"; "" : off
};

struct ClusterFiles {
  LsfConf lsf_conf;  // as written, for common/conf alone; other rooms use the typed views
  LoadSettings settings;
  ProgramSettings programs;
  LsfShared shared;
  LsfCluster cluster;
  HostNames names;
  IndexTable indices;                   // built-in resources, then those of lsf.shared
  std::vector<std::string> candidates;  // master candidates by official name, in order
  Row parameter_cells;  // of section Parameters, as written, with the place of each (showconf -v)

  // The static facts of a host (official name) in the files: type, model, cpu factor (1 where detected), static resources.
  HostFacts facts(const std::string& host) const;
  HostFacts facts(const ClusterHost& row) const;  // the same of a row of cluster.hosts
  // The cpu factor of a model, also after detection; 1 where lsf.shared does not have it.
  double cpu_factor(std::string_view model) const;
};

struct FileSources {
  ReadFile read;                 // errors are one line: the file and why
  TimeIn time;                   // for #if time(); none: an error where it is used
  std::string env_dir = "/etc";  // LSF_ENVDIR of the environment
  TimeDecided decided = {};      // of every #if time()
};

// `files` is set unless `problems` has a fatal error.
struct CheckedClusterFiles {
  std::optional<ClusterFiles> files;
  std::optional<ClusterFiles>
      rest;  // where there are no `files`: what could be read, to check the lsb.* files all the same
  Problems problems;
  std::vector<std::string> read;  // the files that were found, in the order of reading
};
CheckedClusterFiles read_cluster_files(const FileSources& sources);

// Made from the text of env_dir/lsf.conf alone, for programs that must work while other files cannot be read. It has no hosts;
// the candidates are the names in LSF_MASTER_LIST as written.
ClusterFiles lsf_conf_alone(std::string_view text, const std::string& env_dir, Problems& problems);

// Made from lsf.conf and LSF_ENVDIR/hosts alone: enough for a client to ask a daemon while other files cannot be read. The
// candidates are those of LSF_MASTER_LIST; official names are those of LSF_ENVDIR/hosts. None where lsf.conf has a fatal error.
std::optional<ClusterFiles> read_files_to_ask(const FileSources& sources);

// lsf.conf alone, for programs that need ports and directories before the rest can be read.
Result<LoadSettings> read_load_settings(const LsfConf& lsf_conf, const std::string& env_dir);
// The same; `problems` gets every error and warning.
LoadSettings read_load_settings(const LsfConf& lsf_conf, const std::string& env_dir, Problems& problems);
// The lsf.conf parameters that the load system and BatchSettings read, to find the one meant by a mistyped name.
const std::vector<std::string_view>& load_setting_names();

}  // namespace rollcall::conf
