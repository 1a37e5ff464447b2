// Ranking: the hosts for one order section and one host list, best first: by preference, then by the keys of order, then by
// number. Made once in a cycle for all demands that share both.
//
// It holds hosts that accept jobs and have a free slot; HostSearch decides whether one suits a job. If the cycle reserves a
// resource that the order compares (rusage[mem] with order[mem]), the host moves to its new place.
#pragma once

#include <vector>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

class Ranking {
 public:
  // `list`: nullptr for all hosts of ours.
  Ranking(const WorkingState& state, const HostList* list, const Order& order);

  const std::vector<HostNumber>& hosts() const { return hosts_; }
  // Whether it holds the host.
  bool has(HostNumber host) const { return has_[host] != 0; }
  // `a` is better than `b`; both must be in the ranking.
  bool before(HostNumber a, HostNumber b) const;
  // The place of the first host with a free slot.
  std::size_t first_free(const WorkingState& state);
  // Changes when hosts move: places remembered before are then invalid.
  unsigned generation() const { return generation_; }
  // Moves the hosts on which something was reserved since the last call. `reserved_on` is the list of the whole cycle.
  void follow(const WorkingState& state, const std::vector<HostNumber>& reserved_on);

 private:
  void read_keys(const WorkingState& state, HostNumber host);
  void move(const WorkingState& state, HostNumber host);

  resreq::BoundOrder order_;
  std::vector<HostNumber> hosts_;
  std::vector<double> keys_;      // by host, as many as the order has; smaller first, unknown is the largest
  std::vector<double> old_keys_;  // of the host that moves; a member, so that no move allocates
  std::vector<int> preference_;
  std::vector<std::uint8_t> has_;  // by host: it was taken in
  std::size_t first_free_ = 0, followed_ = 0;
  unsigned generation_ = 0;
};

}  // namespace rollcall::sched::cycle
