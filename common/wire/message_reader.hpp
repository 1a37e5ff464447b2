// MessageReader: cuts a stream of frames (frame.hpp) in clear into messages of one kind. Pure.
//
// For two programs on a socket that the kernel vouches for: lim and melim. Bytes may come in any pieces.
#pragma once

#include <functional>
#include <string_view>

#include "common/wire/frame.hpp"

namespace rollcall::wire {

template <class Message>
class MessageReader {
 public:
  // Hands each whole message to `sink`, in order. After an error the stream must not be used any more.
  Result<void> feed(std::string_view bytes, const std::function<void(const Message&)>& sink) {
    return frames_.feed(
        bytes, [] { return kFrameLimit; },
        [&sink](std::string_view payload) -> Result<void> {
          Message message;
          if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
            return internal_error("a message that cannot be read");
          sink(message);
          return {};
        });
  }

 private:
  FrameDecoder frames_;
};

}  // namespace rollcall::wire
