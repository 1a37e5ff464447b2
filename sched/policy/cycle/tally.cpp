#include "sched/policy/cycle/tally.hpp"

#include <algorithm>

namespace rollcall::sched::cycle {
namespace {

using Names = std::optional<std::vector<std::string>>;

// `mine`: the user's (queue's, ...) name and the groups it belongs to. "~name" overrides.
bool admits(const Names& list, const std::vector<std::string>& mine) {
  if (!list) return true;
  const auto named = [&mine](std::string_view word) {
    return word == "all" || std::find(mine.begin(), mine.end(), word) != mine.end();
  };
  bool in = false;
  for (const std::string& word : *list) {
    if (word.starts_with('~') && named(std::string_view(word).substr(1))) return false;
    if (!word.starts_with('~') && named(word)) in = true;
  }
  return in;
}

}  // namespace

std::vector<Charge> Tallies::charges(const PlacementRules& rules, const Demand& demand) {
  std::vector<Charge> charges;
  const auto users = rules.names_of(demand.user);
  const conf::PreemptFor& preempt_for = rules.preempt_for(demand.application);
  for (std::uint32_t number = 0; number < rules.limits.size(); ++number) {
    const LimitRule& rule = rules.limits[number];
    if (!admits(rule.users, users) || !admits(rule.queues, {demand.queue}) ||
        !admits(rule.projects, {demand.project}) || !admits(rule.applications, {demand.application}))
      continue;
    TallyName name{number, {}, {}, {}, {}};
    if (rule.per_user) name.user = demand.user;
    if (rule.per_queue) name.queue = demand.queue;
    if (rule.per_project) name.project = demand.project;
    if (rule.per_application) name.application = demand.application;
    const auto [found, added] = numbers.emplace(std::move(name), static_cast<TallyNumber>(taken.size()));
    if (added) taken.push_back(0);
    const bool left_out = rule.running_only_with != nullptr && preempt_for.*rule.running_only_with;
    charges.push_back({found->second, number, rule.running_only || left_out});
  }
  return charges;
}

double held(const PlacementRules& rules, const PlacedJob& job, const Reservation& reservation, WallTime now) {
  const auto& definition = rules.indices().at(reservation.resource);
  const bool shared = rules.shared_resource(reservation.resource);
  // The provider of a borrowed host counts what the attempt reserves until it is over.
  const bool lent = shared && rules.borrowed(reservation.host);
  if (shared && !lent && definition.release && job.suspended != 0) return 0;
  double amount = reservation.amount;
  if (ends(reservation)) {
    if (now >= reservation.until) return 0;
    const double whole = static_cast<double>(reservation.until.us - job.started.us);
    const double left = static_cast<double>(reservation.until.us - now.us);
    if (reservation.decay && whole > 0) amount *= std::min(1.0, left / whole);
  }
  const double used = reservation.resource == mem   ? job.used_mem
                      : reservation.resource == swp ? job.used_swp
                                                    : 0;
  if (shared || used <= 0) return amount;
  int all = 0, here = 0;
  for (const SlotsOn& on : job.placement.hosts) {
    all += on.slots;
    if (on.host == reservation.host) here += on.slots;
  }
  return all == 0 ? amount : std::max(0.0, amount - used * here / all);
}

double counted(const LimitRule& rule, const PlacedJob& job, HostNumber host) {
  const auto counts = [&](HostNumber other) {
    return (host == kNoHost || host == other) && (!rule.hosts || (*rule.hosts)[other]);
  };
  double count = 0;
  if (rule.of == LimitOf::resource) {
    for (const Reservation& reservation : job.placement.reservations)
      if (reservation.resource == rule.resource && counts(reservation.host)) count += reservation.amount;
    return count;
  }
  for (const SlotsOn& on : job.placement.hosts)
    if (counts(on.host)) count += rule.of == LimitOf::slots ? on.slots : 1;
  return rule.of == LimitOf::jobs ? std::min(count, 1.0) : count;
}

}  // namespace rollcall::sched::cycle
