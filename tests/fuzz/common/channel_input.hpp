// What the fuzz targets of the channels share: keys and nonces that count upwards, and how an end is fed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::fuzz {

// The next byte is one more than the one before.
template <class Bytes>
Bytes counting_from(std::uint8_t first) {
  Bytes bytes;
  for (auto& byte : bytes) byte = first++;
  return bytes;
}

// Feeds `bytes` in two pieces; everything that is given out must be what `said` holds, in order. A stranger gets no more than
// `most_out` bytes.
template <class End>
void feed(End& end, std::string_view bytes, std::size_t cut, const std::vector<std::string>& said,
          std::size_t most_out) {
  std::size_t given = 0;
  std::string out;
  const auto sink = [&](std::string_view payload) -> Result<void> {
    if (given == said.size() || payload != said[given]) std::abort();
    ++given;
    return {};
  };
  const auto first = end.feed(bytes.substr(0, cut), out, sink);
  const auto second = end.feed(bytes.substr(std::min(cut, bytes.size())), out, sink);
  if (!first && second) std::abort();  // an error is final
  if (!first && end.open()) std::abort();
  if (out.size() > most_out) std::abort();
}

}  // namespace rollcall::fuzz
