#include "common/io/abstract_socket.hpp"

#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace rollcall::io {
namespace {

constexpr int kBacklog = 4096;

}  // namespace

std::optional<AbstractAddress> abstract_address(const std::string& name) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (name.empty() || name.size() + 1 > sizeof place.sun_path) return std::nullopt;
  std::memcpy(place.sun_path + 1, name.data(), name.size());
  AbstractAddress result;
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  std::memcpy(&result.address, &place, result.size);
  return result;
}

Descriptor listen_abstract(const std::string& name) {
  const auto place = abstract_address(name);
  if (!place) {
    errno = EINVAL;
    return Descriptor();
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || bind(socket.get(), reinterpret_cast<const sockaddr*>(&place->address), place->size) != 0 ||
      listen(socket.get(), kBacklog) != 0)
    return Descriptor();
  return socket;
}

bool peer_is_our_user(const Descriptor& socket) {
  // As which the kernel shows all whom a user namespace does not know: it may be anybody.
  constexpr uid_t kUnknownUser = 65534;
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid() &&
         peer.uid != kUnknownUser;
}

}  // namespace rollcall::io
