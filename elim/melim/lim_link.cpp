#include "elim/melim/lim_link.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace rollcall::melim {

bool LimLink::receive(const std::function<void(const wire::ToMelim&)>& sink) {
  char bytes[4096];
  while (true) {
    const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
    const auto fed = reader_.feed({bytes, static_cast<std::size_t>(size)}, sink);
    if (!fed) return false;
  }
}

void LimLink::send(const wire::FromMelim& message) { wire::append_frame(out_, message.SerializeAsString()); }

bool LimLink::flush() {
  while (!out_.empty()) {
    const ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    out_.erase(0, static_cast<std::size_t>(sent));
  }
  out_ = {};
  return true;
}

}  // namespace rollcall::melim
