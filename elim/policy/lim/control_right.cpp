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

std::string who_may_control(uid_t owner, const std::string& owner_name) {
  if (owner == 0) return "only root and the cluster's administrators may do this";
  const std::string name = owner_name.empty() ? "user " + std::to_string(owner) : owner_name;
  return "only root, the cluster's administrators and " + name + " may do this";
}

}  // namespace rollcall::lim
