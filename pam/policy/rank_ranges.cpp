#include "pam/policy/rank_ranges.hpp"

#include <algorithm>

namespace rollcall::pam {

bool RankRanges::insert(std::uint32_t rank) {
  const auto after = last_of_.upper_bound(rank);
  const auto before = after == last_of_.begin() ? last_of_.end() : std::prev(after);
  if (before != last_of_.end() && before->second >= rank) return false;
  const bool joins_before = before != last_of_.end() && before->second + 1 == rank;
  const bool joins_after = after != last_of_.end() && after->first == rank + 1;
  const std::uint32_t last = joins_after ? after->second : rank;
  if (joins_after) last_of_.erase(after);
  if (joins_before)
    before->second = last;
  else
    last_of_.emplace(rank, last);
  return true;
}

void RankRanges::erase(std::uint32_t rank) {
  auto range = last_of_.upper_bound(rank);
  if (range == last_of_.begin()) return;
  --range;
  const auto [first, last] = *range;
  if (last < rank) return;
  if (first == rank)
    last_of_.erase(range);
  else
    range->second = rank - 1;
  if (last > rank) last_of_.emplace(rank + 1, last);
}

bool RankRanges::contains(std::uint32_t rank) const {
  const auto after = last_of_.upper_bound(rank);
  return after != last_of_.begin() && std::prev(after)->second >= rank;
}

std::vector<RankRanges::Range> RankRanges::ranges() const {
  std::vector<Range> ranges;
  for (const auto& [first, last] : last_of_) ranges.push_back({first, last});
  return ranges;
}

std::vector<RankRanges::Range> RankRanges::missing(std::uint32_t count, std::size_t most) const {
  std::vector<Range> missing;
  std::uint32_t next = 0;  // all below it is in the set or in `missing`
  for (auto range = last_of_.begin(); next < count && missing.size() < most; ++range) {
    const std::uint32_t end = range == last_of_.end() ? count : std::min(range->first, count);
    if (end > next) missing.push_back({next, end - 1});
    if (range == last_of_.end() || range->second >= count) break;
    next = range->second + 1;
  }
  return missing;
}

}  // namespace rollcall::pam
