// LinkWatch: tracks which links of a daemon have yet to prove themselves, do not read, or belong to strangers or known users, and
// which of them are overdue. A value.
//
// It knows links by their ids alone: no socket, no clock, no handler. Links owns it, reports events to it, and closes the links.
//
//   event            | waits for a proof | stranger | user
//   accepted         | yes               | yes      | no
//   dialled          | yes               | no       | no
//   proved, a client | no                | yes      | no
//   proved, a daemon | no                | no       | no
//   identified       | no                | no       | yes
//   gone             | no                | no       | no
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "common/base/connection_shares.hpp"
#include "common/base/job_clock.hpp"
#include "common/io/links.hpp"

namespace rollcall::io {

class LinkWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit LinkWatch(const LinkLimits& limits)
      : time_to_prove_(limits.time_to_prove),
        strangers_({limits.strangers, limits.share}),
        users_({limits.clients, limits.clients}) {}

  void accepted(LinkId link, const ConnectionHolder& holder, Time now) {
    unproved_.emplace(link, now);
    strangers_.add(link, holder);
  }
  void dialled(LinkId link, Time now) { proving_.emplace(link, now); }
  void proved(LinkId link, bool client) {
    unproved_.erase(link);
    proving_.erase(link);
    if (!client) strangers_.remove(link);
  }
  void identified(LinkId link, const ConnectionHolder& user) {
    strangers_.remove(link);
    users_.add(link, user);
  }
  // A request of the link has begun, so it is the most recently active of its holder.
  void renewed(LinkId link) {
    strangers_.renew(link);
    users_.renew(link);
  }
  // It has unsent bytes; it has none any more.
  void stalled(LinkId link) { stalled_.insert(link); }
  void taken(LinkId link) { stalled_.erase(link); }
  void gone(LinkId link) {
    proved(link, false);
    stalled_.erase(link);
    users_.remove(link);
  }
  void clear() {
    for (auto* table : {&unproved_, &proving_}) table->clear();
    stalled_.clear();
    strangers_.clear();
    users_.clear();
  }

  // A link that has not proved itself in time; accepted ones first, then the oldest.
  std::optional<LinkId> late_to_prove(Time now) const {
    for (const auto* waiting : {&unproved_, &proving_})
      if (!waiting->empty() && now - waiting->begin()->second > time_to_prove_)
        return waiting->begin()->first;
    return std::nullopt;
  }
  template <class Is>
  std::vector<LinkId> strangers_where(Is is) const {
    std::vector<LinkId> found;
    strangers_.each([&](LinkId link) {
      if (is(link)) found.push_back(link);
    });
    return found;
  }
  std::vector<LinkId> stalled() const { return {stalled_.begin(), stalled_.end()}; }
  std::size_t without_proof() const { return unproved_.size() + proving_.size(); }
  // True if there is a link that could become overdue.
  bool needed() const { return strangers_.size() > 0 || !proving_.empty() || !stalled_.empty(); }
  const ConnectionShares& strangers() const { return strangers_; }
  const ConnectionShares& users() const { return users_; }

 private:
  Duration time_to_prove_;
  std::map<LinkId, Time> unproved_;  // accepted ones; by age, since ids grow
  std::map<LinkId, Time> proving_;   // dialled ones; nearly by age
  std::set<LinkId> stalled_;
  ConnectionShares strangers_;  // accepted, user unknown
  ConnectionShares users_;      // identified clients
};

}  // namespace rollcall::io
