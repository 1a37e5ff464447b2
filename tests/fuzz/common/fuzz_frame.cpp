// Fuzzes the frame decoder: the bytes at once and the bytes in pieces must come to the same.
//
//   input = piece sizes limit stream         (2 bytes, 1 byte, the rest)
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/frame.hpp"

namespace {

using rollcall::Result;
using rollcall::wire::FrameDecoder;

struct Outcome {
  std::vector<std::string> payloads;
  std::string error;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Two sizes in turn: so that cuts fall within lengths, within payloads, and between.
Outcome decode(std::string_view stream, std::size_t limit, std::size_t first, std::size_t second) {
  Outcome outcome;
  FrameDecoder decoder;
  for (std::size_t size = first; !stream.empty(); size = size == first ? second : first) {
    const std::string_view piece = stream.substr(0, size);
    stream.remove_prefix(piece.size());
    const auto fed = decoder.feed(
        piece, [limit] { return limit; },
        [&](std::string_view payload) -> Result<void> {
          if (payload.empty() || payload.size() > limit) std::abort();
          outcome.payloads.emplace_back(payload);
          return {};
        });
    if (decoder.pending() >= 4 + limit) std::abort();
    if (!fed) {
      outcome.error = fed.error().text;
      break;
    }
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t limit = std::size_t{1} << data[2] % 21;
  if (decode(stream, limit, stream.size() + 1, 1) != decode(stream, limit, 1 + data[0] % 32, 1 + data[1]))
    std::abort();
  return 0;
}
