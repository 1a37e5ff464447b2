// How long a cycle takes that has to preempt: 10,000 full hosts with 100,000 running jobs, and jobs of a higher queue.
//
// preemption [RUNS]: medians of RUNS (5) cycles, milliseconds of CPU. Exit: 0; 1 where a cycle did not what it should.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sched/policy/cycle/scenario.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::cycle;

constexpr int kHosts = 10'000, kJobsOfHost = 10;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

DemandNumber demand(Snapshot& snapshot, const std::string& queue, int slots, const std::string& resreq = "") {
  Demand demand;
  demand.queue = queue;
  demand.user = "ann";
  demand.project = "default";
  demand.min_slots = demand.max_slots = slots;
  demand.resreq = resreq;
  return snapshot.demand(demand);
}

Scenario full_cluster(const char* preemption, const char* preempt_for) {
  std::string text = "Begin Parameters\nPREEMPT_FOR = " + std::string(preempt_for) +
                     "\nEnd Parameters\nBegin Queue\nQUEUE_NAME = owners\nPRIORITY = 40\n" +
                     std::string(preemption) +
                     "End Queue\nBegin Queue\nQUEUE_NAME = low\nPRIORITY = 10\nEnd Queue\n"
                     "Begin Machine\nHOST_NAME STATUS NCPUS r15s r1m pg mem\n";
  for (int i = 0; i < kHosts; ++i)
    text += "host" + std::to_string(i) + " ok 10 0." + std::to_string(i * 7919 % 1000) + " 0.3 0 4000\n";
  auto scenario = read_scenario(text + "End Machine\n", "bench");
  if (!scenario) {
    std::fprintf(stderr, "%s\n", scenario.error().text.c_str());
    std::exit(1);
  }
  const DemandNumber low = demand(scenario->snapshot, "low", 1);
  for (int i = 0; i < kHosts * kJobsOfHost; ++i) {
    PlacedJob job;
    job.key = {1 + i / 1000, 1 + i % 1000};
    job.demand = low;
    job.placement.hosts = {{static_cast<HostNumber>(i % kHosts), 1}};
    job.started = job.status_since = {scenario->now.us - i};
    scenario->snapshot.place(std::move(job));
  }
  return std::move(*scenario);
}

struct Case {
  const char* what;
  int jobs, slots;
  const char* resreq;
  std::size_t victims;
  const char* preempt_for = "-";
};

bool run(const Case& asked, const char* preemption, std::size_t victims, int runs) {
  Scenario cluster = full_cluster(preemption, asked.preempt_for);
  const DemandNumber wanted = demand(cluster.snapshot, "owners", asked.slots, asked.resreq);
  for (int i = 0; i < asked.jobs; ++i) {
    PendingJob job;
    job.key = {1000 + i, 0};
    job.order = i;
    job.demand = wanted;
    cluster.snapshot.wait(std::move(job));
  }
  std::vector<double> times;
  std::size_t suspended = 0;
  for (int i = 0; i < runs; ++i) {
    const double before = cpu_ms();
    suspended = schedule(cluster.snapshot, cluster.now).suspends.size();
    times.push_back(cpu_ms() - before);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-46s %8.1f ms, %zu preempted\n", asked.what, times[times.size() / 2], suspended);
  return suspended == victims;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const Case kCases[] = {
      {"one job", 1, 1, "", 1},
      {"one job of 64 slots", 1, 64, "", 64},
      {"1,000 jobs", 1000, 1, "", 1000},
      {"one job that no host can take", 1, 1, "rusage[mem=8000]", 0},
      {"one job of 64 slots that no hosts can take", 1, 64, "rusage[mem=8000]", 0},
      {"one job of 200,000 slots", 1, 200'000, "", 0},
      {"one job of 64 slots, OPTIMAL_MINI_JOB", 1, 64, "", 64, "OPTIMAL_MINI_JOB"},
      {"the same on one host", 1, 8, "span[hosts=1]", 8, "OPTIMAL_MINI_JOB"},
      {"100 jobs of 8 slots on one host each", 100, 8, "span[hosts=1]", 800, "OPTIMAL_MINI_JOB"}};
  bool right = run({"without PREEMPTION: one job", 1, 1, "", 0}, "", 0, runs);
  for (const Case& asked : kCases)
    right = run(asked, "PREEMPTION = PREEMPTIVE\n", asked.victims, runs) && right;
  if (!right) std::printf("a cycle did not preempt what it should\n");
  return right ? 0 : 1;
}
