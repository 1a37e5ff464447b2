#include "res/policy/lease_numbers.hpp"

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
  LeaseGrant& known = known_[lease];
  if (number <= known) return false;
  known = number;
  return true;
}

}  // namespace rollcall::res
