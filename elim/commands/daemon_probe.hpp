// daemon_probe: who listens on a port of this host: a daemon of our cluster, a stranger, nobody.
//
// One call to 127.0.0.1 and one handshake; nothing is asked.
#pragma once

#include <optional>

#include "common/io/cluster_key.hpp"
#include "elim/commands/daemon_process.hpp"

namespace rollcall::elim {

// Without a key `unasked` is said of whatever listens.
show::DaemonSight::Port probe_port(int port, const std::optional<io::ClusterPublicKey>& key,
                                   Patience patience);

}  // namespace rollcall::elim
