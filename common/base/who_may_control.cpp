#include "common/base/who_may_control.hpp"

namespace rollcall {

std::string who_may_control(uid_t owner, const std::string& owner_name) {
  if (owner == 0) return "only root and the cluster's administrators may do this";
  const std::string name = owner_name.empty() ? "user " + std::to_string(owner) : owner_name;
  return "only root, the cluster's administrators and " + name + " may do this";
}

}  // namespace rollcall
