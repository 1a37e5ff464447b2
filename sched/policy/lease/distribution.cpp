#include "sched/policy/lease/distribution.hpp"

#include <algorithm>
#include <numeric>

namespace rollcall::sched::lease {

QuotaDealer::QuotaDealer(std::vector<std::int64_t> shares)
    : shares_(std::move(shares)), has_(shares_.size(), 0), heap_(shares_.size()) {
  sum_ = std::accumulate(shares_.begin(), shares_.end(), std::int64_t{0});
  std::iota(heap_.begin(), heap_.end(), 0);
  std::make_heap(heap_.begin(), heap_.end(), [this](auto a, auto b) { return before(b, a); });
}

// Products stay below 2^63: shares below 2^20, and 2^31 dealt at the most.
bool QuotaDealer::before(std::size_t a, std::size_t b) const {
  const std::int64_t left = shares_[a] * (has_[b] + 1), right = shares_[b] * (has_[a] + 1);
  return left != right ? left > right : a < b;
}

// It has less than its exact quota of all that will be dealt with this one.
bool QuotaDealer::may_have_more(std::size_t place) const {
  return has_[place] * sum_ < (dealt_ + 1) * shares_[place];
}

std::size_t QuotaDealer::next() {
  const auto order = [this](auto a, auto b) { return before(b, a); };
  const auto take = [&] {
    std::pop_heap(heap_.begin(), heap_.end(), order);
    const std::size_t place = heap_.back();
    heap_.pop_back();
    return place;
  };
  const auto put = [&](std::size_t place) {
    heap_.push_back(place);
    std::push_heap(heap_.begin(), heap_.end(), order);
  };
  // One is always below its quota, as all quotas sum to what is dealt.
  std::size_t chosen = take();
  passed_over_.clear();
  while (!may_have_more(chosen)) {
    passed_over_.push_back(chosen);
    chosen = take();
  }
  for (const std::size_t place : passed_over_) put(place);
  ++has_[chosen];
  ++dealt_;
  put(chosen);
  return chosen;
}

std::vector<std::int64_t> divide(std::int64_t whole, const std::vector<std::int64_t>& shares) {
  return divide_hosts({whole}, shares).front();
}

std::vector<std::size_t> deal(std::int64_t count, const std::vector<std::int64_t>& shares) {
  std::vector<std::size_t> consumers;
  if (shares.empty()) return consumers;
  QuotaDealer dealer(shares);
  consumers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) consumers.push_back(dealer.next());
  return consumers;
}

std::vector<std::vector<std::int64_t>> divide_hosts(const std::vector<std::int64_t>& slots,
                                                    const std::vector<std::int64_t>& shares) {
  std::vector<std::vector<std::int64_t>> parts;
  parts.reserve(slots.size());
  if (shares.empty()) return std::vector<std::vector<std::int64_t>>(slots.size());
  QuotaDealer dealer(shares);
  // As many slots as the shares sum to, from wherever in the row, are dealt as the shares are: no quota leaves another choice where it is a
  // whole number, and the row repeats from there.
  const auto divisor = std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                                       [](auto a, auto b) { return std::gcd(a, b); });
  const std::int64_t row = std::accumulate(shares.begin(), shares.end(), std::int64_t{0}) / divisor;
  for (const std::int64_t of_host : slots) {
    std::vector<std::int64_t> part;
    for (const std::int64_t share : shares) part.push_back(of_host / row * (share / divisor));
    for (std::int64_t i = 0; i < of_host % row; ++i) ++part[dealer.next()];
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace rollcall::sched::lease
