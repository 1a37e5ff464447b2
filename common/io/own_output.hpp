// own_output: this program's standard output or error while it shows the output of a process on another host (stream_client). It
// does not own the descriptors.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <functional>
#include <string_view>
#include <utility>

#include "common/io/own_terminal.hpp"

namespace rollcall::io {

// Writes our output and handles the user's signals meanwhile: the reader may be slow, or stop reading.
class OwnOutput {
 public:
  OwnOutput(const OwnSignals& signals, std::function<void(int)> on_signal)
      : signals_(signals), on_signal_(std::move(on_signal)) {}

  // Writes all of it. False where the reader is gone.
  bool write(int descriptor, std::string_view bytes) const {
    while (!bytes.empty()) {
      std::array<pollfd, 2> waiting{{{descriptor, POLLOUT, 0}, {signals_.descriptor(), POLLIN, 0}}};
      if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
      if (waiting[1].revents != 0)
        while (const auto signal = signals_.next()) on_signal_(*signal);
      if (waiting[0].revents == 0) continue;
      // A pipe that is writable takes this much at once.
      const ssize_t written =
          ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
      if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
    }
    return true;
  }

 private:
  const OwnSignals& signals_;
  std::function<void(int)> on_signal_;
};

}  // namespace rollcall::io
