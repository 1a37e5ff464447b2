// Daemon: one running mbatchd: the loop in which events reach the Book, the store saves the changes, and hosts and clients get
// orders and answers.
//
// Owns the loop, the signals, the connections, the store and the Book; decides nothing about jobs. A turn: everything that has
// arrived goes into the Book; a scheduling cycle runs if the plan may change; ONE commit; then orders, answers and lines of
// lsb.events leave (docs/decisions/0025). Nothing between a submission and its start waits for a clock.
//
//   the store      | what a turn does
//   ---------------+-----------------------------------------------------------------------------------------------------
//   works          | commits, then everything leaves
//   fails          | new submissions are refused; other changes wait, with the orders and answers that follow from them;
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
};

// The engine and the store of this mbatchd: main() chooses them, and no other part knows which they are.
struct DaemonParts {
  EngineMaker engine;
  io::StoreOpener store;
};

// Runs until it is told to stop; calls `ready` once, when it answers clients. The error says why it could not start: the key, the
// port, the store.
Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, const DaemonParts& parts, io::Log& log,
                                 const std::function<void()>& ready);

}  // namespace rollcall::mbatchd
