#include "sched/policy/cycle/user_limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rollcall::sched::cycle {
namespace {

// `rule` says whose they are.
void add_limits(const conf::UserLimits& row, LimitRule rule, const std::string& of_group,
                std::vector<LimitRule>& limits) {
  const std::string whose = rule.per_user ? "The user has reached his/her job slot limit"
                                          : "The user group has reached its job slot limit";
  const auto add = [&](const char* name, double amount, const std::string& reason) {
    rule.name = name;
    rule.place = rule.name + " of " + row.name + " in lsb.users" + of_group;
    rule.reason = reason;
    rule.amounts = {{amount, false, {}}};
    limits.push_back(rule);
  };
  if (row.max_jobs) add("MAX_JOBS", *row.max_jobs, whose);
  if (!row.per_processor) return;
  rule.per_host = rule.per_processor = true;
  add("JL/P", *row.per_processor, whose + " per processor of the host");
}

}  // namespace

std::vector<LimitRule> user_limits(const conf::LsbUsers& users) {
  const auto is_group = [&](const std::string& name) {
    return std::any_of(users.groups.begin(), users.groups.end(),
                       [&](const auto& g) { return g.name == name; });
  };
  const auto has_row = [&](const std::string& group) {
    return std::any_of(users.users.begin(), users.users.end(),
                       [&](const auto& row) { return row.name == group || row.name == group + "@"; });
  };
  std::vector<LimitRule> limits;
  for (const auto& row : users.users) {
    LimitRule rule;
    rule.per_user = !is_group(row.name);
    rule.users = {{row.name.ends_with('@') ? row.name.substr(0, row.name.size() - 1) : row.name}};
    if (row.name != "default") {
      add_limits(row, std::move(rule), "", limits);
      continue;
    }
    rule.users = {{"all"}};
    for (const auto& other : users.users)
      if (!is_group(other.name) && !other.name.ends_with('@') && other.name != "default")
        rule.users->push_back("~" + other.name);
    add_limits(row, rule, "", limits);
    rule.per_user = false;
    for (const auto& group : users.groups) {
      if (has_row(group.name)) continue;
      rule.users = {{group.name}};
      add_limits(row, rule, " for group " + group.name, limits);
    }
  }
  return limits;
}

}  // namespace rollcall::sched::cycle
