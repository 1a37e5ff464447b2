// Settings: everything pam has read of its surroundings before it starts anything.
//
// The one place that reads the environment, lsf.conf and where programs are; the answers are policy's. Nothing is
// started or written here.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "pam/policy/command_rewrite.hpp"
#include "pam/policy/expected_tasks.hpp"
#include "pam/policy/options.hpp"
#include "pam/policy/pam_config.hpp"
#include "pam/policy/roll.hpp"

namespace rollcall::pam {

struct Settings {
  Options options;
  PamConfig config;
  Expected expected;
  RollRules rules;
  Callback callback;        // without a port yet
  bool host_relay = false;  // TaskStarters start a relay on each host
  LauncherFacts facts;
  std::string key_file;
  bool span = false;  // the job has hosts of several clusters, and a key of its own
};

// Errors: usage and configuration ones, as their texts say.
Result<Settings> read_settings(const Options& options);

}  // namespace rollcall::pam
