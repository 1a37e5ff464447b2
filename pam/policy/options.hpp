// Options: what the words after `pam` ask for. A value and the function that reads it.
//
// Not here: what the launcher's own words mean (launcher_table), and what becomes of them (command_rewrite).
// The grammar is at the top of options.cpp. After -g, -mpi or the first word of a bare job no word is ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"

namespace rollcall::pam {

struct Options {
  enum class Mode {
    method1,  // -g N pjl ...: the first N words of `command` are the launcher's
    method2,  // -g wrapper ...: the wrapper places TaskStarter itself
    mpi,      // -mpi mpirun ...: the job word is found by the launcher's table
    bare,     // job ...: started by the site's default launcher
  };
  Mode mode = Mode::bare;

  bool help = false;      // -h; nothing else is filled in then
  bool version = false;   // -V; likewise
  bool verbose = false;   // -v
  bool no_table = false;  // -t
  bool dry_run = false;
  bool full_table = false;
  bool fold = false;
  bool usage = false;
  std::optional<int> tasks;                // -n, 1 to kMaxTasks
  std::optional<std::string> report_file;  // --report
  std::optional<std::string> plot_file;    // --plot
  std::optional<Duration> timeout_first;   // --timeout-first; zero is off
  std::optional<Duration> launcher_grace;  // --launcher-grace

  std::size_t launcher_words = 0;    // method1's N: 1 to command.size() - 1
  std::vector<std::string> command;  // everything after -g N, -g or -mpi, or the bare job; never empty
};

// `words` are those after the program's name. Errors are usage errors, one line each.
Result<Options> parse_options(const std::vector<std::string>& words);

// What pam -h prints, with a newline at the end.
std::string usage_text();

}  // namespace rollcall::pam
