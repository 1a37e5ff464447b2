// Configuration: all files that this mbatchd runs with: lsf.*, lsb.*, and the part of lsf.conf for the batch system. A row with an
// error is reported and left out. A set with a fatal error is not used: the set in force stays.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/conf/file_snapshot.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/conf/told_lines.hpp"
#include "common/io/root_trust.hpp"
#include "sched/policy/cycle/placement_rules.hpp"
#include "sched/policy/values/book_config.hpp"

namespace rollcall::mbatchd {

struct Configuration {
  sched::ConfigView files;
  std::shared_ptr<const sched::cycle::PlacementRules> rules;
  conf::PeerSettings peers;
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
  // The texts of a set without fatal errors, as they were read, and the exports in force where some of them stay. "": no such set, or it is
  // one that was packed before.
  std::string packed;
  std::vector<std::string> kept_exports;  // exports of the set before that stay in force, one line each
};

// `env_dir`: LSF_ENVDIR by option; none: as the environment says. An error as well where mbatchd is to run elsewhere. `before`: the set in
// force, of which exports may stay (kept_exports.hpp); nullptr: none.
LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir,
                                       const Configuration* before = nullptr);
// What others must not be able to change, so that root may run with the files: checked at the start and whenever they are read.
Result<io::RootTrust> check_trust(const Configuration& configuration);
// load_configuration(), and an error as well where others could change what was read. Of root alone.
LoadedConfiguration load_trusted_configuration(const std::optional<std::string>& env_dir,
                                               const Configuration* before = nullptr);
// The same texts, with each #if time() as it holds now. `before`: the configuration made of them earlier.
LoadedConfiguration load_configuration_anew(const conf::FileSnapshot& kept, const Configuration& before);
// The files that LoadedConfiguration::packed of an earlier set holds.
LoadedConfiguration load_packed_configuration(const std::string& packed, const std::string& instead_of);

}  // namespace rollcall::mbatchd
