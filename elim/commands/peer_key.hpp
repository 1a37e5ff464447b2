// lsf_daemons peerkey CLUSTER: makes the secret that this cluster shares with another one. lsf_daemons(8).
#pragma once

#include <string>

#include "elim/commands/daemon_work.hpp"

namespace rollcall::elim {

// Makes the key file of `cluster`, or its successor where there is a key. The text says which file, and what to do with it.
Result<std::string> make_peer_key(const DaemonWork& work, const std::string& cluster);

}  // namespace rollcall::elim
