// Daemon: one mbatchd running: the loop in which the Book hears what happens, the store keeps it, and hosts and clients are
// told.
//
// Owns the loop, the signals, the connections, the store and the Book; decides nothing about jobs. A turn: everything that has
// come goes into the Book; the plan is made where something has changed; ONE commit; then orders, answers and lines of
// lsb.events leave (docs/decisions/0025). Nothing on the way from a submission to its start waits for a clock.
//
//   the store      | what a turn does
//   ---------------+-----------------------------------------------------------------------------------------------------
//   keeps          | commits, then everything leaves
//   fails          | new submissions are refused; what else has changed waits, and so does everything that would tell of it;
//                  | no job is dispatched; questions are answered; a commit is tried with each turn and each second
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/daemon_end.hpp"
#include "common/io/job_store.hpp"
#include "common/io/log.hpp"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/engine.hpp"

namespace rollcall::mbatchd {

struct DaemonSetup {
  std::optional<std::string> env_dir;  // LSF_ENVDIR by option
  std::shared_ptr<const Configuration> configuration;
  std::string packed;  // LoadedConfiguration::packed, to be kept beside the store; "": nothing new
  // Whose daemons are known beside those of our own cluster; only tests have some.
  std::vector<io::PeerKey> peers{};
};

// What mbatchd runs jobs with, and where it keeps them: whoever starts it chooses, and nothing else of mbatchd knows which.
struct DaemonParts {
  EngineMaker engine;
  io::StoreOpener store;
};

// Runs until it is told to stop; `ready` is called once, when clients are answered. The error is what kept it from starting at
// all: the key, the port, the store.
Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, const DaemonParts& parts, io::Log& log,
                                 const std::function<void()>& ready);

}  // namespace rollcall::mbatchd
