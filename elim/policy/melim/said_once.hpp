// SaidOnce: the faults of one elim that have been logged. A bounded value: an elim that invents a new name each time fills
// neither the memory nor the log.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "elim/policy/melim/load_string.hpp"

namespace rollcall::melim {

inline constexpr std::size_t kFaultsRemembered = 100;

class SaidOnce {
 public:
  // True for the first fault of its kind and index; false once kFaultsRemembered different ones are recorded.
  bool first(const Fault& fault) {
    if (said_.size() >= kFaultsRemembered) return false;
    return said_.emplace(fault.kind, fault.name).second;
  }

 private:
  std::set<std::pair<FaultKind, std::string>> said_;
};

}  // namespace rollcall::melim
