// PeerHolders: who holds the other end of a TCP connection, as the kernel knows it, before that end has said a word.
//
// A user of this host (in this network namespace): the kernel is asked for the socket at the other end by its four numbers
// (netlink, sock_diag), some microseconds however many sockets there are. Where it has none there, the peer is another host: its
// address, of IPv6 the /64, since a host has as many addresses in there as it likes. A socket that is already closed has no user:
// its address counts, never root. Owns one netlink socket. The holder decides which limit applies and grants no right.
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
  Descriptor netlink_;  // none: this kernel has no sock_diag; then addresses are all we know
  unsigned asked_ = 0;
};

// Of a user that has been proved.
ConnectionHolder holder_of_user(unsigned uid);

}  // namespace rollcall::io
