// host_addresses: under what names and addresses other hosts may reach this one.
#pragma once

#include <string>

namespace rollcall::io {

// As gethostname says it; "localhost" where the kernel has none.
std::string host_name_here();

// The host's own name, then its addresses but those that only this host reaches, comma between them: "n1,10.77.0.1".
// At most eight addresses, IPv4 before IPv6. A name may resolve to 127.0.1.1 at home, so the addresses are needed; with
// no network at all 127.0.0.1 is the address.
std::string reachable_as();

}  // namespace rollcall::io
