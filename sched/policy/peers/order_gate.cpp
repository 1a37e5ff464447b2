#include "sched/policy/peers/order_gate.hpp"

namespace rollcall::sched::peers {

bool OrderGate::offer(const std::string& cluster, const Attempt& attempt) {
  const auto found = open_.find(cluster);
  return found != open_.end() && found->second.insert(attempt).second;
}

void OrderGate::ended(const std::string& cluster, const Attempt& attempt) {
  if (const auto found = open_.find(cluster); found != open_.end()) found->second.erase(attempt);
}

}  // namespace rollcall::sched::peers
