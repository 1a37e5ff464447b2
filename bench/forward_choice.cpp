// How long it takes to choose among 1,000 remote queues for one job.
//
// forward_choice [RUNS]: medians of RUNS (1001) choices, microseconds of CPU. Each queue has 2 host types and 8 Booleans, and the
// job asks for a type and two Booleans. Exit: 0; 1 where a choice did not offer what it should.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sched/policy/forward/choice.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::sched::forward;
using Kind = conf::ForwardChoice::Kind;

constexpr int kQueues = 1000;

double cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

// available: of the last queue; each queue before it has one slot less, so that every queue is better than those before.
std::vector<RemoteQueue> remote_queues(int available, int preemptable) {
  std::vector<RemoteQueue> queues;
  for (int i = 0; i < kQueues; ++i) {
    RemoteQueue queue;
    queue.name = {"receive_from_all", "cluster" + std::to_string(i)};
    const int less = kQueues - 1 - i;
    queue.figures = Figures{
        {100'000, std::max(available - less, 0), 50'000, 10, std::max(preemptable - less, 0)}, 50, {}};
    queue.priority = 30 + i % 3;
    queue.lowest_preemptable = 10 + i % 5;
    queue.types = {"X86_64", "LINUX_ARM64"};
    for (const char* name :
         {"bigmem", "gpu", "infiniband", "scratch", "matlab", "licensed", "quiet", "avx512"})
      queue.booleans.emplace_back(name);
    queues.push_back(std::move(queue));
  }
  return queues;
}

struct Case {
  const char* what;
  conf::ForwardChoice choice;
  int available, preemptable;
  std::size_t offers;
};

bool run(const Case& asked, int runs) {
  const QueueTable queues = remote_queues(asked.available, asked.preemptable);
  const ForwardJob job{
      .min_slots = 4, .max_slots = 4, .types = {"LINUX_ARM64"}, .booleans = {"avx512", "gpu"}};
  Settings settings;
  settings.choice = asked.choice;
  std::vector<double> times;
  std::size_t offers = 0;
  for (int i = 0; i < runs; ++i) {
    const double before = cpu_us();
    offers = choose(job, queues, settings).offers.size();
    times.push_back(cpu_us() - before);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-62s %6.1f us (99 %%: %.1f), %zu offers\n", asked.what, times[times.size() / 2],
              times[times.size() * 99 / 100], offers);
  return offers == asked.offers;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1001;
  const conf::ForwardChoice all{Kind::count_preemptable, true, true, true};
  const Case kCases[] = {{"in the order of SNDJOBS_TO", {}, 5000, 0, 3},
                         {"RESOURCE_ONLY, all have free slots", {Kind::resource_only}, 5000, 0, 3},
                         {"COUNT_PREEMPTABLE with all three words, all have free slots", all, 5000, 5000, 3},
                         {"the same, all have to preempt", all, 0, 5000, 3},
                         {"COUNT_PREEMPTABLE, all have room alone", {Kind::count_preemptable}, 0, 0, 3},
                         {"PENDING_WHEN_NOSLOTS, none has slots", all, 0, 0, 0}};
  bool right = true;
  for (const Case& asked : kCases) right = run(asked, runs) && right;
  if (!right) std::printf("a choice did not offer what it should\n");
  return right ? 0 : 1;
}
