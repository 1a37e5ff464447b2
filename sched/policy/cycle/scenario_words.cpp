#include "sched/policy/cycle/scenario_words.hpp"

#include <algorithm>
#include <map>

#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::cycle {
namespace {

// A Sunday, 00:00.
constexpr std::int64_t kSunday = (3 + 7 * 2900) * std::int64_t{86400};

}  // namespace

WallTime scenario_time(const std::string& day, const std::string& clock) {
  const std::string days = "SunMonTueWedThuFriSat";
  const auto hour = parse_whole(clock.substr(0, clock.find(':')), 0, 23);
  const auto minute = parse_whole(clock.substr(std::min(clock.find(':'), clock.size() - 1) + 1), 0, 59);
  return wall_seconds(kSunday + static_cast<std::int64_t>(days.find(day) / 3) * 86400 +
                      hour.value_or(0) * 3600 + minute.value_or(0) * 60);
}

std::optional<JobRange> job_range(const std::string& text) {
  const std::size_t open = text.find('[');
  const auto id = parse_whole(text.substr(0, open), 1, kMaxTasks);
  JobRange range{id.value_or(0)};
  if (open != std::string::npos && text.ends_with(']')) {
    const auto ends = conf::split_words(text.substr(open + 1, text.size() - open - 2), "-");
    range.first = ends.empty() ? 0 : parse_whole(ends.front(), 1, kMaxTasks).value_or(0);
    range.last = ends.empty() ? 0 : parse_whole(ends.back(), 1, kMaxTasks).value_or(0);
  }
  return id && (open == std::string::npos || range.first > 0) ? std::optional(range) : std::nullopt;
}

std::uint32_t suspend_reason(const std::string& word) {
  static const std::map<std::string, std::uint32_t> reasons{
      {"LOAD", wire::SUSPEND_LOAD},          {"WINDOW", wire::SUSPEND_WINDOW},
      {"USER", wire::SUSPEND_USER},          {"ADMIN", wire::SUSPEND_ADMIN},
      {"LOCKED", wire::SUSPEND_HOST_LOCKED}, {"PREEMPT", wire::SUSPEND_PREEMPT}};
  const auto found = reasons.find(word);
  return found == reasons.end() ? 0 : found->second;
}

std::vector<std::string> suspend_words(std::uint32_t reasons) {
  std::vector<std::string> words;
  for (const auto& [bit, name] : {std::pair<std::uint32_t, const char*>{wire::SUSPEND_LOAD, "LOAD"},
                                  {wire::SUSPEND_WINDOW, "WINDOW"},
                                  {wire::SUSPEND_HOST_LOCKED, "LOCKED"},
                                  {wire::SUSPEND_PREEMPT, "PREEMPT"},
                                  {wire::SUSPEND_USER, "USER"},
                                  {wire::SUSPEND_ADMIN, "ADMIN"}})
    if ((reasons & bit) != 0) words.emplace_back(name);
  return words;
}

}  // namespace rollcall::sched::cycle
