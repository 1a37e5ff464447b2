// MessageReader: the messages of one kind in a stream of frames (frame.hpp) in clear. Pure.
//
// For two programs that the kernel has introduced to each other: lim and melim. Bytes go in as they came.
#pragma once

#include <functional>
#include <string_view>

#include "common/wire/frame.hpp"

namespace rollcall::wire {

template <class Message>
class MessageReader {
 public:
  // Hands each whole message to `sink`, in order. After an error the stream is of no use any more.
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
