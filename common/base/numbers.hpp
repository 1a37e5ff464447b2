// Numbers as people write them in command lines, environments and lsf.conf: whole, in range, nothing after
// them.
//
// Not a general number reader: no signs, no hex, no blanks. The caller adds where the word stood. Values, no
// state.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/job_clock.hpp"

namespace rollcall {

// More tasks than any machine runs; a larger number is a slip of the hand.
inline constexpr int kMaxTasks = 10'000'000;
// About 31 years; keeps every sum of durations far from the end of Duration.
inline constexpr int kMaxSeconds = 1'000'000'000;

// True for one or more of 0-9 and nothing else.
bool all_digits(std::string_view word);

// A whole number from `least` to `most`; nothing where the word is not one.
std::optional<int> parse_whole(std::string_view word, int least, int most);

// Seconds, whole ("300") or with up to nine digits after a point ("0.5"), 0 to kMaxSeconds.
std::optional<Duration> parse_seconds(std::string_view word);

}  // namespace rollcall
