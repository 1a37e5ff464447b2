#include "elim/policy/load/terminal_use.hpp"

#include <algorithm>
#include <utility>

namespace rollcall::load {

void TerminalUse::look(const std::vector<TerminalTime>& terminals, long long wall, double uptime) {
  std::map<std::string, long long> now;
  for (const TerminalTime& terminal : terminals) {
    now[terminal.line] = terminal.used;
    const auto before = seen_.find(terminal.line);
    if (before != seen_.end() && before->second == terminal.used) continue;
    double used = uptime - static_cast<double>(std::max(wall - terminal.used, 0LL));
    // Its time has changed since the last look, so it was used after that, whatever its clock says.
    if (before != seen_.end() && looked_at_) used = std::max(used, *looked_at_);
    used_at_ = std::max(used_at_.value_or(used), used);
  }
  seen_ = std::move(now);
  looked_at_ = uptime;
}

std::optional<double> TerminalUse::idle(double uptime) const {
  if (!used_at_) return std::nullopt;
  return std::max(uptime - *used_at_, 0.0);
}

}  // namespace rollcall::load
