// How long the launcher may live on after the last task has ended. A function of what the caller read.
//
//   --launcher-grace SECONDS                                      that
//   a launcher that the tables know, started directly (Method 1,  10 s: nothing follows its last task
//   -mpi): docs/decisions/0010
//   all others (wrappers, scripts with several steps, unknown)    LSF_HPC_PJL_LOADENV_TIMEOUT
#pragma once

#include <string>
#include <string_view>

#include "common/base/job_clock.hpp"
#include "pam/policy/options.hpp"
#include "pam/policy/pam_config.hpp"

namespace rollcall::pam {

inline constexpr Duration kDirectLauncherGrace = std::chrono::seconds(10);

struct LauncherGrace {
  Duration linger{0};     // zero: no limit
  std::string parameter;  // what to raise, for the message
};

// `resolved`: the launcher's real file name after symbolic links, "" where unknown.
LauncherGrace launcher_grace(const Options& options, const PamConfig& config, std::string_view resolved);

}  // namespace rollcall::pam
