#include "common/base/connection_shares.hpp"

namespace rollcall {
namespace {

constexpr std::size_t kFew = 16;  // connections that a host with several daemons and clients has at once

}  // namespace

template <class Change>
void ConnectionShares::change(Group& group, Change what) {
  ranks_.erase(rank(group));
  what();
  if (group.by_age.empty())
    groups_.erase(group.name);
  else
    ranks_.emplace(rank(group), &group);
}

void ConnectionShares::add(Id id, const ConnectionHolder& holder) {
  if (has(id)) return;
  const auto [at, is_new] = groups_.try_emplace(holder.name);
  Group& group = at->second;
  if (is_new) group = {holder.name, holder.trusted, next_++, {}};
  change(group, [&] {
    const std::uint64_t age = next_++;
    group.by_age.emplace(age, id);
    places_[id] = {&group, age};
  });
}

void ConnectionShares::renew(Id id) {
  const auto at = places_.find(id);
  if (at == places_.end()) return;
  auto& [group, age] = at->second;
  group->by_age.erase(age);
  age = next_++;
  group->by_age.emplace(age, id);
}

void ConnectionShares::remove(Id id) {
  const auto at = places_.find(id);
  if (at == places_.end()) return;
  const Place place = at->second;
  places_.erase(at);
  change(*place.group, [&] { place.group->by_age.erase(place.age); });
}

void ConnectionShares::clear() {
  places_.clear();
  ranks_.clear();
  groups_.clear();
}

std::optional<ConnectionShares::Id> ConnectionShares::oldest_of_most() const {
  if (ranks_.empty()) return std::nullopt;
  return ranks_.rbegin()->second->by_age.begin()->second;
}

std::optional<ConnectionShares::Id> ConnectionShares::surplus(Id newest) const {
  const auto at = places_.find(newest);
  if (at == places_.end()) return std::nullopt;
  const Group& own = *at->second.group;
  const auto held = own.by_age.size();
  if (!own.trusted && held > limits_.each) return own.by_age.begin()->second;
  if (places_.size() <= limits_.all / 4 * 3) return std::nullopt;
  const Group& most = *ranks_.rbegin()->second;
  if (&most == &own) {
    if (own.trusted || held <= kFew) return std::nullopt;
    return own.by_age.begin()->second;
  }
  const bool has_more = own.trusted ? !most.trusted : most.by_age.size() > held;
  if (!has_more) return std::nullopt;
  return most.by_age.begin()->second;
}

std::size_t ConnectionShares::held(const std::string& holder) const {
  const auto at = groups_.find(holder);
  return at == groups_.end() ? 0 : at->second.by_age.size();
}

}  // namespace rollcall
