// UserShares: how much of a daemon each user has, so that one cannot have all of it. A value.
//
// A share is whatever the daemon counts: connections, tasks, bytes. Root has no limit: it could take everything anyway. The owner of
// this value gives back what it took; a user who holds nothing has no entry in the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace rollcall {

class UserShares {
 public:
  using User = std::uint32_t;  // uid_t

  // `most` of each user; 0: any number.
  explicit UserShares(std::size_t most) : most_(most) {}
  void set_most(std::size_t most) { most_ = most; }
  std::size_t most() const { return most_; }

  // False where the user would then have more than `most`; nothing is taken then.
  bool take(User user, std::size_t amount = 1) {
    const std::size_t has = held(user);
    if (user != 0 && most_ != 0 && (has >= most_ || amount > most_ - has)) return false;
    if (amount > 0) held_[user] = has + amount;
    return true;
  }
  // Gives back what was taken; more than that changes nothing.
  void give(User user, std::size_t amount = 1) {
    const auto at = held_.find(user);
    if (at == held_.end()) return;
    at->second -= std::min(at->second, amount);
    if (at->second == 0) held_.erase(at);
  }
  std::size_t held(User user) const {
    const auto at = held_.find(user);
    return at == held_.end() ? 0 : at->second;
  }
  std::size_t users() const { return held_.size(); }

 private:
  std::size_t most_;
  std::unordered_map<User, std::size_t> held_;
};

}  // namespace rollcall
