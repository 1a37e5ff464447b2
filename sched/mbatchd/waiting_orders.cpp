#include "sched/mbatchd/waiting_orders.hpp"

#include <utility>
#include <variant>

namespace rollcall::mbatchd {
namespace {

const std::string* host_of(const sched::Effect& effect) {
  return std::visit(
      [](const auto& one) -> const std::string* {
        if constexpr (requires { one.host; })
          return &one.host;
        else
          return nullptr;
      },
      effect);
}

}  // namespace

void WaitingOrders::take(const sched::Effect& order) {
  const std::string* host = host_of(order);
  if (host != nullptr && (waiting_.count(*host) != 0 || !handler_.has_room(*host)))
    waiting_[*host].push_back(order);
  else
    handler_.give(order);
}

void WaitingOrders::room(const std::string& host) {
  // Giving an order may end the connection, and with it this queue.
  for (auto queue = waiting_.find(host); queue != waiting_.end() && handler_.has_room(host);
       queue = waiting_.find(host)) {
    const sched::Effect order = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty()) waiting_.erase(queue);
    handler_.give(order);
  }
}

}  // namespace rollcall::mbatchd
