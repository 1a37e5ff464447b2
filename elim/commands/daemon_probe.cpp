#include "elim/commands/daemon_probe.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/io/cluster_channel.hpp"

namespace rollcall::elim {
namespace {

using Clock = std::chrono::steady_clock;
using Port = show::DaemonSight::Port;

// True when the socket is ready for `what` before `end`.
bool wait_for(int fd, short what, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::duration_cast<Patience>(end - Clock::now()).count();
    pollfd ready{fd, what, 0};
    const int got = poll(&ready, 1, static_cast<int>(std::max<Patience::rep>(left, 0)));
    if (got >= 0 || errno != EINTR) return got > 0;
  }
}

// A connection; nothing where the port is closed.
io::Descriptor connect_here(int port, Clock::time_point end) {
  io::Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(static_cast<std::uint16_t>(port));
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!fd) return fd;
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0) return fd;
  int error = errno;
  socklen_t size = sizeof error;
  if (error == EINPROGRESS && wait_for(fd.get(), POLLOUT, end))
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) fd.reset();
  return fd;
}

bool send_all(int fd, const std::string& bytes) {
  return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

// Makes the handshake until the other end has proved itself or failed. It proves us too, so that a daemon does not log a
// stranger.
Port greet(int fd, io::ClusterChannel channel, Clock::time_point end) {
  if (!send_all(fd, channel.start())) return Port::stranger;
  std::array<char, 512> bytes;
  std::string answer;
  const auto no_message = [](std::string_view) -> Result<void> { return {}; };
  while (!channel.open()) {
    if (!wait_for(fd, POLLIN, end)) return Port::mute;
    const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Port::stranger;
    if (!channel.feed({bytes.data(), static_cast<std::size_t>(got)}, answer, no_message))
      return Port::stranger;
  }
  send_all(fd, answer);
  return Port::ours;
}

}  // namespace

Port probe_port(int port, const std::optional<io::ClusterPublicKey>& key, Patience patience) {
  const auto end = Clock::now() + patience;
  const io::Descriptor fd = connect_here(port, end);
  if (!fd) return Port::closed;
  if (!key) return Port::unasked;
  return greet(fd.get(), io::ClusterChannel::dial_as_anyone(*key, io::random_seed()), end);
}

}  // namespace rollcall::elim
