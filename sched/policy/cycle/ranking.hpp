// Ranking: the hosts that jobs of one order section and one host list may have, best first: by preference, then by the
// keys of order, then by number. Made once in a cycle for all demands that share both.
//
// It holds hosts that take jobs at all and have a free slot; whether one fits a job is not its question. Where the cycle
// reserves what the order looks at (rusage[mem] with order[mem]), the host moves to its new place.
#pragma once

#include <vector>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

class Ranking {
 public:
  // `list`: nullptr for all hosts.
  Ranking(const WorkingState& state, const HostList* list, const Order& order);

  const std::vector<HostNumber>& hosts() const { return hosts_; }
  // Whether it holds the host.
  bool has(HostNumber host) const { return has_[host] != 0; }
  // `a` is better than `b`; both are in it.
  bool before(HostNumber a, HostNumber b) const;
  // All before this place have no slot left.
  std::size_t first_free(const WorkingState& state);
  // Places that were remembered are void when this has changed.
  unsigned generation() const { return generation_; }
  // Hosts on which something was reserved since the last call, out of the whole cycle's list.
  void follow(const WorkingState& state, const std::vector<HostNumber>& reserved_on);

 private:
  void read_keys(const WorkingState& state, HostNumber host);
  void move(const WorkingState& state, HostNumber host);

  resreq::BoundOrder order_;
  std::vector<HostNumber> hosts_;
  std::vector<double> keys_;  // by host, as many as the order has; smaller first, unknown is the largest
  std::vector<int> preference_;
  std::vector<std::uint8_t> has_;  // by host: it was taken in
  std::size_t first_free_ = 0, followed_ = 0;
  unsigned generation_ = 0;
};

}  // namespace rollcall::sched::cycle
