#include "sched/policy/values/tickets.hpp"

#include <algorithm>

namespace rollcall::sched {

// Nonces are random and come from holders of the secret, so their first bytes serve as hash.
std::size_t Tickets::NonceHash::operator()(const Nonce& nonce) const {
  std::size_t hash = 0;
  std::copy_n(nonce.begin(), sizeof hash, reinterpret_cast<std::uint8_t*>(&hash));
  return hash;
}

// Through volatile: otherwise the compiler removes writes that are never read.
Tickets::Entry::~Entry() {
  for (auto& byte : secret) *static_cast<volatile std::uint8_t*>(&byte) = 0;
}

std::optional<Tickets::Given> Tickets::give(const TicketHolder& holder, const Given& random, Duration life,
                                            Now now) {
  forget_old(now);
  if (life <= Duration::zero()) return std::nullopt;
  const auto newest = newest_.find(holder);
  if (newest != newest_.end()) {
    const Entry& has = tickets_.at(newest->second);
    if (!has.spent && has.ends - now >= life / 2 && has.nonces.size() < kMostUses / 2)
      return Given{newest->second, has.secret};
  }
  if (tickets_.size() >= kMost || tickets_.count(random.id) != 0) return std::nullopt;
  std::size_t& of_user = of_user_[holder.uid];
  if (of_user >= kMostOfUser) return std::nullopt;
  ++of_user;
  Entry& entry = tickets_[random.id];
  entry.holder = holder;
  entry.secret = random.secret;
  entry.given = now;
  entry.ends = now + life;
  newest_[holder] = random.id;
  by_end_.emplace(entry.ends, random.id);
  return random;
}

const Tickets::Entry* Tickets::good(const Id& id, Now now) const {
  const auto found = tickets_.find(id);
  return found == tickets_.end() || found->second.spent || now >= found->second.ends ? nullptr
                                                                                     : &found->second;
}

std::optional<Tickets::Bytes32> Tickets::secret(const Id& id, const std::string& address, Now now) const {
  const Entry* const entry = good(id, now);
  if (entry == nullptr || entry->holder.address != address) return std::nullopt;
  return entry->secret;
}

bool Tickets::spend(const Id& id, const Bytes32& nonce, Now now) {
  if (good(id, now) == nullptr) return false;
  Entry& entry = tickets_.at(id);
  if (entry.nonces.size() >= kMostUses || nonces_ >= kMostNonces) {
    nonces_ -= entry.nonces.size();
    entry.nonces.clear();
    entry.spent = true;  // without its nonces replays cannot be detected any more
    return false;
  }
  Nonce half;
  std::copy_n(nonce.begin(), half.size(), half.begin());
  if (!entry.nonces.insert(half).second) return false;
  ++nonces_;
  return true;
}

const TicketHolder* Tickets::holder(const Id& id) const {
  const auto found = tickets_.find(id);
  return found == tickets_.end() ? nullptr : &found->second.holder;
}

void Tickets::forget_old(Now now) {
  while (!by_end_.empty() && by_end_.begin()->first + kLinger <= now) {
    const auto entry = tickets_.find(by_end_.begin()->second);
    nonces_ -= entry->second.nonces.size();
    if (const auto user = of_user_.find(entry->second.holder.uid); --user->second == 0) of_user_.erase(user);
    const auto newest = newest_.find(entry->second.holder);
    if (newest != newest_.end() && newest->second == entry->first) newest_.erase(newest);
    tickets_.erase(entry);
    by_end_.erase(by_end_.begin());
  }
}

}  // namespace rollcall::sched
