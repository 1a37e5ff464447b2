// Connections of another user that say nothing: what a daemon must bear. Needs root, who can be that user for a moment.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::test {

constexpr uid_t kNobody = 65534;

inline std::vector<io::Descriptor> silent_crowd(std::uint16_t port, int count) {
  std::vector<io::Descriptor> crowd;
  EXPECT_EQ(seteuid(kNobody), 0);
  for (int i = 0; i < count; ++i) {
    io::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    crowd.push_back(std::move(socket));
  }
  EXPECT_EQ(seteuid(0), 0);
  return crowd;
}

// How many of them the other end has closed.
inline int closed_of(const std::vector<io::Descriptor>& crowd) {
  int closed = 0;
  char byte = 0;
  for (const auto& socket : crowd)
    if (const ssize_t size = recv(socket.get(), &byte, 1, MSG_DONTWAIT);
        size == 0 || (size < 0 && errno != EAGAIN))
      ++closed;
  return closed;
}

}  // namespace rollcall::test
