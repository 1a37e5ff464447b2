// HwlocOptions: the command line of elim.hwloc. ELIMARGS of lsf.cluster gives the same words to every elim, so ours begin with
// --hwloc- and others are ignored.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::load {

struct HwlocOptions {
  enum class Action { run, help, version };
  Action action = Action::run;
  int interval = 30;       // --hwloc-interval=SECONDS, from one string to the next
  std::string topology;    // --hwloc-topology=FILE: of lstopo, instead of the machine's; empty: the machine's
  std::string root = "/";  // --hwloc-root=DIRECTORY, where /proc and /sys are read
  int strings = 0;         // --hwloc-strings=N: to end after so many; 0: never
};

// Errors: one of our words with an invalid value.
Result<HwlocOptions> read_hwloc_options(const std::vector<std::string>& words);

}  // namespace rollcall::load
