// PamConfig: what lsf.conf and the environment say to pam, typed and checked. A value and the function that
// makes it.
//
// The environment wins over lsf.conf for every parameter here ("the user's environment can override", Using
// Platform LSF HPC 7.3). A parameter set to nothing counts as not set. Reading the file and the environment
// is the caller's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/conf/lsf_conf.hpp"

namespace rollcall::pam {

using Environment = std::map<std::string, std::string, std::less<>>;

// The pairs of an envp as execve takes it; the first of equal names counts, as for getenv. nullptr is an
// empty one.
Environment environment_of(const char* const* envp);

struct PamConfig {
  // LSF_HPC_PJL_LOADENV_TIMEOUT: all tasks must have registered within it, and the launcher must end within
  // it after the last task. Zero: off.
  Duration registration_timeout = std::chrono::seconds(300);
  std::optional<Duration> clean_job_delay;                 // LSF_PAM_CLEAN_JOB_DELAY
  bool unique_hosts = false;                               // LSF_PAM_HOSTLIST_USE=unique
  Duration terminate_interval = std::chrono::seconds(10);  // JOB_TERMINATE_INTERVAL: from TERM to KILL
  Duration link_patience =
      std::chrono::seconds(60);  // LSF_RES_ALIVE_TIMEOUT: for a host that is cut off; zero: no limit
  std::string key_file;          // ROLLCALL_KEY_FILE, "" = the default place
  std::string server_dir;        // LSF_SERVERDIR
  std::string site_key_file;  // ROLLCALL_KEY_FILE of lsf.conf alone: every TaskStarter finds that by itself
  bool one_word_callback = false;  // ROLLCALL_ONE_WORD_CALLBACK
  bool host_relay = true;          // ROLLCALL_HOST_RELAY
};

// Configuration errors "FILE:LINE: NAME: found X, expected Y", or "environment: NAME: ..."; several ones in one line.
Result<PamConfig> pam_config(const conf::LsfConf& conf, const Environment& environment);

}  // namespace rollcall::pam
