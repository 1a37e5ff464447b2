// host_lookup: the addresses of a host, by its name or as they are written.
//
// There are two of them, and which one a program has its linking says: most ask the C library (host_lookup.cpp); a static
// program, whose C library cannot load the modules of name services, reads /etc/hosts and asks getent
// (static_host_lookup.cpp; cmake/QuickStart.cmake).
#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::io {

struct HostAddress {
  sockaddr_storage place{};
  socklen_t size = 0;
};

// At least one, in the order to try. The error says why there is none, and not of whom.
Result<std::vector<HostAddress>> look_up(const std::string& host, int port);

}  // namespace rollcall::io
