// Configuration: all files as this mbatchd runs with them: lsf.*, lsb.*, and lsf.conf's part for the batch system. A row
// with an error is told and left out; a set with a fatal error leaves what is in force as it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/conf/file_snapshot.hpp"
#include "common/conf/told_lines.hpp"
#include "common/io/root_trust.hpp"
#include "sched/policy/cycle/placement_rules.hpp"
#include "sched/policy/values/book_config.hpp"

namespace rollcall::mbatchd {

struct Configuration {
  sched::ConfigView files;
  std::shared_ptr<const sched::cycle::PlacementRules> rules;
  std::string host;                                // our own, official: always BatchSettings::mbd_host
  std::string directory;                           // LSB_SHAREDIR/CLUSTER
  std::shared_ptr<const conf::FileSnapshot> kept;  // what it was read from, for its #if time()
  std::string
      instead_of;  // "": the files as they are; else which ones these are, and what is wrong with those

  const conf::LoadSettings& settings() const { return files.cluster->settings; }
};

struct LoadedConfiguration {
  std::shared_ptr<const Configuration> configuration;  // none: see `errors`
  std::vector<std::string> errors, warnings;           // one line each
  std::shared_ptr<const conf::FileSnapshot> kept;      // also of a set with errors
  bool elsewhere = false;                              // the error is that mbatchd is to run on another host
  std::string packed;                                  // the texts of a set without errors, as they were read
};

// `env_dir`: LSF_ENVDIR by option; none: as the environment says. An error as well where mbatchd is to run elsewhere.
LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir);
// What root has to be able to believe before it runs with them, at the start and whenever they are read anew.
std::vector<io::NamedPath> trusted_paths(const Configuration& configuration);
// load_configuration(), and an error as well where others could change what was read. Of root alone.
LoadedConfiguration load_trusted_configuration(const std::optional<std::string>& env_dir);
// The same texts as the hour has them now. `before`: what they were in force as.
LoadedConfiguration load_configuration_anew(const conf::FileSnapshot& kept, const Configuration& before);
// What LoadedConfiguration::packed said of an earlier set.
LoadedConfiguration load_packed_configuration(const std::string& packed, const std::string& instead_of);

}  // namespace rollcall::mbatchd
