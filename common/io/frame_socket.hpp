// FrameSocket: frames (common/wire/frame.hpp) over a stream socket of this host, in clear. No loop of its own.
//
// For two programs that the kernel has introduced to each other (a socket pair, a Unix socket in a closed directory). What
// cannot leave at once is kept; who owns it asks wants_to_write() and calls flush().
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
  // Hands every frame that has come to `sink`. False where the other end is gone, or has broken the rules.
  bool receive(const wire::FrameDecoder::Sink& sink);
  // Waits until all has left, or `patience_ms` are over.
  bool drain(int patience_ms);
  void close() { socket_.reset(); }

 private:
  Descriptor socket_;
  std::string unsent_;
  wire::FrameDecoder decoder_;
};

}  // namespace rollcall::io
