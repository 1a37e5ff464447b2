// ConfigView: the configuration files in force, as the rules of jobs see them. A value that shares them with other readers.
#pragma once

#include <memory>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"

namespace rollcall::sched {

// No pointer is null.
struct ConfigView {
  std::shared_ptr<const conf::ClusterFiles> cluster;
  std::shared_ptr<const conf::LsbFiles> lsb;
  std::shared_ptr<const conf::BatchSettings> batch;
};

}  // namespace rollcall::sched
