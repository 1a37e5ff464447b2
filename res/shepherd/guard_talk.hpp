// GuardTalk: the shepherd's connection to the guard (guard_frames.hpp).
//
// Reports that must survive every process go this way, and the shepherd waits until they are on disk. Its owner is told once if
// the guard is lost.
#pragma once

#include <poll.h>

#include <functional>
#include <string>

#include "common/io/frame_socket.hpp"

namespace rollcall::res {

class GuardTalk {
 public:
  GuardTalk(io::Descriptor socket, std::function<void()> lost)
      : socket_(std::move(socket)), lost_(std::move(lost)) {}

  bool gone() const { return gone_; }
  pollfd to_poll() const { return {gone_ ? -1 : socket_.fd(), POLLIN, 0}; }
  void take();

  void say(char word, const std::string& message);
  // Returns when the guard has saved the last report, or is gone.
  void await_kept();

 private:
  void lose();

  io::FrameSocket socket_;
  std::function<void()> lost_;
  bool gone_ = false, kept_ = false;
};

}  // namespace rollcall::res
