// BatchSettings: lsf.conf as the batch system's programs need it: mbatchd, RES, the b* commands. A value.
//
// On top of LoadSettings (cluster_files.hpp). Every default is documented in lsf.conf(5); parameters that only one program reads
// (LSB_SIGSTOP, LSB_MAILPROG, ...) are in ProgramSettings (program_settings.hpp).
#pragma once

#include <optional>
#include <string>

#include "common/base/job_clock.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

struct BatchSettings {
  int mbd_port = 6881;    // LSB_MBD_PORT
  int res_port = 6878;    // LSF_RES_PORT
  std::string mbd_host;   // ROLLCALL_MBD_HOST, else the first master candidate; official
  std::string share_dir;  // LSB_SHAREDIR, else LSF_ENVDIR/work: the store and the event logs are below it
  std::string
      job_dir;  // ROLLCALL_JOBDIR, else /var/spool/rollcall: on a disk of each host, a folder HOST in it
  std::string bin_dir;                                // LSF_BINDIR; "" where not set: beside the program
  std::string lib_dir;                                // LSF_LIBDIR
  Duration alive_timeout = std::chrono::seconds(60);  // LSF_RES_ALIVE_TIMEOUT; zero: no limit
  std::optional<Duration> heartbeat, usage_interval;  // LSB_DJOB_HB_INTERVAL, LSB_DJOB_RU_INTERVAL
};

// The cluster's own directory below LSB_SHAREDIR, and its log directory.
inline std::string batch_directory(const BatchSettings& batch, const LoadSettings& load) {
  return batch.share_dir + "/" + load.cluster;
}
inline std::string log_directory(const BatchSettings& batch, const LoadSettings& load) {
  return batch_directory(batch, load) + "/logdir";
}

// The file that RES locks while it runs and LIM of the same host looks at (common/io/running_mark.hpp).
inline constexpr const char* kResMark = "running";
inline std::string res_mark(const BatchSettings& batch, const std::string& host) {
  return batch.job_dir + "/" + host + "/" + kResMark;
}

// ROLLCALL_MBD_HOST as written; "": the first master candidate.
std::string named_mbd_host(const ClusterFiles& files);

// Errors: an invalid port, a relative directory. With `problems` all of them are reported and defaults are used; without, the first
// is returned.
BatchSettings read_batch_settings(const ClusterFiles& files, Problems& problems);
Result<BatchSettings> read_batch_settings(const ClusterFiles& files);

}  // namespace rollcall::conf
