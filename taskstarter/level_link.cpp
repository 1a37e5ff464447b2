#include "taskstarter/level_link.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace rollcall::taskstarter {

std::pair<LevelLink, LevelLink> LevelLink::make() {
  std::pair<LevelLink, LevelLink> links;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return links;
  links.first.end_ = io::Descriptor(ends[0]);
  links.second.end_ = io::Descriptor(ends[1]);
  return links;
}

bool LevelLink::send(const LevelMessage& message) const {
  while (true) {
    if (::send(end_.get(), &message, sizeof message, MSG_NOSIGNAL) == sizeof message) return true;
    if (errno != EINTR) return false;
  }
}

LevelLink::Got LevelLink::receive(LevelMessage& message) const {
  while (true) {
    const ssize_t size = recv(end_.get(), &message, sizeof message, MSG_DONTWAIT);
    if (size == sizeof message) return Got::message;
    if (size < 0 && errno == EINTR) continue;
    return size < 0 && errno == EAGAIN ? Got::nothing : Got::end;
  }
}

}  // namespace rollcall::taskstarter
