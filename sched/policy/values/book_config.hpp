// ConfigView: the files in force, as the rules of jobs see them. A value that shares them with who else reads them.
#pragma once

#include <memory>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"

namespace rollcall::sched {

// All three are there.
struct ConfigView {
  std::shared_ptr<const conf::ClusterFiles> cluster;
  std::shared_ptr<const conf::LsbFiles> lsb;
  std::shared_ptr<const conf::BatchSettings> batch;
};

}  // namespace rollcall::sched
