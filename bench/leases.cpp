// How long the decisions about leases take.
//
// leases [RUNS]: medians and the 99th percentile of RUNS (101), milliseconds of CPU, of dividing 100,000 slots among ten consumers, host by
// host and as a whole, and of deciding what is reclaimed of 10,000 slots on 1,000 hosts: alone, and with all of the policy round it, from the
// counts of slots to what the lease becomes. Exit: 0; 1 where a result is wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <vector>

#include "sched/policy/lease/distribution.hpp"
#include "sched/policy/lease/lease_terms.hpp"

namespace {

using namespace rollcall::sched::lease;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

bool report(const char* what, int runs, const std::function<bool()>& one) {
  std::vector<double> times;
  bool right = true;
  for (int i = 0; i < runs; ++i) {
    const double begin = cpu_ms();
    right = one() && right;
    times.push_back(cpu_ms() - begin);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-52s median %7.3f ms, 99%% %7.3f ms%s\n", what, times[times.size() / 2],
              times[times.size() * 99 / 100], right ? "" : "  WRONG");
  return right;
}

// Shares with a sum larger than what is dealt and no common divisor: as many slots as they sum to would be divided without being dealt.
std::vector<std::int64_t> uneven_shares(std::int64_t consumers) {
  std::vector<std::int64_t> shares;
  for (std::int64_t i = 0; i < consumers; ++i) shares.push_back(100'003 + 977 * i);
  return shares;
}

// Each part is its quota, rounded down or up.
bool is_division(std::int64_t whole, const std::vector<std::int64_t>& shares) {
  const auto parts = divide(whole, shares);
  const auto sum = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i] < whole * shares[i] / sum || parts[i] > (whole * shares[i] + sum - 1) / sum) return false;
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) == whole;
}

// A shared lease of 1,000 hosts with ten slots each: six are the consumer's, which uses two; the provider uses three of its own.
struct SharedLease {
  LeaseOfPolicy of{{}, "RES_SELECT any", "shared any", {}};
  std::map<std::string, OwnHost> own;
  std::map<std::string, std::int64_t> added;
  Attempts attempts;

  SharedLease() {
    of.lease.id = {"east", 1};
    of.lease.phase = Phase::active;
    of.lease.number = of.lease.acknowledged = {7, 1};
    for (int i = 0; i < 1000; ++i) {
      const std::string host = "host" + std::to_string(i);
      of.lease.hosts.push_back({{host, 6, {}, {}, false}, 6, false, 2, {}});
      of.both_sides[host] = 10;
      own[host] = {10, 3, true, true, 0};
      added[host] = 10;
      attempts[{1, host}] = {2, 0, 0};
    }
  }

  // As LeaseOut::divide() does, but for reading the counts from the snapshot.
  bool reclaimed() const {
    const Division division = reclaim(shared_hosts(of, own, attempts));
    event::Divided divided;
    for (std::size_t i = 0; i < division.consumer_has.size(); ++i)
      divided.consumer_has[of.lease.hosts[i].has.host] = division.consumer_has[i];
    ProviderLease lease = of.lease;
    const auto effects = step(lease, divided, hosts_now(of, {&of}, own, added, attempts), 7);
    return division.to == Division::To::provider && lease.phase == Phase::inactive && effects.size() == 1001;
  }
};

}  // namespace

int main(int count, char** words) {
  const int runs = count > 1 ? std::max(std::atoi(words[1]), 1) : 101;
  const auto few = uneven_shares(10), many = uneven_shares(1000);
  bool right = report("100,000 slots among 10 consumers", runs, [&] { return is_division(100'000, few); });
  right = report("100,000 slots among 1,000 consumers", runs, [&] { return is_division(100'000, many); }) &&
          right;
  right = report("100,000 slots of 10,000 named hosts, 10 consumers", runs,
                 [&] { return divide_hosts(std::vector<std::int64_t>(10'000, 10), few).size() == 10'000; }) &&
          right;
  const std::vector<SharedHost> hosts(1000, {10, 6, 2, 3});
  right = report("reclaim of 10,000 slots on 1,000 hosts", runs,
                 [&] { return reclaim(hosts).to == Division::To::provider; }) &&
          right;
  const SharedLease shared;
  right =
      report("the same, from counts to what the lease becomes", runs, [&] { return shared.reclaimed(); }) &&
      right;
  return right ? 0 : 1;
}
