// FrameSocket: frames (common/wire/frame.hpp) over a stream socket of this host, in clear. No loop of its own.
//
// For two programs on a socket that the kernel vouches for (a socket pair, a Unix socket in a closed directory). Unsent bytes are
// kept; the owner checks wants_to_write() and calls flush().
#pragma once

#include <string>
#include <string_view>

#include "common/io/descriptor.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io {

class FrameSocket {
 public:
  FrameSocket() = default;
  explicit FrameSocket(Descriptor socket);  // becomes non-blocking

  int fd() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }
  bool wants_to_write() const { return !unsent_.empty(); }
  std::size_t unsent() const { return unsent_.size(); }

  // False where the other end is gone; then close it.
  bool send(std::string_view payload);
  bool flush();
  // Hands every complete frame to `sink`. False where the other end is gone, or sent an invalid frame.
  bool receive(const wire::FrameDecoder::Sink& sink);
  // Waits until everything is sent, or `patience_ms` are over.
  bool drain(int patience_ms);
  void close() { socket_.reset(); }

 private:
  Descriptor socket_;
  std::string unsent_;
  wire::FrameDecoder decoder_;
};

}  // namespace rollcall::io
