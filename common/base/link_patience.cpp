#include "common/base/link_patience.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"

namespace rollcall {
namespace {

constexpr Duration kLeastInterval = std::chrono::seconds(10);
constexpr Duration kIntervalPerHost = std::chrono::milliseconds(10);
constexpr int kMissedBeats = 3;

}  // namespace

std::optional<CommfailAction> commfail_action(std::string_view word) {
  for (const auto action : {CommfailAction::kill_tasks, CommfailAction::ignore_commfail})
    if (word == text(action)) return action;
  return std::nullopt;
}

std::string_view text(CommfailAction action) {
  switch (action) {
    case CommfailAction::kill_tasks:
      return "KILL_TASKS";
    case CommfailAction::ignore_commfail:
      return "IGNORE_COMMFAIL";
    case CommfailAction::end_job:
      break;
  }
  return "";
}

LinkPatience link_patience(std::string_view alive_timeout, std::string_view heartbeat,
                           std::string_view action) {
  LinkPatience patience;
  if (const auto given = parse_seconds(alive_timeout)) patience.silence = *given;
  if (const auto given = parse_seconds(heartbeat); given && *given > Duration{0}) patience.heartbeat = *given;
  patience.action = commfail_action(action).value_or(CommfailAction::end_job);
  return patience;
}

Duration scaled_interval(Duration asked, std::size_t hosts) {
  return std::max(asked, kLeastInterval) + static_cast<std::int64_t>(hosts) * kIntervalPerHost;
}

Duration silence_for(Duration alive_timeout, std::optional<Duration> heartbeat) {
  if (alive_timeout == Duration{0} || !heartbeat) return alive_timeout;
  return std::max(alive_timeout, kMissedBeats * *heartbeat);
}

}  // namespace rollcall
