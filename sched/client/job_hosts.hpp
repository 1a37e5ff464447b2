// job_hosts: requests that commands make to a job's host directly, not by way of mbatchd. Only res_job_hosts.cpp knows that RES
// runs the jobs there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::client {

// One line that names the host. `refused`: the host refused; else it could not be reached.
struct HostTrouble {
  bool refused = false;
  std::string text;
};

// What a running job has written.
struct OutputPart {
  bool errors = false;    // of its error file
  std::int64_t from = 0;  // bytes before it are known
  bool follow = false;    // until the job is over, without a limit of time
};
// The bytes as they come; `take` false: enough.
std::optional<HostTrouble> read_output(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
                                       const wire::JobRecord& job, const OutputPart& part,
                                       const std::function<bool(const std::string&)>& take);

// Ends or restarts the daemon that runs jobs on that host; its jobs go on.
enum class DaemonOrder { stop, restart };
std::optional<HostTrouble> order_daemon(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
                                        const std::string& host, DaemonOrder order);

// Has the host end and forget the jobs of an mbatchd that is lost for good. Not `sure`: the host only reports what would be lost.
// Gives the host's report.
struct Forgetting {
  std::string said;
  std::optional<HostTrouble> trouble;
};
Forgetting forget_jobs(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
                       const std::string& host, bool sure);

}  // namespace rollcall::client
