// liveness: TCP settings by which the kernel detects that a peer is gone. A function for the sockets of both ends; it costs no
// messages of ours.
//
// Probes when the connection is idle, a time limit when data waits to be taken; their sum is the worst case, 27 s
// (docs/protocol.md, "Liveness"). A stopped peer is not gone: its kernel answers. A process that cannot dial again uses the
// patience of its job instead.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>

#include "common/base/link_patience.hpp"

namespace rollcall::io {

inline constexpr int kKeepIdleSeconds = 6;
inline constexpr int kKeepIntervalSeconds = 3;
inline constexpr int kKeepCount = 3;
inline constexpr int kUserTimeoutMs = 14'000;

struct Liveness {
  int idle_s = kKeepIdleSeconds, interval_s = kKeepIntervalSeconds, count = kKeepCount;
  int user_timeout_ms = kUserTimeoutMs;
};

// Accepted connections inherit the settings of a listening socket. Small messages leave at once.
inline void watch_liveness(int socket, const Liveness& liveness = {}) {
  const auto set = [socket](int level, int name, int value) {
    setsockopt(socket, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, liveness.idle_s);
  set(IPPROTO_TCP, TCP_KEEPINTVL, liveness.interval_s);
  set(IPPROTO_TCP, TCP_KEEPCNT, liveness.count);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, liveness.user_timeout_ms);
}

// A connection that is silent for `silence` is cut, idle or not, at the next probe: TCP_USER_TIMEOUT counts for both. Zero: as
// long as the kernel can wait, 24 days. A peer whose host was started anew is found at the next probe, too.
inline Liveness liveness_of(Duration silence, Duration heartbeat) {
  using std::chrono::milliseconds, std::chrono::seconds;
  constexpr int kMostProbe = 32767, kMostCount = 127;  // what the kernel takes
  Duration probe = heartbeat;
  if (silence > Duration{0}) probe = std::min(probe, silence / 3);
  const int probe_s =
      static_cast<int>(std::clamp<std::int64_t>(std::chrono::floor<seconds>(probe).count(), 1, kMostProbe));
  const auto silence_ms = std::chrono::ceil<milliseconds>(silence).count();
  const int timeout_ms =
      silence_ms == 0 ? INT_MAX : static_cast<int>(std::min<std::int64_t>(silence_ms, INT_MAX));
  return {probe_s, probe_s, kMostCount, timeout_ms};
}

}  // namespace rollcall::io
