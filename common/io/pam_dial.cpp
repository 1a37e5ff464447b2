#include "common/io/pam_dial.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "common/io/liveness.hpp"

namespace rollcall::io {
namespace {

constexpr Duration kPamStagger = std::chrono::milliseconds(250);
constexpr Duration kPamPatience = std::chrono::seconds(4);

// Returns 0 if `text` is not a numeric address.
socklen_t number_address(const std::string& text, std::uint16_t port, sockaddr_storage& address) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    return sizeof v4;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) != 1) return 0;
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  return sizeof v6;
}

bool stands(const Descriptor& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

// Greets pam on every connection that it accepts: pam would take an unused one without a greeting for a stranger's.
bool greet(const Descriptor& socket) {
  std::string hello;
  wire::append_frame(hello, wire::kRelayHello);
  return send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(hello.size());
}

}  // namespace

PamDial::PamDial(const wire::PamPlace& place, TimePoint now)
    : port_(place.port), next_at_(now), give_up_at_(now + kPamPatience) {
  sockaddr_storage address{};
  for (const auto& text : place.addresses)
    if (number_address(text, port_, address) != 0) numbers_.push_back(text);
  begin(now);
}

// Starts the next attempt when it is due, or at once if no other is under way.
void PamDial::begin(TimePoint now) {
  while (next_ < numbers_.size() && (now >= next_at_ || attempts_.empty())) {
    sockaddr_storage address{};
    const socklen_t size = number_address(numbers_[next_++], port_, address);
    next_at_ = now + kPamStagger;
    Descriptor socket(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) continue;
    watch_liveness(socket.get());
    if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 || errno == EINPROGRESS)
      attempts_.push_back({std::move(socket), kNotPolled});
  }
}

void PamDial::add_to(std::vector<pollfd>& fds) {
  for (Attempt& attempt : attempts_) {
    attempt.slot = fds.size();
    fds.push_back({attempt.socket.get(), POLLOUT, 0});
  }
}

std::optional<Descriptor> PamDial::turn(const std::vector<pollfd>& fds, TimePoint now) {
  std::optional<Descriptor> reached;
  for (std::size_t i = 0; i < attempts_.size();) {
    Attempt& attempt = attempts_[i];
    if (attempt.slot >= fds.size() || fds[attempt.slot].revents == 0) {
      ++i;
      continue;
    }
    if (stands(attempt.socket) && greet(attempt.socket) && !reached) reached = std::move(attempt.socket);
    attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (now >= give_up_at_) attempts_.clear(), next_ = numbers_.size();
  if (!reached) begin(now);
  return reached;
}

TimePoint PamDial::next_deadline() const {
  if (failed()) return {};
  return next_ < numbers_.size() ? std::min(next_at_, give_up_at_) : give_up_at_;
}

}  // namespace rollcall::io
