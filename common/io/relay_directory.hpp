// relay_directory: asks the relay of a job on hosts of several clusters (its shepherd) where the job's directory on this host is. Blocking.
//
// The environment has the relay's name, the same on all hosts, since launchers carry environments; each host has another directory.
#pragma once

#include <string>

namespace rollcall::io {

// "": no relay of our user answers within five seconds. `relay`: the value of ROLLCALL_RELAY (wire::is_span_relay).
std::string relay_directory(const std::string& relay);

}  // namespace rollcall::io
