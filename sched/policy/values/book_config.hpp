// ConfigView: the configuration files in force, as the rules of jobs see them, and the hosts that leases add to those of the files. A
// value that shares them with other readers.
#pragma once

#include <memory>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"
#include "sched/policy/values/host_on_lease.hpp"

namespace rollcall::sched {

// No pointer but `borrowed` is null.
struct ConfigView {
  std::shared_ptr<const conf::ClusterFiles> cluster;
  std::shared_ptr<const conf::LsbFiles> lsb;
  std::shared_ptr<const conf::BatchSettings> batch;
  std::shared_ptr<const BorrowedNames> borrowed;  // of no file: hosts of other clusters on lease; null: none
};

}  // namespace rollcall::sched
