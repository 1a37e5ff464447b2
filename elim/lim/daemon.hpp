// Daemon: one LIM running: carries out what its stepper (elim/policy/lim/lim.hpp) decides.
//
// Owns the loop, the signals, the links, MELIM and the readers of the host. It makes no decisions: events go to step(), and it
// carries out every effect. Only its user ends it: no peer, child, file or disk does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/daemon_end.hpp"
#include "common/io/log.hpp"
#include "common/io/spawn.hpp"
#include "elim/lim/configuration.hpp"

namespace rollcall::lim {

struct DaemonSetup {
  std::optional<std::string> env_dir;  // LSF_ENVDIR by option
  std::shared_ptr<const Configuration> configuration;
  rlimit open_files{};  // as LIM was started: for its children
  sigset_t mask{};
};

// Runs until it is told to stop; `ready` is called once, when clients are answered. The error is why it could not start: the key,
// the port.
Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, io::Log& log, const std::function<void()>& ready);

}  // namespace rollcall::lim
