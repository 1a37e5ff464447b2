#include "sched/policy/peers/order_gate.hpp"

namespace rollcall::sched::peers {

bool OrderGate::offer(const std::string& cluster, const Attempt& attempt) {
  const auto found = open_.find(cluster);
  if (found == open_.end() || !found->second.offered.insert(attempt).second) return false;
  found->second.unanswered.insert(attempt);
  return true;
}

bool OrderGate::answered(const std::string& cluster, const Attempt& attempt) {
  const auto found = open_.find(cluster);
  if (found == open_.end()) return false;
  auto& unanswered = found->second.unanswered;
  return unanswered.erase(attempt) != 0 && unanswered.size() + 1 == kMostUnanswered;
}

std::size_t OrderGate::unanswered(const std::string& cluster) const {
  const auto found = open_.find(cluster);
  return found == open_.end() ? 0 : found->second.unanswered.size();
}

void OrderGate::ended(const std::string& cluster, const Attempt& attempt) {
  const auto found = open_.find(cluster);
  if (found == open_.end()) return;
  found->second.offered.erase(attempt);
  found->second.unanswered.erase(attempt);
}

}  // namespace rollcall::sched::peers
