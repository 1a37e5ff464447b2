// Daemon: one running RES: its connection to mbatchd, its clients, its jobs.
//
// Owns the loop, the signals and the links. Only its user ends it: no fault of mbatchd, a client, a child or a disk does. When it
// ends its jobs go on, and the next RES finds them.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/daemon_end.hpp"
#include "common/io/log.hpp"
#include "res/daemon/configuration.hpp"

namespace rollcall::res {

struct DaemonSetup {
  std::optional<std::string> env_dir;  // LSF_ENVDIR by option
  std::shared_ptr<const Configuration> configuration;
  rlimit open_files{};  // as RES was started: for its children
  sigset_t mask{};
};

// Runs until it is told to stop; calls `ready` once, when it answers clients. The error says why it could not start: the key, the
// port, its directory.
Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, io::Log& log, const std::function<void()>& ready);

}  // namespace rollcall::res
