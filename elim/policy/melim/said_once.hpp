// SaidOnce: which faults of one elim have been logged. A value, bounded: an elim that makes up a new name every time
// does not fill the memory, nor the log.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "elim/policy/melim/load_string.hpp"

namespace rollcall::melim {

inline constexpr std::size_t kFaultsRemembered = 100;

class SaidOnce {
 public:
  // True for the first fault of its kind and index; also false once there have been kFaultsRemembered different ones.
  bool first(const Fault& fault) {
    if (said_.size() >= kFaultsRemembered) return false;
    return said_.emplace(fault.kind, fault.name).second;
  }

 private:
  std::set<std::pair<FaultKind, std::string>> said_;
};

}  // namespace rollcall::melim
