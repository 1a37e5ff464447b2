#include "common/io/frame_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace rollcall::io {

FrameSocket::FrameSocket(Descriptor socket) : socket_(std::move(socket)) {
  if (socket_) fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

bool FrameSocket::send(std::string_view payload) {
  wire::append_frame(unsent_, payload);
  return flush();
}

bool FrameSocket::flush() {
  std::size_t sent = 0;
  bool up = true;
  while (sent < unsent_.size()) {
    const ssize_t size = ::send(socket_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      up = errno == EAGAIN;
      break;
    }
    sent += static_cast<std::size_t>(size);
  }
  unsent_.erase(0, sent);
  return up;
}

bool FrameSocket::receive(const wire::FrameDecoder::Sink& sink) {
  std::array<char, 16384> room;
  for (;;) {
    const ssize_t size = recv(socket_.get(), room.data(), room.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return false;
    const auto fed = decoder_.feed(
        {room.data(), static_cast<std::size_t>(size)}, [] { return wire::kFrameLimit; }, sink);
    if (!fed) return false;
    if (!socket_) return true;  // the sink closed it
  }
}

bool FrameSocket::drain(int patience_ms) {
  while (wants_to_write()) {
    pollfd ready{socket_.get(), POLLOUT, 0};
    const int events = poll(&ready, 1, patience_ms);
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0 || !flush()) return false;
  }
  return true;
}

}  // namespace rollcall::io
