// A peer whose host vanishes: the connection stays open and nobody reads it.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace rollcall::io::test {

// The kernel drops what comes for this socket, unread and without a reset: for the peer its host is gone. What was sent must be
// acknowledged before: the kernel would repeat it, and the peer hear that its host lives.
inline void cut_silently(int socket) {
  int unacknowledged = 1;
  while (unacknowledged > 0) ASSERT_EQ(ioctl(socket, SIOCOUTQ, &unacknowledged), 0);
  sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog program{1, &drop};
  ASSERT_EQ(setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
}

}  // namespace rollcall::io::test
