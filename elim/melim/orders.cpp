#include "elim/melim/orders.hpp"

#include <set>
#include <string>
#include <vector>

namespace rollcall::melim {
namespace {

ResourceType type_of(std::uint32_t type) {
  if (type == 1) return ResourceType::boolean;
  return type == 2 ? ResourceType::string : ResourceType::numeric;
}

Duration milliseconds(std::uint32_t ms) { return std::chrono::milliseconds(ms); }

}  // namespace

ElimOrders orders_of(const wire::MelimOrders& message) {
  ElimOrders orders;
  orders.host = message.host();
  orders.server_dir = message.server_dir();
  orders.log_file = message.log_file();
  orders.master = message.master();
  orders.resources.assign(message.resources().begin(), message.resources().end());
  orders.arguments.assign(message.arguments().begin(), message.arguments().end());
  orders.environment.assign(message.environment().begin(), message.environment().end());
  orders.poll_interval = milliseconds(message.poll_interval_ms());
  orders.rules.restart_interval = milliseconds(message.restart_interval_ms());
  orders.rules.block_time = milliseconds(message.block_time_ms());
  if (message.has_most_restarts()) orders.rules.most_restarts = message.most_restarts();
  orders.rules.abort_value = static_cast<int>(message.abort_value());
  orders.debug = message.debug();
  return orders;
}

ElimNames names_of(const wire::MelimOrders& message) {
  // A resource that is mapped only to other hosts is theirs to report.
  const std::set<std::string> expected(message.resources().begin(), message.resources().end());
  std::vector<ElimName> names;
  std::set<std::string, std::less<>> fixed;
  for (const auto& known : message.known()) {
    if (known.fixed()) {
      fixed.insert(known.name());
      continue;
    }
    if (!known.built_in() && !expected.contains(known.name())) continue;
    ElimName name{known.name(), type_of(known.type()), known.built_in(), {}};
    if (known.has_most()) name.most = known.most();
    names.push_back(std::move(name));
  }
  return ElimNames(std::move(names), std::move(fixed));
}

}  // namespace rollcall::melim
