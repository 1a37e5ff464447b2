// A plain blocking TCP connection to a LIM with a deadline for every step. It knows nothing of what is said.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::io {

class HostConnection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Tries every address of `host` (a name or an address). The error names the host, the port and the last reason.
  static Result<HostConnection> dial(const std::string& host, int port, Milliseconds patience);
  HostConnection(HostConnection&& other) noexcept;
  HostConnection& operator=(HostConnection&&) = delete;
  ~HostConnection();

  // All of it, or an error.
  Result<void> send(std::string_view bytes);
  // What has come, at least one byte; an error where nothing comes in time or the peer has closed.
  Result<std::string> receive();

 private:
  HostConnection(int descriptor, std::string peer, Milliseconds patience);
  Result<void> wait_for(short event) const;
  int descriptor_;
  std::string peer_;  // "HOST:PORT"
  Milliseconds patience_;
};

}  // namespace rollcall::io
