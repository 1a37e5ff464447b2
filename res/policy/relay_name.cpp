#include "res/policy/relay_name.hpp"

#include "common/wire/relay.hpp"
#include "res/policy/span_file.hpp"

namespace rollcall::res {

std::string relay_name(const wire::JobOrder& order) {
  if (const wire::JobSpan* span = span_of(order)) return std::string(wire::kSpanRelay) + span->relay();
  if (order.task_only() || !order.task_relay()) return "";
  const auto& job = order.has_start() ? order.start().job() : order.expect().job();
  return "rollcall/" + order.settings().cluster() + "/" + std::to_string(job.key().id()) + "." +
         std::to_string(job.key().index()) + "." + std::to_string(job.attempt()) + "/" +
         std::to_string(order.uid());
}

}  // namespace rollcall::res
