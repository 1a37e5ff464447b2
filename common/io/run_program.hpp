// run_program: starts a program by spawn() and blocks until it has ended.
//
// For the short-lived helpers of commands, of the shepherd and of side threads (esub, getent, lsf_daemons). Not for a program
// with an event loop, which owns its children as io::Child.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>

#include "common/io/spawn.hpp"

namespace rollcall::io {

// Blocks until this child has ended; its status as wait(2) gives it. kChildStatusUnknown (child.hpp) where it is not our child,
// or where another part of the program has waited for it.
int wait_for_end(pid_t child);

// The status as wait(2) gives it.
std::variant<int, SpawnError> run_program(const SpawnPlan& plan);

struct Collected {
  std::string output;
  int wait_status;
};

// A program beyond them is killed.
struct CollectLimits {
  std::chrono::milliseconds silence;  // from one byte to the next, and from the last to the end of the output
  std::size_t bytes;
};

// Collects what the program writes to its standard output.
std::variant<Collected, SpawnError> run_and_collect(SpawnPlan plan, const CollectLimits& limits);

}  // namespace rollcall::io
