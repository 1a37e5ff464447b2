// Configuration: the cluster's files as this LIM uses them, and which host of theirs it is on. A row with an error is reported
// and left out; a set with a fatal error is not used, and LIM goes on with its present one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/conf/file_snapshot.hpp"
#include "common/conf/told_lines.hpp"

namespace rollcall::lim {

struct Configuration {
  conf::ClusterFiles files;
  std::string host;  // our own, official
  std::string
      digest;  // of lsf.shared, lsf.cluster.NAME and what they include: the same on all hosts, else a warning
  std::shared_ptr<const conf::FileSnapshot> kept;  // what it was read from, for its #if time()
};

struct LoadedConfiguration {
  std::shared_ptr<const Configuration> configuration;  // none: see `errors`
  std::vector<std::string> errors, warnings;           // one line each
  std::shared_ptr<const conf::FileSnapshot> kept;      // also of a set with errors
};

// `env_dir`: LSF_ENVDIR by option; none: as the environment says.
LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir);
// Decides the conditions of the same texts at the present hour.
LoadedConfiguration load_configuration_anew(const conf::FileSnapshot& kept);

// Parameters that a LIM running with `before` does not take over from `after` without a restart.
std::vector<std::string> what_needs_a_restart(const Configuration& before, const Configuration& after);

// The first lines, and how many more there are: a file of another kind has an error in each line.
std::vector<std::string> first_of(const std::vector<std::string>& lines);
std::string joined(const std::vector<std::string>& lines);  // by newlines

}  // namespace rollcall::lim
