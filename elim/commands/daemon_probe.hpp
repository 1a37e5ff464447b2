// daemon_probe: finds out who listens on a port of this host: a daemon of our cluster, a stranger, or no process.
//
// One connection to 127.0.0.1 and one handshake, without a request.
#pragma once

#include <optional>

#include "common/io/cluster_key.hpp"
#include "elim/commands/daemon_process.hpp"

namespace rollcall::elim {

// Without a key the result for any listener is `unasked`.
show::DaemonSight::Port probe_port(int port, const std::optional<io::ClusterPublicKey>& key,
                                   Patience patience);

}  // namespace rollcall::elim
