// LsbFiles: everything the batch system knows from files, checked together: lsb.params, lsb.queues, lsb.hosts, lsb.users,
// lsb.applications, lsb.resources, and lsf.task. A value. A row or value with an error is reported and left out; after a fatal
// error there is no set.
//
// It is read on top of a set of the load system (cluster_files.hpp), whose hosts and resources it names. The files are in
// LSB_CONFDIR/CLUSTER/configdir (LSB_CONFDIR: LSF_CONFDIR/lsbatch), lsf.task in LSF_CONFDIR. lsb.params and lsb.queues
// must be there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_applications.hpp"
#include "common/conf/lsb/lsb_hosts.hpp"
#include "common/conf/lsb/lsb_params.hpp"
#include "common/conf/lsb/lsb_queues.hpp"
#include "common/conf/lsb/lsb_resources.hpp"
#include "common/conf/lsb/lsb_users.hpp"
#include "common/conf/lsb/lsf_task.hpp"

namespace rollcall::conf {

struct LsbFiles {
  LsbParams params;
  std::vector<QueueRow> queues;
  LsbHosts hosts;
  LsbUsers users;
  std::vector<ApplicationProfile> applications;
  LsbResources resources;
  LsfTask tasks;

  const QueueRow* queue(std::string_view name) const;
  const ApplicationProfile* application(std::string_view name) const;  // "": none
};

// `files` is set unless `problems` has a fatal error.
struct CheckedLsbFiles {
  std::optional<LsbFiles> files;
  Problems problems;
  std::vector<std::string> read;  // the files that were found
};
CheckedLsbFiles read_lsb_files(const FileSources& sources, const ClusterFiles& cluster);

// The directory of the lsb.* files, without a trailing "/".
std::string lsb_directory(const ClusterFiles& cluster);

}  // namespace rollcall::conf
