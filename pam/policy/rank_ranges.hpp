// RankRanges: a set of ranks, kept as ranges: the million ranks of a whole job are one range. A value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rollcall::pam {

class RankRanges {
 public:
  bool insert(std::uint32_t rank);  // false where it is in already
  void erase(std::uint32_t rank);
  bool contains(std::uint32_t rank) const;
  bool empty() const { return last_of_.empty(); }

  struct Range {
    std::uint32_t first;
    std::uint32_t last;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> ranges() const;
  // The ranks from 0 to count - 1 that are not in the set; at most `most` ranges.
  std::vector<Range> missing(std::uint32_t count, std::size_t most) const;

 private:
  std::map<std::uint32_t, std::uint32_t> last_of_;  // by the first of each range; two ranges never touch
};

}  // namespace rollcall::pam
