// ElimOrders: LIM's orders to MELIM, and the environment of an elim made from them. A value, and functions of it.
#pragma once

#include <string>
#include <vector>

#include "elim/policy/melim/elim_life.hpp"
#include "elim/policy/melim/elim_names.hpp"

namespace rollcall::melim {

struct ElimOrders {
  std::string host;        // official name
  std::string server_dir;  // where the elims are
  std::string log_file;    // of MELIM; empty: the one in log_dir
  std::string log_dir;     // where the elims may write; empty: LSF_LOGDIR is what `environment` says
  bool master = false;
  std::vector<std::string> resources;    // LSF_RESOURCES; none: no elim runs
  std::vector<std::string> arguments;    // ELIMARGS
  std::vector<std::string> environment;  // NAME=VALUE: LSF_ENVDIR, LSF_SERVERDIR, ...
  Duration poll_interval = std::chrono::seconds(5);
  ElimRules rules;
  bool debug = false;  // LSF_ELIM_DEBUG
};

// True where an elim that was started with `before` need not be restarted.
bool same_start(const ElimOrders& before, const ElimOrders& now);

// The environment of an elim: `inherited`, over it that of the orders, over it LSF_MASTER (Y or N), LSF_RESOURCES,
// ELIM_ABORT_VALUE, LSF_LOGDIR, and LSF_ELIM_DEBUG=y where it is on and neither has a value for it. PATH begins with
// LSF_BINDIR and LSF_SERVERDIR. Each name once.
std::vector<std::string> elim_environment(const std::vector<std::string>& inherited,
                                          const ElimOrders& orders);

}  // namespace rollcall::melim
