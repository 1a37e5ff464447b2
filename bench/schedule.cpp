// What a scheduling cycle costs: bench_schedule [--small] [RUNS]
//
// A cluster of 10,000 hosts with 10 slots each, and jobs that wait: 100,000 and 1,000,000 of them; of one demand, of 100 and
// of 10,000 different ones. Questions: the first cycle of an empty cluster (as many jobs as there are slots start), a
// cycle of a full cluster (nothing starts), one where nothing fits (a sum that no host has), the same where no index can tell
// ("==", so that every select is tried on all hosts), and one where memory runs out while slots are left, so that most
// demands find nothing. Medians of RUNS.
// Then the same jobs where each of 100,000 has a run limit of its own: it must make no demand of its own.
// Then what an element of an array costs from its submission to its dispatch here: into the snapshot, its share of the
// cycle, and the plan applied.
// Then a fifth of the hosts is borrowed: what a cycle costs beside one with hosts of ours alone, in turn; and what a lease of these
// hosts costs when it comes, when it goes, and when its slots change, with 100,000 jobs that wait.
#include "sched/policy/cycle/schedule.hpp"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sched/policy/cycle/scenario.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::sched;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double peak_gib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024 * 1024);
}

// The last `borrowed` of the hosts are another cluster's.
cycle::Scenario cluster_of(int hosts, int borrowed = 0) {
  const auto columns = [](int i) {
    return "0." + std::to_string(i * 7919 % 1000) + " 0.3 0 " + std::to_string(4000 + i * 37 % 64000) +
           " 9000\n";
  };
  std::string text = "Begin Machine\nHOST_NAME STATUS NCPUS r15s r1m pg mem tmp\n";
  for (int i = 0; i < hosts - borrowed; ++i) text += "host" + std::to_string(i) + " ok 10 " + columns(i);
  text += "End Machine\n";
  if (borrowed > 0) {
    text +=
        "Begin Queue\nQUEUE_NAME = normal\nHOSTS = all allremote\nEnd Queue\n"
        "Begin Borrowed\nHOST_NAME STATUS NCPUS SLOTS r15s r1m pg mem tmp\n";
    for (int i = hosts - borrowed; i < hosts; ++i)
      text += "host" + std::to_string(i) + "@east ok 10 10 " + columns(i);
    text += "End Borrowed\n";
  }
  auto scenario = cycle::read_scenario(text, "bench");
  if (!scenario) {
    std::fprintf(stderr, "%s\n", scenario.error().text.c_str());
    std::exit(1);
  }
  return std::move(*scenario);
}

enum class Asks { what_fits, what_does_not, what_no_index_knows, much_memory };

std::string resreq_of(Asks asks, int number) {
  const std::string amount = std::to_string((asks == Asks::what_fits ? 1000 : 1'000'000) + number / 10);
  switch (asks) {
    case Asks::what_does_not:
      return "select[type == local && mem + tmp > " + amount + "] order[r15s:pg] rusage[mem=100]";
    case Asks::what_no_index_knows:
      return "select[type == local && mem + tmp == " + amount + "] order[r15s:pg] rusage[mem=100]";
    case Asks::much_memory:
      return "select[type == local] order[r15s:pg] rusage[mem=" + std::to_string(15'000 + number / 10) + "]";
    default:
      return "select[type == local && mem > " + amount + "] order[r15s:pg] rusage[mem=100]";
  }
}

// Demands that differ in their user, and (a tenth of that) in what they ask for.
cycle::Demand demand_number(int number, Asks asks) {
  cycle::Demand demand;
  demand.queue = "normal";
  demand.user = "user" + std::to_string(number);
  demand.project = "default";
  demand.resreq = resreq_of(asks, number);
  demand.from_type = "X86_64";
  return demand;
}

enum class RunLimits { none, different };

void add_jobs(cycle::Snapshot& snapshot, int jobs, int demands, Asks asks,
              RunLimits limits = RunLimits::none) {
  std::vector<cycle::DemandNumber> numbers;
  for (int i = 0; i < demands; ++i) numbers.push_back(snapshot.demand(demand_number(i, asks)));
  for (int i = 0; i < jobs; ++i) {
    cycle::PendingJob job;
    job.key = {1 + i / 10'000, 1 + i % 10'000};
    job.order = i;
    job.demand = numbers[static_cast<std::size_t>(i) % numbers.size()];
    if (limits == RunLimits::different) job.times.run_limit_s = 60 + i;
    snapshot.wait(std::move(job));
  }
}

struct Measured {
  double milliseconds = 0;
  std::size_t started = 0;
};
Measured cycles(const cycle::Snapshot& snapshot, WallTime now, int runs) {
  std::vector<double> times;
  Measured measured;
  for (int run = 0; run < runs; ++run) {
    const double before = cpu_seconds();
    const cycle::Plan plan = cycle::schedule(snapshot, now);
    times.push_back((cpu_seconds() - before) * 1e3);
    measured.started = plan.dispatches.size();
  }
  std::sort(times.begin(), times.end());
  measured.milliseconds = times[times.size() / 2];
  return measured;
}

bool row(const cycle::Scenario& cluster, int jobs, int demands, int runs) {
  cycle::Snapshot empty = cluster.snapshot;
  add_jobs(empty, jobs, demands, Asks::what_fits);
  const Measured first = cycles(empty, cluster.now, runs);
  cycle::apply(cycle::schedule(empty, cluster.now), cluster.now, empty);
  const Measured full = cycles(empty, cluster.now, runs);
  const auto asking = [&](Asks asks) {
    cycle::Snapshot snapshot = cluster.snapshot;
    add_jobs(snapshot, jobs, demands, asks);
    return cycles(snapshot, cluster.now, demands > 1000 ? 1 : runs);
  };
  const Measured nothing = asking(Asks::what_does_not), tried = asking(Asks::what_no_index_knows),
                 runs_out = asking(Asks::much_memory);
  std::printf("%9d %8d  %9.1f %8zu  %9.1f  %9.1f  %9.1f  %9.1f %8zu\n", jobs, demands, first.milliseconds,
              first.started, full.milliseconds, nothing.milliseconds, tried.milliseconds,
              runs_out.milliseconds, runs_out.started);
  const auto slots = cluster.snapshot.rules().hosts.size() * 10;
  return first.started == std::min<std::size_t>(slots, static_cast<std::size_t>(jobs)) &&
         nothing.started == 0 && tried.started == 0;
}

// The same jobs without run limits, and with one of its own for each.
bool limits_row(const cycle::Scenario& cluster, int jobs, int runs) {
  const auto measured = [&](RunLimits limits) {
    cycle::Snapshot snapshot = cluster.snapshot;
    const double before = cpu_seconds();
    add_jobs(snapshot, jobs, 100, Asks::what_fits, limits);
    const double taken_in = (cpu_seconds() - before) * 1e3;
    const Measured first = cycles(snapshot, cluster.now, runs);
    std::printf("%d jobs, %s run limits: %zu demands, %.1f ms into the snapshot, %.1f ms a cycle\n", jobs,
                limits == RunLimits::different ? "different" : "no", snapshot.demands().size(), taken_in,
                first.milliseconds);
    return snapshot.demands().size();
  };
  return measured(RunLimits::none) == measured(RunLimits::different);
}

// Microseconds of CPU for each element of an array of `elements`.
double element_cost(const cycle::Scenario& cluster, int elements) {
  cycle::Snapshot snapshot = cluster.snapshot;
  const double before = cpu_seconds();
  add_jobs(snapshot, elements, 1, Asks::what_fits);
  const cycle::Plan plan = cycle::schedule(snapshot, cluster.now);
  cycle::apply(plan, cluster.now, snapshot);
  return (cpu_seconds() - before) * 1e6 / elements;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Cycles with borrowed hosts and without, in turn. True: both start as many jobs, so the borrowed hosts are looked at.
bool borrowed_row(const cycle::Scenario& ours, const cycle::Scenario& mixed, int jobs, int demands, Asks asks,
                  int runs) {
  cycle::Snapshot without = ours.snapshot, with = mixed.snapshot;
  add_jobs(without, jobs, demands, asks);
  add_jobs(with, jobs, demands, asks);
  std::vector<double> a, b;
  bool right = true;
  for (int run = 0; run < runs; ++run) {
    const Measured local = cycles(without, ours.now, 1), both = cycles(with, mixed.now, 1);
    a.push_back(local.milliseconds);
    b.push_back(both.milliseconds);
    right = right && local.started == both.started && (local.started > 0) == (asks == Asks::what_fits);
  }
  std::printf("%9d %8d  %-9s  %9.1f  %9.1f  %+6.1f %%\n", jobs, demands,
              asks == Asks::what_fits ? "first" : "no fit", median(a), median(b),
              (median(b) / median(a) - 1) * 100);
  return right;
}

template <class Step>
double step_cost(const Step& step) {
  const double before = cpu_seconds();
  step();
  return (cpu_seconds() - before) * 1e3;
}

// True: jobs, demands and counts are as they should be after a lease has come and gone.
bool lease_row(const cycle::Scenario& mixed, int jobs, int demands, int runs) {
  const auto& all = mixed.snapshot.rules();
  const std::vector<HostId> borrowed(all.hosts.begin() + all.own_hosts, all.hosts.end());
  std::vector<double> comes, changes, goes;
  bool right = true;
  for (int run = 0; run < runs; ++run) {
    cycle::Snapshot snapshot(cycle::placement_rules(all.cluster, all.lsb));
    add_jobs(snapshot, jobs, demands, Asks::what_fits);
    comes.push_back(
        step_cost([&] { snapshot.take_rules(cycle::with_borrowed(snapshot.rules(), borrowed)); }));
    changes.push_back(step_cost([&] {
      for (HostNumber host = all.own_hosts; host < all.hosts.size(); ++host)
        snapshot.set_share(host, {.slots = 4});
    }));
    goes.push_back(step_cost([&] { snapshot.take_rules(cycle::with_borrowed(snapshot.rules(), {})); }));
    right = right && snapshot.pending_count() == static_cast<std::size_t>(jobs) &&
            snapshot.broken_invariant().empty();
  }
  std::printf("%9d %8d  %9.1f  %9.1f  %9.1f\n", jobs, demands, median(comes), median(changes), median(goes));
  return right;
}

bool borrowed_rows(const cycle::Scenario& ours, bool small, int runs) {
  const int hosts = small ? 100 : 10'000, jobs = small ? 1000 : 100'000;
  const cycle::Scenario mixed = cluster_of(hosts, hosts / 5);
  std::printf("%d of the hosts borrowed\n%9s %8s  %-9s  %9s  %9s\n", hosts / 5, "jobs", "demands", "cycle",
              "without", "with");
  const std::vector<int> demands = small ? std::vector{1, 100} : std::vector{1, 100, 10'000};
  bool right = true;
  for (const int count : demands)
    for (const Asks asks : {Asks::what_fits, Asks::what_does_not})
      right = borrowed_row(ours, mixed, jobs, count, asks, runs) && right;
  std::printf("a lease of %d hosts\n%9s %8s  %9s  %9s  %9s\n", hosts / 5, "jobs", "demands", "comes", "slots",
              "goes");
  for (const int count : demands) right = lease_row(mixed, jobs, count, runs) && right;
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  bool small = false;
  int runs = 5;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--small")
      small = true;
    else
      runs = std::max(1, std::atoi(argv[i]));
  const cycle::Scenario cluster = cluster_of(small ? 100 : 10'000);
  std::printf("%zu hosts, medians of %d runs, milliseconds of CPU\n", cluster.snapshot.rules().hosts.size(),
              runs);
  std::printf("%9s %8s  %9s %8s  %9s  %9s  %9s  %9s %8s\n", "jobs", "demands", "first", "started", "full",
              "no fit", "tried", "runs out", "started");
  bool right = true;
  for (const int jobs : small ? std::vector{1000} : std::vector{100'000, 1'000'000})
    for (const int demands : small ? std::vector{1, 100} : std::vector{1, 100, 10'000})
      right = row(cluster, jobs, demands, runs) && right;
  right = limits_row(cluster, small ? 1000 : 100'000, runs) && right;
  const int elements = small ? 500 : 10'000;
  std::printf("an element of an array of %d: %.2f us from submission to dispatch\n", elements,
              element_cost(cluster, elements));
  right = borrowed_rows(cluster, small, runs) && right;
  std::printf("peak memory %.2f GiB\n", peak_gib());
  if (!right) std::printf("a cycle did not start the jobs it should, or run limits made demands\n");
  return right ? 0 : 1;
}
