#include "res/shepherd/listen_anywhere.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/io/liveness.hpp"

namespace rollcall::res {

io::Descriptor listen_anywhere(std::uint16_t& port) {
  for (const int family : {AF_INET6, AF_INET}) {
    io::Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_storage place{};
    place.ss_family = static_cast<sa_family_t>(family);
    const int both = 0;
    if (family == AF_INET6) setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof both);
    socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&place), size) != 0 ||
        listen(socket.get(), SOMAXCONN) != 0 ||
        getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &size) != 0)
      continue;
    io::watch_liveness(socket.get());
    port = ntohs(family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(place).sin6_port
                                    : reinterpret_cast<sockaddr_in&>(place).sin_port);
    return socket;
  }
  return io::Descriptor();
}

}  // namespace rollcall::res
