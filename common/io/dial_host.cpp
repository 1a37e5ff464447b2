#include "common/io/dial_host.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "common/io/host_lookup.hpp"
#include "common/io/liveness.hpp"

namespace rollcall::io {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// 0, or the errno of the attempt.
int connect_within(int descriptor, const HostAddress& address, std::chrono::milliseconds patience) {
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address.place), address.size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{descriptor, POLLOUT, 0};
  int ready = 0;
  do ready = poll(&waiting, 1, static_cast<int>(patience.count()));
  while (ready < 0 && errno == EINTR);  // after a stop and continue, for example
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

HostConnection::HostConnection(int descriptor, std::string peer, Milliseconds patience)
    : descriptor_(descriptor), peer_(std::move(peer)), patience_(patience) {}

HostConnection::HostConnection(HostConnection&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      peer_(std::move(other.peer_)),
      patience_(other.patience_) {}

HostConnection::~HostConnection() {
  if (descriptor_ >= 0) close(descriptor_);
}

boost::system::result<HostConnection, DialError> HostConnection::dial(const std::string& host, int port,
                                                                      Milliseconds patience) {
  const std::string peer = host + ":" + std::to_string(port);
  const auto addresses = look_up(host, port);
  if (!addresses) return DialError{false, peer + ": " + addresses.error().text};
  int error = EHOSTUNREACH;
  for (const auto& address : *addresses) {
    const int descriptor = socket(address.place.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
      error = errno;
      continue;
    }
    HostConnection connection(descriptor, peer, patience);
    error = connect_within(descriptor, address, patience);
    const int at_once = 1;  // no Nagle delay: the end of the handshake and the question are two writes
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    if (error == 0) return connection;
  }
  return DialError{error == ECONNREFUSED, peer + ": " + reason(error)};
}

void HostConnection::watch() const { watch_liveness(descriptor_); }

Result<void> HostConnection::wait_for(short event) const {
  pollfd waiting{descriptor_, event, 0};
  int ready = 0;
  do ready = poll(&waiting, 1, static_cast<int>(patience_.count()));
  while (ready < 0 && errno == EINTR);
  if (ready < 0) return internal_error(peer_ + ": " + reason(errno));
  if (ready == 0)
    return internal_error(peer_ + ": no answer within " + std::to_string(patience_.count() / 1000) +
                          " seconds");
  return {};
}

Result<void> HostConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (const auto ready = wait_for(POLLOUT); !ready) return ready.error();
    } else if (errno != EINTR) {
      return internal_error(peer_ + ": " + reason(errno));
    }
  }
  return {};
}

// The bytes that have arrived; none where there are none and that is allowed.
Result<std::optional<std::string>> HostConnection::take(bool may_be_nothing) {
  char bytes[1 << 16];  // not cleared: most of its pages are never touched
  while (true) {
    const ssize_t count = recv(descriptor_, bytes, sizeof bytes, 0);
    if (count > 0) return std::optional(std::string(bytes, static_cast<std::size_t>(count)));
    if (count == 0) return internal_error(peer_ + ": it closed the connection");
    if (errno == EAGAIN) {
      if (may_be_nothing) return std::optional<std::string>();
      if (const auto ready = wait_for(POLLIN); !ready) return ready.error();
    } else if (errno != EINTR) {
      return internal_error(peer_ + ": " + reason(errno));
    }
  }
}

Result<std::string> HostConnection::receive() {
  auto taken = take(false);
  if (!taken) return taken.error();
  return std::move(**taken);
}

Result<std::optional<std::string>> HostConnection::receive_or_wake(int wake) {
  while (true) {
    std::array<pollfd, 2> waiting{{{descriptor_, POLLIN, 0}, {wake, POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return internal_error(peer_ + ": " + reason(errno));
    }
    if (waiting[0].revents != 0) {
      auto taken = take(true);
      if (!taken || *taken) return taken;
    } else if (waiting[1].revents != 0) {
      return std::optional<std::string>();
    }
  }
}

}  // namespace rollcall::io
