// distribution: divides a whole number of hosts or slots among consumers by their shares, by the quota method of Balinski and Young
// ("The Quota Method of Apportionment", 1975). Functions.
//
// The method deals one after the other. Each next one goes, among the consumers that it does not lift above their upper quota
// (n x shares / sum, rounded up, for the n dealt so far), to the one with the largest shares / (has + 1); of equal ones to the first
// in the list. So the parts sum to the whole, each is its quota rounded down or up, and no part shrinks when the whole grows.
#pragma once

#include <cstdint>
#include <vector>

#include "common/conf/lsb/lsb_resources.hpp"

namespace rollcall::sched::lease {

// Both keep the sum of all shares below 2^31. consumers_of() of exports.hpp lowers larger shares, and ignores further consumers.
constexpr std::int64_t kMostShares = conf::kMostShares;
constexpr std::size_t kMostConsumers = 1'000;

// Deals one at a time. next() costs time in the logarithm of the number of consumers, on average.
class QuotaDealer {
 public:
  // shares: each from 1 to kMostShares; at most kMostConsumers of them, and at least one.
  explicit QuotaDealer(std::vector<std::int64_t> shares);
  // The consumer, by its place in `shares`, that gets the next one.
  std::size_t next();
  const std::vector<std::int64_t>& dealt() const { return has_; }

 private:
  // By shares / (has + 1), largest first, then by place: a heap of places.
  bool before(std::size_t a, std::size_t b) const;
  bool may_have_more(std::size_t place) const;

  std::vector<std::int64_t> shares_, has_;
  std::vector<std::size_t> heap_, passed_over_;
  std::int64_t sum_ = 0, dealt_ = 0;
};

// The parts of `whole`, as many as `shares`. whole: not negative.
std::vector<std::int64_t> divide(std::int64_t whole, const std::vector<std::int64_t>& shares);

// RES_SELECT: the consumer of each of `count` hosts, in the hosts' order.
std::vector<std::size_t> deal(std::int64_t count, const std::vector<std::int64_t>& shares);

// PER_HOST: the parts of each host, where a host continues the sequence of the one before it. slots: of each host, not negative.
std::vector<std::vector<std::int64_t>> divide_hosts(const std::vector<std::int64_t>& slots,
                                                    const std::vector<std::int64_t>& shares);

}  // namespace rollcall::sched::lease
