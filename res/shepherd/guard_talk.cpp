#include "res/shepherd/guard_talk.hpp"

#include "res/shepherd/guard_frames.hpp"

namespace rollcall::res {

void GuardTalk::say(char word, const std::string& message) {
  if (gone_) return;
  if (!socket_.send(std::string(1, word) + message) || !socket_.drain(-1)) lose();
}

void GuardTalk::await_kept() {
  kept_ = false;
  while (!kept_ && !gone_) {
    pollfd ready = to_poll();
    if (poll(&ready, 1, -1) > 0) take();
  }
}

void GuardTalk::take() {
  const bool up = socket_.receive([this](std::string_view word) -> Result<void> {
    if (word.front() == kFrameKept) kept_ = true;
    return {};
  });
  if (!up) lose();
}

void GuardTalk::lose() {
  if (gone_) return;
  gone_ = true;
  lost_();
}

}  // namespace rollcall::res
