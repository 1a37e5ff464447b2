// meant_host: checks that a request which reached this host was meant for it. A function.
//
// A client dials the address that its hosts file or name server gives. That may be another host's: a duplicate address, a wrong
// line, an outdated entry. A request meant for another host must never run here.
#pragma once

#include <optional>
#include <string>

#include "common/conf/host_names.hpp"

namespace rollcall::conf {

// Why the host `own` (official) refuses a request for the host `meant`: one line that names both. None: the request is for this
// host. An empty name (clients of older releases), an address and "localhost" match every host.
std::optional<std::string> objection_to_host(const HostNames& names, const std::string& own,
                                             const std::string& meant);

}  // namespace rollcall::conf
