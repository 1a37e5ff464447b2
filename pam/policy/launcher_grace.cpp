#include "pam/policy/launcher_grace.hpp"

#include "pam/policy/launcher_table.hpp"

namespace rollcall::pam {

LauncherGrace launcher_grace(const Options& options, const PamConfig& config, std::string_view resolved) {
  constexpr const char* kOption = "--launcher-grace";
  if (options.launcher_grace) return {*options.launcher_grace, kOption};
  const bool direct = options.mode == Options::Mode::method1 || options.mode == Options::Mode::mpi;
  if (direct && known_launcher(options.command[0], resolved)) return {kDirectLauncherGrace, kOption};
  return {config.registration_timeout, "LSF_HPC_PJL_LOADENV_TIMEOUT"};
}

}  // namespace rollcall::pam
