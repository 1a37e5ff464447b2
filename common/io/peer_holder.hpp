// PeerHolders: finds out who holds the other end of a TCP connection, before that end has sent a byte.
//
// A user of this host (in this network namespace): the kernel is asked for the peer's socket by addresses and ports (netlink,
// sock_diag), some microseconds however many sockets there are. If there is none, the peer is another host, known by its address;
// for IPv6 by its /64, since a host may have any address in it. A socket that is already closed has no user: its address counts,
// never root. Owns one netlink socket. The holder decides which limit applies and grants no right.
#pragma once

#include <string>

#include "common/base/connection_shares.hpp"
#include "common/io/descriptor.hpp"

namespace rollcall::io {

class PeerHolders {
 public:
  PeerHolders();
  // Never waits. `socket`: a connected or accepted TCP socket.
  ConnectionHolder of(int socket);

 private:
  Descriptor netlink_;  // none: this kernel has no sock_diag; then addresses must do
  unsigned asked_ = 0;
};

// The holder of a user that has been proved.
ConnectionHolder holder_of_user(unsigned uid);

}  // namespace rollcall::io
