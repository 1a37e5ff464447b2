#include "sched/policy/cycle/ranking.hpp"

#include <algorithm>
#include <cmath>

namespace rollcall::sched::cycle {

Ranking::Ranking(const WorkingState& state, const HostList* list, const Order& order) : order_(order.bound) {
  const auto count = static_cast<HostNumber>(state.rules().hosts.size());
  keys_.resize(count * order_.keys.size());
  preference_.assign(count, 0);
  has_.assign(count, false);
  const auto take = [&](HostNumber host) {
    if (state.free_slots(host) <= 0 || state.host_obstacle(host).obstacle != Obstacle::none) return;
    read_keys(state, host);
    hosts_.push_back(host);
    has_[host] = true;
  };
  if (list == nullptr) {
    for (HostNumber host = 0; host < state.rules().own_hosts; ++host) take(host);
  } else {
    for (const HostPreference& host : list->hosts) {
      preference_[host.host] = host.preference;
      take(host.host);
    }
  }
  std::sort(hosts_.begin(), hosts_.end(), [this](HostNumber a, HostNumber b) { return before(a, b); });
}

void Ranking::read_keys(const WorkingState& state, HostNumber host) {
  double* key = keys_.data() + host * order_.keys.size();
  for (const auto& [id, descending] : order_.keys) {
    const double value = state.order_number(host, id);
    *key++ = std::isnan(value) ? HUGE_VAL : descending ? -value : value;
  }
}

bool Ranking::before(HostNumber a, HostNumber b) const {
  if (preference_[a] != preference_[b]) return preference_[a] > preference_[b];
  const std::size_t width = order_.keys.size();
  const double* const first = keys_.data() + a * width;
  const double* const second = keys_.data() + b * width;
  for (std::size_t i = 0; i < width; ++i)
    if (first[i] != second[i]) return first[i] < second[i];
  return a < b;
}

std::size_t Ranking::first_free(const WorkingState& state) {
  while (first_free_ < hosts_.size() && state.free_slots(hosts_[first_free_]) <= 0) ++first_free_;
  return first_free_;
}

void Ranking::follow(const WorkingState& state, const std::vector<HostNumber>& reserved_on) {
  for (; followed_ < reserved_on.size(); ++followed_) move(state, reserved_on[followed_]);
}

void Ranking::move(const WorkingState& state, HostNumber host) {
  const std::size_t width = order_.keys.size();
  const auto at = keys_.begin() + static_cast<std::ptrdiff_t>(host * width);
  old_keys_.assign(at, at + static_cast<std::ptrdiff_t>(width));
  const auto less = [this](HostNumber a, HostNumber b) { return before(a, b); };
  const auto place = std::lower_bound(hosts_.begin(), hosts_.end(), host, less);
  if (place == hosts_.end() || *place != host) return;
  read_keys(state, host);
  if (std::equal(old_keys_.begin(), old_keys_.end(), at)) return;
  ++generation_;
  first_free_ = 0;
  hosts_.erase(place);
  if (state.free_slots(host) > 0)
    hosts_.insert(std::lower_bound(hosts_.begin(), hosts_.end(), host, less), host);
}

}  // namespace rollcall::sched::cycle
