// Parts of large requests: pieces of any size come together again, and what comes in pieces is bounded.
//
//   input = byte bytes     the byte: how large pieces are; the bytes: a request
#include <cstdint>
#include <string>
#include <string_view>

#include "common/wire/request_parts.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall::wire;
using rollcall::fuzz::require;

namespace {

void pieces_are_one_again(std::string_view request, std::size_t most) {
  RequestParts kept;
  const auto parts = parts_of(request, most);
  require(!parts.empty());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    require(parts[i].size() <= most && (parts.size() == 1 || !parts[i].empty()));
    if (i + 1 < parts.size()) require(static_cast<bool>(kept.add(parts[i])));
  }
  const auto whole = kept.finish(parts.back());
  require(whole && *whole == request);
  const auto next = kept.finish("");
  require(next && next->empty());
}

// One larger than allowed by less than a piece.
void more_than_a_request_is_refused(std::string_view piece) {
  if (piece.size() < 4096) return;
  RequestParts kept;
  std::size_t taken = 0;
  while (kept.add(piece)) {
    taken += piece.size();
    require(taken <= kMostRequest);
  }
  require(taken + piece.size() > kMostRequest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view request(reinterpret_cast<const char*>(data) + 1, size - 1);
  pieces_are_one_again(request, 1 + data[0]);
  pieces_are_one_again(request, 1 << 16);
  if (data[0] % 64 == 0) more_than_a_request_is_refused(request);  // it copies 4 MiB
  return 0;
}
