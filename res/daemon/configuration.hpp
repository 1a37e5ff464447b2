// Configuration: the cluster's files that this RES runs with, and the host of them that it is on. A value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/io/root_trust.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

struct Configuration {
  conf::ClusterFiles files;
  conf::BatchSettings batch;
  std::string host;  // our own, official
  std::string host_type;
  wire::Enforcement enforcement;
  io::RootTrust trust;  // whose files root accepts here
};

struct LoadedConfiguration {
  std::shared_ptr<const Configuration> configuration;  // none: see `errors`
  std::vector<std::string> errors, warnings;           // one line each
};

// `env_dir`: LSF_ENVDIR by option; none: as the environment says.
LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir);

}  // namespace rollcall::res
