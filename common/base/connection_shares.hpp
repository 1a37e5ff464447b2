// ConnectionShares: which connection of a daemon is closed when too many are open. A value.
//
// A daemon has one of these for strangers (connections whose user is not known yet) and one for identified clients. Each
// connection belongs to a holder: a user of this host where the kernel names one, else the address it comes from. One holder has
// at most a share. Where the table is crowded, the oldest connection of the holder with the most goes, so a holder with few
// connections always finds room. Trusted holders (root, the daemon's own user) have no share and lose theirs last: they could stop
// the daemon anyway. The value asks nobody: who the holder is comes from io/peer_holder.hpp.
//
// surplus(newest), in this order    | goes
//   its holder has over `each`      | the oldest of that holder
//   over 3/4 of `all`               | the oldest of the holder with the most, where that is another one with more;
//                                   | or of its own holder, where that has the most and more than a few
//   else                            | none; at `all` the caller stops accepting: holders with few connections are many hosts that
//                                   | come at once (a new master), and each of them is about to prove itself
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

namespace rollcall {

struct ConnectionHolder {
  std::string name;      // "uid 1000", "10.0.0.5"
  bool trusted = false;  // root, or the daemon's own user
};

class ConnectionShares {
 public:
  using Id = std::uint64_t;
  struct Limits {
    std::size_t all = 4096;   // connections of everybody
    std::size_t each = 1024;  // of one holder that is not trusted
  };
  explicit ConnectionShares(Limits limits) : limits_(limits) {}
  ConnectionShares(const ConnectionShares&) = delete;
  ConnectionShares& operator=(const ConnectionShares&) = delete;

  void add(Id id, const ConnectionHolder& holder);
  // The connection was active: it becomes the youngest of its holder. renew() and remove() ignore an unknown id.
  void renew(Id id);
  void remove(Id id);
  void clear();

  std::optional<Id> surplus(Id newest) const;
  std::optional<Id> oldest_of_most() const;
  bool full() const { return places_.size() >= limits_.all; }
  bool has(Id id) const { return places_.count(id) != 0; }
  std::size_t size() const { return places_.size(); }
  std::size_t holders() const { return groups_.size(); }
  std::size_t held(const std::string& holder) const;
  // All ids, in no order.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [id, place] : places_) visit(id);
  }
  const Limits& limits() const { return limits_; }

 private:
  struct Group {
    std::string name;
    bool trusted = false;
    std::uint64_t number = 0;              // by which two with as many connections are ordered
    std::map<std::uint64_t, Id> by_age{};  // the oldest first
  };
  struct Place {
    Group* group = nullptr;
    std::uint64_t age = 0;
  };
  using Rank = std::tuple<bool, std::size_t, std::uint64_t>;  // untrusted, how many, number
  static Rank rank(const Group& group) { return {!group.trusted, group.by_age.size(), group.number}; }
  template <class Change>
  void change(Group& group, Change what);

  Limits limits_;
  std::map<std::string, Group> groups_;
  std::map<Rank, Group*> ranks_;  // the holder with the most is the last
  std::unordered_map<Id, Place> places_;
  std::uint64_t next_ = 1;
};

}  // namespace rollcall
