// daemon_start: what main() of every daemon (lim, mbatchd, res) does before its own work, and when it restarts itself.
//
// Not a daemon's loop, and no daemonizing: daemons run in the foreground. Their starter (lsf_daemons, systemd) waits for one line
// on the descriptor ROLLCALL_READY_FD: "ready", or why not. A main() is
//   int main(int argc, char** argv) {
//     return io::daemon_main({"mbatchd", kUsage, "Rollcall " ROLLCALL_VERSION}, argc, argv, run);
//   }
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/daemon_end.hpp"
#include "common/io/log.hpp"

namespace rollcall::io {

// The starter that may wait for one line. The descriptor is close-on-exec, so children do not inherit it.
class Starter {
 public:
  Starter();  // takes ROLLCALL_READY_FD out of the environment
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;
  ~Starter();

  // The first line counts; later ones are dropped. A starter that is gone does no harm.
  void tell(const std::string& line);

 private:
  int fd_ = -1;
};

// The program as it was started: the environment of its children, and how it re-executes itself as a new version.
class DaemonProgram {
 public:
  // Raises the limit of open files to the hard one: a daemon has a connection for each host and client. Removes ROLLCALL_PID_FILE
  // and ROLLCALL_DAEMONS from the environment, since children must not see them.
  explicit DaemonProgram(char** argv);

  // An ordered end: empties the pid file that lsf_daemons gave us (ROLLCALL_PID_FILE), if it is ours, so that the daemon does not
  // look like one that died.
  void ends_as_told() const;

  // As they were at our start: for children.
  const rlimit& open_files() const { return open_files_; }
  const sigset_t& mask() const { return mask_; }
  const std::string& path() const { return path_; }
  // Set by lsf_daemons; "" where something else started this daemon, or ROLLCALL_RESTART_DAEMONS is N.
  const std::string& pid_file() const { return pid_file_; }
  const std::string& starter() const { return starter_; }

  // Executes the file now at our path, in this process. Returns, with a line in the log, where that fails or where root may not
  // execute it (root_trust.hpp): then the caller starts again from its beginning.
  void become_anew(const Log& log) const;

 private:
  char** argv_;
  std::string path_, pid_file_, starter_;
  rlimit open_files_{};
  sigset_t mask_{};
};

struct DaemonOptions {
  std::optional<std::string> env_dir;  // -d LSF_ENVDIR
  bool help = false, version = false;  // -h, -V
};
Result<DaemonOptions> parse_daemon_options(const std::vector<std::string>& words);

// Runs the daemon again and again until it is told to end. `load` reads the files: a set has `configuration`, and `warnings` and
// `errors`, which are logged. `run` is one run with that set, Result<DaemonEnd>. Gives the exit status; the starter gets the reason
// if there is no first run.
template <class Load, class Run>
int run_until_stopped(Log& log, const DaemonProgram& program, Starter& starter, const Load& load,
                      const Run& run) {
  const auto fail = [&starter](const std::string& line) { return starter.tell(line), 1; };
  for (;;) {
    const auto loaded = load();
    for (const auto& line : loaded.warnings) log.warning(line);
    for (const auto& line : loaded.errors) log.error(line);
    if (!loaded.configuration) return fail(loaded.errors.front());
    const Result<DaemonEnd> end = run(loaded);
    if (!end) {
      log.error(end.error().text);
      return fail(end.error().text);
    }
    if (*end == DaemonEnd::stopped) return 0;
    program.become_anew(log);
  }
}

// LSF_LOG_MASK of lsf.conf; an invalid level gets a warning and leaves the level as it is.
void set_log_level(Log& log, const std::string& word);

// Opens closed descriptors 0, 1 and 2 on /dev/null, so that no socket of ours becomes stderr.
void fill_standard_streams();

struct DaemonName {
  const char* program;  // "lim"
  const char* usage;    // for -h
  const char* product;  // for -V
};
using DaemonRun =
    std::function<int(const DaemonOptions& options, const DaemonProgram& program, Starter& starter)>;

// The main() of a daemon: its standard streams, its options, `run`, and one line on stderr and to the starter if options are
// wrong or a library throws (no memory left). Gives the exit status of `run`: 0 where it ended as ordered.
int daemon_main(const DaemonName& name, int argc, char** argv, const DaemonRun& run);

}  // namespace rollcall::io
