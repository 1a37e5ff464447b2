// liveness: how soon the kernel finds that a peer is gone. A function for the sockets of both ends; no message per task.
//
// Probes when the connection is idle, a limit when data waits to be taken; their sum is the worst case, 27 s
// (docs/protocol.md, "Liveness"). A peer that is stopped is not gone: its kernel answers.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace rollcall::io {

inline constexpr int kKeepIdleSeconds = 6;
inline constexpr int kKeepIntervalSeconds = 3;
inline constexpr int kKeepCount = 3;
inline constexpr int kUserTimeoutMs = 14'000;

// What a listening socket is told, the connections that it accepts inherit. Small messages leave at once.
inline void watch_liveness(int socket) {
  const auto set = [socket](int level, int name, int value) {
    setsockopt(socket, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleSeconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kKeepIntervalSeconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, kKeepCount);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
}

}  // namespace rollcall::io
