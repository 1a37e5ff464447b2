#include "common/wire/frame.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace rollcall::wire {
namespace {

constexpr std::size_t kHeaderBytes = 4;

std::size_t length_of(std::string_view header) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) length = length << 8 | static_cast<unsigned char>(header[i]);
  return length;
}

// The length in `header` (4 bytes), if it is valid.
Result<std::size_t> checked_length(std::string_view header, std::size_t limit) {
  const std::size_t length = length_of(header);
  if (length >= 1 && length <= limit) return length;
  return internal_error("a frame of " + std::to_string(length) + " bytes, expected 1 to " +
                        std::to_string(limit));
}

// Moves up to `wanted - tail.size()` bytes from the front of `bytes` to the end of `tail`; true when it has
// `wanted`.
bool fill(std::string& tail, std::size_t wanted, std::string_view& bytes) {
  const std::size_t taken = std::min(wanted - tail.size(), bytes.size());
  tail.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  return tail.size() == wanted;
}

}  // namespace

void append_frame(std::string& out, std::string_view payload) {
  assert(!payload.empty() && payload.size() <= kFrameLimit);
  const std::size_t length = payload.size();
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(length >> shift & 0xff));
  out.append(payload);
}

Result<void> FrameDecoder::feed(std::string_view bytes, const std::function<std::size_t()>& limit,
                                const Sink& sink) {
  while (!bytes.empty()) {
    if (tail_.size() < kHeaderBytes) {
      // The common case: a complete frame is passed on without a copy.
      if (tail_.empty() && bytes.size() > kHeaderBytes) {
        const auto length = checked_length(bytes, limit());
        if (!length) return length.error();
        if (bytes.size() >= kHeaderBytes + *length) {
          const std::string_view payload = bytes.substr(kHeaderBytes, *length);
          bytes.remove_prefix(kHeaderBytes + *length);
          if (auto passed = sink(payload); !passed) return passed;
          continue;
        }
      }
      if (!fill(tail_, kHeaderBytes, bytes)) return {};
    }
    const auto length = checked_length(tail_, limit());
    if (!length) return length.error();
    if (!fill(tail_, kHeaderBytes + *length, bytes)) return {};
    // Moved out first: the memory is freed (10,000 idle connections keep none), and the sink may throw.
    const std::string frame = std::move(tail_);
    tail_.clear();
    if (auto passed = sink(std::string_view(frame).substr(kHeaderBytes)); !passed) return passed;
  }
  return {};
}

}  // namespace rollcall::wire
