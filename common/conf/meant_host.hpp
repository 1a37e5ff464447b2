// meant_host: whether a request that reached this host was meant for it. A function.
//
// A client dials the address that its hosts file or name server gives, which may be another host's: two names of one address, a
// wrong line, an entry that is too old. What is meant for another host never runs here.
#pragma once

#include <optional>
#include <string>

#include "common/conf/host_names.hpp"

namespace rollcall::conf {

// Why a request for the host `meant` is refused on the host `own` (official); one line that names both. None: it is for this host.
// An empty name (clients of older releases), an address, and "localhost" mean whoever answers there.
std::optional<std::string> objection_to_host(const HostNames& names, const std::string& own,
                                             const std::string& meant);

}  // namespace rollcall::conf
