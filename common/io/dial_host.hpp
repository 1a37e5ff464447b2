// dial_host: a plain blocking TCP connection to a daemon with a deadline for every step. It does not know the protocol.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.hpp"

namespace rollcall::io {

struct DialError {
  bool refused = false;  // the host answers, and nobody listens there
  std::string text;      // one line with the host, the port and the last reason
};
[[noreturn]] inline void throw_exception_from_error(const DialError& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}

class HostConnection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Tries every address of `host` (a name or an address).
  static boost::system::result<HostConnection, DialError> dial(const std::string& host, int port,
                                                               Milliseconds patience);
  HostConnection(HostConnection&& other) noexcept;
  HostConnection& operator=(HostConnection&&) = delete;
  ~HostConnection();

  // Gives the socket, non-blocking, to the caller, who owns the connection from then on.
  int release() { return std::exchange(descriptor_, -1); }

  // From now on the kernel detects a peer's host that went away silently (liveness.hpp). For connections that wait long.
  void watch() const;

  // Sends all of it, or gives an error.
  Result<void> send(std::string_view bytes);
  // Receives at least one byte; an error where none comes in time or the peer has closed.
  Result<std::string> receive();
  // The same without a time limit; none where `wake`, another descriptor, becomes readable first. -1: none.
  Result<std::optional<std::string>> receive_or_wake(int wake);

 private:
  HostConnection(int descriptor, std::string peer, Milliseconds patience);
  Result<void> wait_for(short event) const;
  Result<std::optional<std::string>> take(bool may_be_nothing);
  int descriptor_;
  std::string peer_;  // "HOST:PORT"
  Milliseconds patience_;
};

}  // namespace rollcall::io
