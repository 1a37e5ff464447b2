#include "taskstarter/pam_link.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "common/wire/relay.hpp"

namespace rollcall::taskstarter {
namespace {

constexpr int kRelayEndMs = 1000;

}  // namespace

PamLink::PamLink(Reached reached)
    : socket_(std::move(reached.socket)),
      channel_(std::move(reached.channel)),
      out_(std::move(reached.to_send)),
      address_(std::move(reached.address)) {}

void PamLink::put(const wire::FromStarter& message) {
  const std::string payload = message.SerializeAsString();
  channel_ ? void(out_ += channel_->seal(payload)) : wire::append_frame(out_, payload);
}

bool PamLink::send(const wire::FromStarter& message) {
  put(message);
  return flush();
}

bool PamLink::send_last(const wire::FromStarter& message, bool closes) {
  put(message);
  ending_ = true;
  return flush(closes && !address_.relay ? MSG_MORE : 0);
}

bool PamLink::flush() { return flush(0); }

bool PamLink::flush(int how) {
  while (!out_.empty()) {
    const ssize_t size = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT | how);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    out_.erase(0, static_cast<std::size_t>(size));
  }
  if (!std::exchange(ending_, false)) return true;
  address_.relay ? void(shutdown(socket_.get(), SHUT_WR)) : void(delivered_ = true);
  return true;
}

bool PamLink::receive(const std::function<void(const wire::FromPam&)>& sink) {
  const auto take = [&](std::string_view payload) -> Result<void> {
    if (!channel_ && payload == wire::kRelayTold) {
      delivered_ = true;
      return {};
    }
    wire::FromPam message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("a message from pam that is none");
    sink(message);
    return {};
  };
  char bytes[4096];
  while (true) {
    const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return false;
    const std::string_view come(bytes, static_cast<std::size_t>(size));
    const auto fed = channel_ ? channel_->feed(come, out_, take)
                              : frames_.feed(
                                    come, [] { return wire::kTaskMessageLimit; }, take);
    if (!fed) return false;
  }
}

// It closes when our last words are in its connection to pam: once we have ended, the launcher may end it.
void PamLink::wait_for_relay() {
  pollfd closed{socket_.get(), POLLIN, 0};
  char bytes[4096];
  while (poll(&closed, 1, kRelayEndMs) > 0 && recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0)
    continue;
}

void PamLink::close() {
  pollfd writable{socket_.get(), POLLOUT, 0};
  if (flush() && wants_to_write() && poll(&writable, 1, 1000) > 0) flush();
  shutdown(socket_.get(), SHUT_WR);
  if (address_.relay) wait_for_relay();
  // Unread bytes at the end would reset the connection, and our last messages might be lost.
  char bytes[4096];
  while (recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) continue;
  socket_.reset();
}

}  // namespace rollcall::taskstarter
