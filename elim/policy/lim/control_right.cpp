#include "elim/policy/lim/control_right.hpp"

#include <algorithm>

namespace rollcall::lim {

bool may_control(const ProvedCaller& caller, uid_t owner, const std::vector<std::string>& administrators) {
  if (caller.holds_key) return true;
  if (!caller.uid) return false;
  if (*caller.uid == 0 || *caller.uid == owner) return true;
  return !caller.name.empty() &&
         std::find(administrators.begin(), administrators.end(), caller.name) != administrators.end();
}

}  // namespace rollcall::lim
