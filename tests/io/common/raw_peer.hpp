// RawPeer: a blocking connection with a daemon of the cluster, for tests: it sends whatever it is given, whole or by half.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "common/io/cluster_channel.hpp"

namespace rollcall::io {

class RawPeer {
 public:
  // Dials 127.0.0.1 and does the handshake.
  RawPeer(int port, ClusterChannel channel)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), channel_(std::move(channel)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) return;
    write_all(channel_.start());
    while (!channel_.open() && read_some(kPatience)) continue;
  }
  ~RawPeer() { close(fd_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  bool open() const { return channel_.open(); }
  const std::string& hash() const { return channel_.hash(); }
  void say(const std::string& payload) { write_all(channel_.seal(payload)); }
  // All but the end of a message of the largest size.
  void say_half() {
    const std::string frame = channel_.seal(std::string(channel_.most(), 'x'));
    write_all(frame.substr(0, frame.size() - 100));
  }
  // The next payload; nothing where the connection has ended, or nothing comes in time.
  std::optional<std::string> hear() {
    while (heard_.empty() && read_some(kPatience)) continue;
    if (heard_.empty()) return std::nullopt;
    auto payload = std::move(heard_.front());
    heard_.pop_front();
    return payload;
  }
  // The daemon has closed the connection.
  bool ended() {
    while (read_some(std::chrono::milliseconds(0))) continue;
    return ended_;
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{60'000};

  // False where nothing came in time, or the connection has ended.
  bool read_some(std::chrono::milliseconds patience) {
    pollfd waiting{fd_, POLLIN, 0};
    if (ended_ || poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t size = read(fd_, buffer.data(), buffer.size());
    if (size <= 0) {
      ended_ = true;
      return false;
    }
    std::string out;
    const auto fed =
        channel_.feed({buffer.data(), static_cast<std::size_t>(size)}, out, [this](std::string_view payload) {
          heard_.emplace_back(payload);
          return Result<void>();
        });
    write_all(out);
    return static_cast<bool>(fed);
  }
  void write_all(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t size = ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (size <= 0) return;
      at += static_cast<std::size_t>(size);
    }
  }
  int fd_;
  ClusterChannel channel_;
  std::deque<std::string> heard_;
  bool ended_ = false;
};

}  // namespace rollcall::io
