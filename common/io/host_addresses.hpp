// host_addresses: the names and addresses by which other hosts may reach this one.
#pragma once

#include <string>

namespace rollcall::io {

// As gethostname says it; "localhost" where the kernel has none.
std::string host_name_here();

// The host's own name, then its addresses except those that only this host can reach, separated by commas: "n1,10.77.0.1". At
// most eight addresses, IPv4 before IPv6. Addresses are needed since a name may resolve to 127.0.1.1 on its own host; without any
// network 127.0.0.1 is the address.
std::string reachable_as();

}  // namespace rollcall::io
