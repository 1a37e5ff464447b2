// Frames: divides a TCP stream into messages. Pure.
//
//   frame   = length payload
//   length  = 4 bytes, big endian: the number of payload bytes, 1 ..= limit
//   payload = `length` bytes
//
// A length of 0 or over the limit is an error at once, before its payload is awaited: a stranger that claims 4 GiB causes no
// allocation. The decoder keeps at most one unfinished frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::wire {

inline constexpr std::size_t kFrameLimit = 1 << 20;  // bytes of payload in an authenticated conversation
inline constexpr std::size_t kHandshakeLimit = 256;  // bytes of payload before that

// Appends the frame of `payload` to `out`. payload.size() must be 1 ..= kFrameLimit.
void append_frame(std::string& out, std::string_view payload);

class FrameDecoder {
 public:
  using Sink = std::function<Result<void>(std::string_view payload)>;

  // Takes bytes as they came and hands every finished payload to `sink`, in order; stops at the sink's first error and returns
  // it. `limit` is called for each frame, since it grows when the peer has proved itself.
  Result<void> feed(std::string_view bytes, const std::function<std::size_t()>& limit, const Sink& sink);

  // Bytes of an unfinished frame that are kept.
  std::size_t pending() const { return tail_.size(); }

 private:
  std::string tail_;
};

}  // namespace rollcall::wire
