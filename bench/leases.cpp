// How long the decisions about leases take.
//
// leases [RUNS]: medians and the 99th percentile of RUNS (101), milliseconds of CPU, of dividing 100,000 slots among ten consumers, host by
// host and as a whole, and of deciding what is reclaimed of 10,000 slots on 1,000 hosts. Exit: 0; 1 where a result is wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <vector>

#include "sched/policy/lease/distribution.hpp"
#include "sched/policy/lease/reclaim.hpp"

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

}  // namespace

int main(int count, char** words) {
  const int runs = count > 1 ? std::max(std::atoi(words[1]), 1) : 101;
  const std::vector<std::int64_t> shares{30, 70, 1, 1, 250, 6, 6, 2, 1000, 99};
  bool right = report("100,000 slots among 10 consumers", runs, [&] {
    const auto parts = divide(100'000, shares);
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) == 100'000;
  });
  const std::vector<std::int64_t> many(1000, 7);
  right = report("100,000 slots among 1,000 consumers", runs,
                 [&] {
                   const auto parts = divide(100'000, many);
                   return *std::min_element(parts.begin(), parts.end()) == 100;
                 }) &&
          right;
  right =
      report("100,000 slots of 10,000 named hosts, 10 consumers", runs,
             [&] { return divide_hosts(std::vector<std::int64_t>(10'000, 10), shares).size() == 10'000; }) &&
      right;
  const std::vector<SharedHost> hosts(1000, {10, 6, 2, 3});
  right = report("reclaim of 10,000 slots on 1,000 hosts", runs,
                 [&] { return reclaim(hosts).to == Division::To::provider; }) &&
          right;
  return right ? 0 : 1;
}
