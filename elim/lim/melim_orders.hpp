// melim_orders: MELIM's orders: functions from the files and the stepper's order to MelimOrders, and to the user it runs as.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/spawn.hpp"
#include "common/wire/load.pb.h"
#include "elim/lim/configuration.hpp"
#include "elim/policy/lim/lim_events_and_effects.hpp"

namespace rollcall::lim {

// The directory of the elims and MELIM: LSF_SERVERDIR, else this program's.
std::string server_directory(const Configuration& configuration);

// The user that MELIM and its elims run as.
struct ElimAccount {
  std::optional<io::SpawnIdentity> identity;  // none: as LIM does
  uid_t uid = 0;
  std::string name, home;  // "": the account is unknown here
};
// The first administrator, where LIM runs as root and that is another user; else LIM's own account. An error where that user does
// not exist here: then no elim may run.
Result<ElimAccount> elim_account(const conf::ClusterFiles& files);

wire::MelimOrders melim_orders(const Configuration& configuration, const HostFacts& facts,
                               const ElimAccount& account, const effect::OrderMelim& order);

// LSF_BINDIR, else the commands' folder beside this program.
std::string command_directory(const Configuration& configuration);

}  // namespace rollcall::lim
