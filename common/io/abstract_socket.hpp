// AbstractSocket: Unix sockets by a name that is no file. Functions of descriptors.
//
// The name belongs to whoever took it first, of any user, and goes with its last descriptor. So each end asks the kernel
// which user the other is.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

struct AbstractAddress {
  sockaddr_storage address{};
  socklen_t size = 0;
};
// None: the kernel does not accept the name.
std::optional<AbstractAddress> abstract_address(const std::string& name);

// Listens, without blocking. None: the name is taken, or is none; errno says which.
Descriptor listen_abstract(const std::string& name);

// The other end is a process of our effective user. Never so for the user 65534, nobody.
bool peer_is_our_user(const Descriptor& socket);

}  // namespace rollcall::io
