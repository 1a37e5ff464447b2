// daemon_start: what main() of every daemon (lim, mbatchd, res) does before its own work, and when it becomes anew.
//
// Not a daemon's loop, and not a way into the background: daemons run in the foreground, and who starts them (lsf_daemons,
// systemd) waits for the one line on the descriptor ROLLCALL_READY_FD: "ready", or why not. A main() is
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

// Who started us may wait for one line. The descriptor is close-on-exec: nothing that we start has it.
class Starter {
 public:
  Starter();  // takes ROLLCALL_READY_FD out of the environment
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;
  ~Starter();

  // The first line counts; what is told later goes nowhere. A starter that has gone harms nobody.
  void tell(const std::string& line);

 private:
  int fd_ = -1;
};

// The program as it was started: what its children are to have, and how it becomes the new version of itself.
class DaemonProgram {
 public:
  // Raises the limit of open files to the hard one: a daemon has a connection for each host and client. Takes
  // ROLLCALL_PID_FILE and ROLLCALL_DAEMONS out of the environment: children have nothing to do with them.
  explicit DaemonProgram(char** argv);

  // The end that was asked for: empties the pid file that lsf_daemons gave us (ROLLCALL_PID_FILE), where it is ours, so that
  // nobody takes this for a daemon that died.
  void ends_as_told() const;

  // As they were before we changed them: for children.
  const rlimit& open_files() const { return open_files_; }
  const sigset_t& mask() const { return mask_; }
  const std::string& path() const { return path_; }
  // From lsf_daemons; "" where something else started this daemon, or ROLLCALL_RESTART_DAEMONS is N.
  const std::string& pid_file() const { return pid_file_; }
  const std::string& starter() const { return starter_; }

  // Executes the file that lies at our path now, in this process. Comes back, with a line in the log, where that cannot be
  // done, or root may not execute it (root_trust.hpp): then the caller goes on from its beginning.
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

// One run of a daemon after the other, until it is told to end. `load` reads the files: a set has `configuration`, and
// `warnings` and `errors`, which the log gets; `run` is one run with that set, Result<DaemonEnd>. Gives the exit status; the
// starter is told why there is no first run.
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

// LSF_LOG_MASK as lsf.conf has it; a word that is no level gets a warning, and none leaves the level as it is.
void set_log_level(Log& log, const std::string& word);

// Descriptors 0, 1 and 2 that were closed lead to /dev/null, for us only: otherwise a socket of ours would be stderr.
void fill_standard_streams();

struct DaemonName {
  const char* program;  // "lim"
  const char* usage;    // for -h
  const char* product;  // for -V
};
using DaemonRun =
    std::function<int(const DaemonOptions& options, const DaemonProgram& program, Starter& starter)>;

// The main() of a daemon: its streams, its options, `run`, and one line on stderr and to the starter where options are wrong
// or a library throws (no memory left). Gives the exit status, that of `run`: 0 where it ended as it was told.
int daemon_main(const DaemonName& name, int argc, char** argv, const DaemonRun& run);

}  // namespace rollcall::io
