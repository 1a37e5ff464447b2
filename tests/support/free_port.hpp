// Ports for the servers of a test.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace rollcall::test {

// Socket that ends with this process, bound as `place` says; -1 where that is taken.
inline int bound_socket(const sockaddr* place, socklen_t size) {
  const int fd = socket(place->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, place, size) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

// A TCP port that no other test of this machine gets while this process lives, and that the kernel gives to no outgoing
// connection: a server may leave it and come back. The mark that holds it is that of site.py's free_port().
inline std::uint16_t free_port() {
  std::random_device random;
  std::uniform_int_distribution<int> any(10'000, 32'767);
  for (;;) {
    const int port = any(random);
    const std::string name = "rollcall-test-port-" + std::to_string(port);
    sockaddr_un mark{};  // its first byte stays 0: a name without a file
    mark.sun_family = AF_UNIX;
    name.copy(mark.sun_path + 1, sizeof mark.sun_path - 1);
    const auto mark_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int held = bound_socket(reinterpret_cast<const sockaddr*>(&mark), mark_size);
    if (held < 0) continue;
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    const int tried = bound_socket(reinterpret_cast<const sockaddr*>(&place), sizeof place);
    if (tried >= 0) {
      close(tried);
      return static_cast<std::uint16_t>(port);
    }
    close(held);
  }
}

}  // namespace rollcall::test
