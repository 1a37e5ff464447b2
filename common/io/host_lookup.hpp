// host_lookup: the addresses of a host, by name or numeric.
//
// There are two implementations, selected by linking: most programs ask the C library (host_lookup.cpp). A static program cannot
// load the modules of name services; it reads /etc/hosts and asks getent (static_host_lookup.cpp; cmake/QuickStart.cmake).
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

// At least one address, in the order to try. The error has the reason without the host's name.
Result<std::vector<HostAddress>> look_up(const std::string& host, int port);

}  // namespace rollcall::io
