// However a stream of frames is cut into reads, the payloads are the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/wire/frame.hpp"

namespace rollcall::wire {
namespace {

RC_GTEST_PROP(Frame, AnyCuttingGivesTheSamePayloads, ()) {
  const auto payloads = *rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty<std::string>());
  std::string stream;
  for (const auto& payload : payloads) append_frame(stream, payload);

  FrameDecoder decoder;
  std::vector<std::string> seen;
  std::string_view rest = stream;
  while (!rest.empty()) {
    const auto size = std::min(*rc::gen::inRange<std::size_t>(1, 20), rest.size());
    const auto fed = decoder.feed(
        rest.substr(0, size), [] { return kFrameLimit; },
        [&](std::string_view payload) -> Result<void> {
          seen.emplace_back(payload);
          return {};
        });
    RC_ASSERT(fed.has_value());
    rest.remove_prefix(size);
  }
  RC_ASSERT(seen == payloads);
  RC_ASSERT(decoder.pending() == 0u);
}

RC_GTEST_PROP(Frame, AnyBytesKeepNoMoreThanOneFrame, (const std::vector<std::string>& reads)) {
  constexpr std::size_t kLimit = 40;
  FrameDecoder decoder;
  for (const auto& read : reads) {
    const auto fed = decoder.feed(
        read, [] { return kLimit; },
        [](std::string_view payload) -> Result<void> {
          RC_ASSERT(payload.size() >= 1u && payload.size() <= kLimit);
          return {};
        });
    RC_ASSERT(decoder.pending() < 4 + kLimit);
    if (!fed) return;
  }
}

}  // namespace
}  // namespace rollcall::wire
