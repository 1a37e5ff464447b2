// UserShares: how much of a daemon each user has, so that one cannot have all of it. A value.
//
// A share is whatever the daemon counts: connections, tasks. Root has no limit: it could take everything anyway. Who takes
// gives back; what is not held by anybody is forgotten, so the table is as large as the users that are there.
#pragma once

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

  // False where the user has as many as one may have; nothing is taken then.
  bool take(User user) {
    if (user != 0 && most_ != 0 && held(user) >= most_) return false;
    ++held_[user];
    return true;
  }
  // One that was taken; more than that changes nothing.
  void give(User user) {
    const auto at = held_.find(user);
    if (at != held_.end() && --at->second == 0) held_.erase(at);
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
