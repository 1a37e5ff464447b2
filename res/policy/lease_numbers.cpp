#include "res/policy/lease_numbers.hpp"

#include <cstdio>

namespace rollcall::res {

LeaseNumbers::Answer LeaseNumbers::start(std::uint64_t lease, const LeaseGrant& under, bool& changed) {
  changed = false;
  const auto known = known_.find(lease);
  if (known == known_.end()) return Answer::unnamed;
  if (under < known->second) return Answer::older;
  changed = under > known->second;
  known->second = under;
  return Answer::accepted;
}

bool LeaseNumbers::named(std::uint64_t lease, const LeaseGrant& number) {
  const auto known = known_.find(lease);
  if (known == known_.end()) return known_.size() < kMostLeases && known_.emplace(lease, number).second;
  if (number <= known->second) return false;
  known->second = number;
  return true;
}

LeaseGrant LeaseNumbers::newest(std::uint64_t lease) const {
  const auto known = known_.find(lease);
  return known == known_.end() ? LeaseGrant{} : known->second;
}

std::string LeaseNumbers::lines() const {
  std::string lines;
  for (const auto& [lease, grant] : known_)
    lines += "lease " + std::to_string(lease) + " " + std::to_string(grant.term) + " " +
             std::to_string(grant.counter) + "\n";
  return lines;
}

LeaseNumbers LeaseNumbers::of_lines(std::string_view lines) {
  LeaseNumbers numbers;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) break;  // cut off
    const std::string line(lines.substr(0, end));
    lines.remove_prefix(end + 1);
    unsigned long long lease = 0, term = 0, counter = 0;
    int read = 0;
    if (std::sscanf(line.c_str(), "lease %llu %llu %llu%n", &lease, &term, &counter, &read) == 3 &&
        static_cast<std::size_t>(read) == line.size())
      numbers.named(lease, {term, counter});
  }
  return numbers;
}

}  // namespace rollcall::res
