// relay_directory: asks the relay of a job on hosts of several clusters (its shepherd) where the job's directory on this host is. Blocking.
//
// The environment has the relay's name, the same on all hosts, since launchers carry environments; each host has another directory.
#pragma once

#include <string>

#include "common/base/result.hpp"

namespace rollcall::io {

// The abstract name on this host of the relay whose ROLLCALL_RELAY is `relay`. That of a job on hosts of several clusters is another one on
// each host, and can be worked out by those alone who have ROLLCALL_RELAY: who sees it on one host cannot take it on another.
std::string relay_socket(const std::string& relay);

// "": no relay of our user answers within five seconds. `relay`: the value of ROLLCALL_RELAY (wire::is_span_relay).
std::string relay_directory(const std::string& relay);
// The file of the job's key in it. The error is for the user.
Result<std::string> span_key_file(const std::string& relay);

}  // namespace rollcall::io
