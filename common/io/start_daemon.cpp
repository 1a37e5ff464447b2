#include "common/io/start_daemon.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "common/base/shell_quote.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/program_place.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::io {
namespace {

int run_program(const std::vector<std::string>& argv, bool quiet) {
  SpawnPlan plan;
  if (quiet) plan.standard_output = STDERR_FILENO;
  plan.argv = argv;
  sigemptyset(&plan.mask);
  const auto started = spawn(plan);
  if (const auto* error = std::get_if<SpawnError>(&started)) return exit_code_of(*error);
  int status = 0;
  while (waitpid(std::get<pid_t>(started), &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string start_daemon(const conf::ClusterFiles& files, const std::string& host, const std::string& daemon,
                         bool quiet) {
  const std::string program = program_directory() + "/lsf_daemons";
  const std::string setting = "LSF_ENVDIR=" + files.settings.env_dir;
  std::vector<std::string> argv{"env", setting, program, "start", daemon};
  const std::string here = host_name_here();
  if (host != files.names.official(here).value_or(here)) {
    // The shell there takes the words apart again.
    const std::string there =
        "env " + shell_quote(setting) + " " + shell_quote(program) + " start " + shell_quote(daemon);
    const std::string& agent = files.programs.commands.remote_shell;
    argv = {"/bin/sh", "-c",
            (agent.empty() ? "ssh" : agent) + " " + shell_quote(host) + " " + shell_quote(there)};
  }
  const int code = run_program(argv, quiet);
  return code == 0 ? "" : "failed: " + program + " ended with status " + std::to_string(code);
}

}  // namespace rollcall::io
