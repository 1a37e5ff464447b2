#include "common/io/start_daemon.hpp"

#include <unistd.h>

#include <csignal>
#include <vector>

#include "common/base/exit_status.hpp"
#include "common/base/shell_quote.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/program_place.hpp"
#include "common/io/run_program.hpp"

namespace rollcall::io {
namespace {

int exit_code_from(const std::vector<std::string>& argv, bool quiet) {
  SpawnPlan plan;
  if (quiet) plan.standard_output = STDERR_FILENO;
  plan.argv = argv;
  sigemptyset(&plan.mask);
  const auto ran = run_program(plan);
  if (const auto* error = std::get_if<SpawnError>(&ran)) return exit_code_of(*error);
  return ExitStatus::from_wait(std::get<int>(ran)).shell_code();
}

}  // namespace

std::string start_daemon(const conf::ClusterFiles& files, const std::string& host, const std::string& daemon,
                         bool quiet) {
  const std::string program = program_directory() + "/lsf_daemons";
  const std::string setting = "LSF_ENVDIR=" + files.settings.env_dir;
  std::vector<std::string> argv{"env", setting, program, "start", daemon};
  const std::string here = host_name_here();
  if (host != files.names.official(here).value_or(here)) {
    // Quoted, since the remote shell splits the words again.
    const std::string there =
        "env " + shell_quote(setting) + " " + shell_quote(program) + " start " + shell_quote(daemon);
    const std::string& agent = files.programs.commands.remote_shell;
    argv = {"/bin/sh", "-c",
            (agent.empty() ? "ssh" : agent) + " " + shell_quote(host) + " " + shell_quote(there)};
  }
  const int code = exit_code_from(argv, quiet);
  return code == 0 ? "" : "failed: " + program + " ended with status " + std::to_string(code);
}

}  // namespace rollcall::io
