#include "sched/mbatchd/res_engine.hpp"

#include <utility>

namespace rollcall::mbatchd {

namespace effect = sched::effect;

void ResEngine::carry_out(const sched::Effect& order) {
  std::visit(
      [this](const auto& one) {
        if constexpr (requires { this->send(one); }) this->send(one);
      },
      order);
}

bool ResEngine::restart(const std::string& host, bool stop) {
  wire::ToRes message;
  message.mutable_restart()->set_stop(stop);
  return hosts_.send(host, std::move(message));
}

void ResEngine::send(const effect::OrderStart& order) {
  auto start = book_.start_order(order);
  if (!start) return;
  wire::ToRes message;
  *message.mutable_start() = std::move(*start);
  hosts_.send(order.host, std::move(message));
}

void ResEngine::send(const effect::OrderExpect& order) {
  auto expect = book_.expect_order(order);
  if (!expect) return;
  wire::ToRes message;
  *message.mutable_expect() = std::move(*expect);
  hosts_.send(order.host, std::move(message));
}

void ResEngine::send(const effect::OrderSignal& order) {
  wire::ToRes message;
  *message.mutable_signal() = order.signal;
  hosts_.send(order.host, std::move(message));
}

void ResEngine::send(const effect::OrderAcknowledge& order) {
  wire::ToRes message;
  *message.mutable_acknowledge()->mutable_job() = order.attempt;
  hosts_.send(order.host, std::move(message));
}

void ResEngine::send(const effect::OrderRelease& order) {
  wire::ToRes message;
  *message.mutable_release()->mutable_job() = order.attempt;
  hosts_.send(order.host, std::move(message));
}

}  // namespace rollcall::mbatchd
