// Keeper: the process between MELIM and one elim. It is the elim's parent and adopts everything that the elim forks, in any
// session, so that it can end all of it. It does so when MELIM asks, and when MELIM is gone.
//
// A fork of MELIM that never execs: it costs only its stack. MELIM and its keeper share a socketpair. The keeper reports how the
// elim began and ended, and closes it when all processes of the elim are gone. MELIM's shutdown of it, or MELIM's death, is the
// order to end. elim_end decides the steps.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/child.hpp"
#include "common/io/descriptor.hpp"
#include "elim/melim/descriptor_watch.hpp"

namespace rollcall::melim {

// A keeper's message to MELIM; one message of the socketpair.
struct KeeperWord {
  enum Kind : std::int32_t { started, not_started, ended } kind = started;
  std::int32_t value = 0;  // started: the elim's pid; not_started: errno; ended: the word of wait(2)
  std::int32_t stage = 0;  // not_started: SpawnStage
};

// MELIM's side of a keeper. Each watch is declared after its descriptor, so it is destroyed first.
struct Keeper {
  io::Descriptor control;
  io::Descriptor output;  // the elim's standard output and error; non-blocking
  io::Descriptor errors;
  DescriptorWatch control_watch, output_watch, errors_watch;
  io::Child process;
};

struct KeeperPlan {
  std::vector<std::string> argv;  // of the elim
  std::vector<std::string> environment;
  std::string directory;
  rlimit open_files;  // the elim's
};

// Starts a keeper, which starts the elim. `ended` reports how the keeper itself ended.
Result<Keeper> start_keeper(boost::asio::io_context& loop, const KeeperPlan& plan, io::Child::Ended ended);

}  // namespace rollcall::melim
