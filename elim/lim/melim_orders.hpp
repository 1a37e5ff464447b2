// What MELIM is told: functions from the files and the stepper's order to MelimOrders, and to the user it runs as.
#pragma once

#include "common/base/result.hpp"
#include "common/io/spawn.hpp"
#include "common/wire/load.pb.h"
#include "elim/lim/configuration.hpp"
#include "elim/policy/lim_words.hpp"

namespace rollcall::lim {

// Where elims and MELIM are: LSF_SERVERDIR, else beside this program.
std::string server_directory(const Configuration& configuration);

wire::MelimOrders melim_orders(const Configuration& configuration, const HostFacts& facts,
                               const effect::OrderMelim& order);

// The first administrator, where LIM runs as root and that is somebody else; none: MELIM runs as LIM does. The error:
// there is no such user here, and so no elim may run.
Result<std::optional<io::SpawnIdentity>> melim_identity(const conf::ClusterFiles& files);

}  // namespace rollcall::lim
