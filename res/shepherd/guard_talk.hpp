// GuardTalk: the shepherd's end of its talk with the guard (guard_frames.hpp).
//
// What is to outlive everybody is said here and waited for until it is on disk. It does not decide what a lost guard means:
// its owner is told once.
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
  // Returns when the guard has kept what was said last, or is gone.
  void await_kept();

 private:
  void lose();

  io::FrameSocket socket_;
  std::function<void()> lost_;
  bool gone_ = false, kept_ = false;
};

}  // namespace rollcall::res
