// What preemption, reservation and backfill would cost a cycle: bench_cycle_prototype [--small] [RUNS]
//
// A prototype of docs/cycle-memory.md and no part of the product. It takes the cycle's own snapshot, order, selects and
// rankings, and gives slots alone: no limits, no other resource, and a victim stays on its host, suspended.
//
// 10,000 hosts of 10 slots with 9 jobs of one slot each, which end within a day. 100,000 jobs wait, each with its own run limit:
//   owners   2,000 of one slot and 40 of 64, on a third of the hosts: where no slot is free they suspend jobs of the queue low
//   wide     20 of 9,000 to 18,500 slots: they get a start on the time axis, and slots are kept for it
//   normal   all others, of 100 demands: each starts where it is over before the slots are needed (backfill)
// It checks that no host ever gives a slot twice, now or later, and prints the median CPU time of RUNS cycles.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/next_job.hpp"
#include "sched/policy/cycle/ranking.hpp"
#include "sched/policy/cycle/scenario.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::cycle;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

WallTime later(WallTime from, std::int64_t seconds) { return {from.us + seconds * 1'000'000}; }

// Slots of every host over time: free now, free again when a job ends, kept for a job that starts later.
class TimeAxis {
 public:
  TimeAxis(const WorkingState& state, const Snapshot& snapshot) : hosts_(snapshot.rules().hosts.size()) {
    for (HostNumber host = 0; host < hosts_.size(); ++host) hosts_[host].free = state.free_slots(host);
    for (const auto& [key, job] : snapshot.placed_jobs())
      for (const SlotsOn& on : job.placement.hosts) ends(on.host, on.slots, job.placement.expected_end);
  }

  int free_now(HostNumber host) const { return hosts_[host].free; }
  // The fewest free slots of the host at any moment of [from, to).
  int least_free(HostNumber host, WallTime from, WallTime to) const {
    int free = hosts_[host].free;
    auto change = hosts_[host].changes.begin();
    const auto end = hosts_[host].changes.end();
    for (; change != end && change->at <= from; ++change) free += change->slots;
    int least = free;
    for (; change != end && change->at < to; ++change) least = std::min(least, free += change->slots);
    return least;
  }
  void start(HostNumber host, int slots, WallTime end) {
    hosts_[host].free -= slots;
    ends(host, slots, end);
  }
  void hold(HostNumber host, int slots, WallTime from, WallTime to) {
    change(host, -slots, from);
    change(host, slots, to);
    hold_ends_.emplace_back(to, host);
  }
  // A job of one slot is suspended until another one that lasts `seconds` has used the slot. False, and nothing changes, where a
  // later start would lack a slot by that.
  bool suspend(HostNumber host, WallTime end, std::int64_t seconds) {
    change(host, -1, end);
    change(host, 1, later(end, seconds));
    if (sound(host)) return true;
    change(host, 1, end);
    change(host, -1, later(end, seconds));
    return false;
  }
  // No start, now or later, lacks a slot.
  bool sound(HostNumber host) const { return least_free(host, {}, later({}, kForEver_s)) >= 0; }
  // Moments at which a host may have more, in order.
  using Moments = std::vector<std::pair<WallTime, HostNumber>>;
  const Moments& moments() {
    if (!sorted_) std::sort(end_times_.begin(), end_times_.end());
    sorted_ = true;
    return end_times_;
  }
  // The same for the ends of what is kept.
  Moments hold_moments() const {
    Moments moments = hold_ends_;
    std::sort(moments.begin(), moments.end());
    return moments;
  }

 private:
  static constexpr std::int64_t kForEver_s = std::int64_t{1} << 40;
  // So many slots more from then on.
  struct Change {
    WallTime at;
    int slots = 0;
    friend bool operator<(const Change& a, const Change& b) { return a.at < b.at; }
  };
  struct Host {
    int free = 0;
    std::vector<Change> changes;  // in order of time; one for each moment
  };
  void change(HostNumber host, int slots, WallTime at) {
    auto& changes = hosts_[host].changes;
    const auto place = std::lower_bound(changes.begin(), changes.end(), Change{at, slots});
    if (place == changes.end() || place->at != at)
      changes.insert(place, {at, slots});
    else if ((place->slots += slots) == 0)
      changes.erase(place);
  }
  void ends(HostNumber host, int slots, WallTime at) {
    if (at.never()) return;
    change(host, slots, at);
    end_times_.emplace_back(at, host);
    sorted_ = false;
  }

  std::vector<Host> hosts_;
  Moments end_times_, hold_ends_;
  bool sorted_ = false;
};

struct Outcome {
  std::size_t started = 0, preemptors = 0, victims = 0, reserved = 0, backfilled = 0;
  bool sound = true;
  WallTime last_reserved;
};

class Prototype {
 public:
  Prototype(const Snapshot& snapshot, WallTime now)
      : snapshot_(snapshot),
        now_(now),
        state_(snapshot, now),
        axis_(state_, snapshot),
        order_(snapshot.rules()) {}

  Outcome run() {
    for (const DemandNumber number : snapshot_.waiting_demands())
      order_.enter(number, snapshot_.demands()[number]);
    while (const auto candidate = order_.next()) one_job(*candidate);
    for (HostNumber host = 0; host < snapshot_.rules().hosts.size(); ++host)
      said_.sound = said_.sound && axis_.sound(host);
    return said_;
  }

 private:
  using Taken = std::vector<std::pair<HostNumber, int>>;
  // What all demands of one select, host list and order share.
  struct Group {
    std::unique_ptr<Ranking> ranking;
    std::vector<HostNumber> hosts;                  // that its select lets pass, best first
    std::size_t first_free = 0;                     // hosts before it have no free slot
    std::map<int, std::int64_t> shortest_failed_s;  // by slots: jobs that last as long or longer fail too
  };

  Group& group(const Snapshot::DemandEntry& entry) {
    const Compiled& compiled = *entry.compiled;
    Group& group = groups_[{compiled.select.get(), compiled.order.get()}];
    if (group.ranking) return group;
    group.ranking = std::make_unique<Ranking>(state_, entry.hosts.get(), *compiled.order);
    for (const HostNumber host : group.ranking->hosts())
      if (state_.matches(*compiled.select, host)) group.hosts.push_back(host);
    return group;
  }

  void one_job(const Candidate& candidate) {
    const Demand& demand = candidate.entry->demand;
    const std::int64_t lasts_s = candidate.job->times.run_limit_s;
    Group& group = this->group(*candidate.entry);
    Dispatch given;
    const bool started = start_now(group, demand.min_slots, lasts_s) ||
                         (demand.queue == "owners" && preempt(group, demand.min_slots, lasts_s));
    if (started) ++said_.started, order_.dispatched(candidate, given);
    if (started && demand.queue == "normal" && said_.reserved > 0) ++said_.backfilled;
    if (!started && demand.queue == "wide") reserve(group, demand.min_slots, lasts_s);
    if (!started) order_.passed_over(candidate);  // one that lasts less long may start
  }

  bool start_now(Group& group, int slots, std::int64_t lasts_s) {
    const auto failed = group.shortest_failed_s.upper_bound(slots);
    for (auto fewer = group.shortest_failed_s.begin(); fewer != failed; ++fewer)
      if (lasts_s >= fewer->second) return false;
    const WallTime end = later(now_, lasts_s);
    Taken taken;
    int missing = slots;
    auto& first = group.first_free;
    while (first < group.hosts.size() && axis_.free_now(group.hosts[first]) <= 0) ++first;
    for (std::size_t at = first; at < group.hosts.size() && missing > 0; ++at) {
      const HostNumber host = group.hosts[at];
      if (axis_.free_now(host) <= 0) continue;
      const int some = std::min(missing, axis_.least_free(host, now_, end));
      if (some > 0) taken.emplace_back(host, some), missing -= some;
    }
    if (missing > 0) {
      group.shortest_failed_s[slots] = lasts_s;
      return false;
    }
    for (const auto& [host, some] : taken) axis_.start(host, some, end);
    return true;
  }

  // The preemptor has the slots of its victims at once: no other job of this cycle sees them free.
  bool preempt(const Group& group, int slots, std::int64_t lasts_s) {
    std::vector<const PlacedJob*> victims;
    const auto enough = [&] { return static_cast<int>(victims.size()) == slots; };
    for (std::size_t at = preempted_; at < group.hosts.size() && !enough(); ++at) {
      const std::size_t before = victims.size();
      for (const JobKey key : snapshot_.jobs_on(group.hosts[at])) {
        const PlacedJob& job = *snapshot_.placed(key);
        if (enough()) break;
        if (suspended_.contains(key) || snapshot_.demand(job.demand).queue != "low") continue;
        if (axis_.suspend(group.hosts[at], job.placement.expected_end, lasts_s)) victims.push_back(&job);
      }
      if (victims.size() == before && at == preempted_) ++preempted_;
    }
    if (!enough()) {
      for (const PlacedJob* job : victims)
        axis_.suspend(job->placement.hosts[0].host, later(job->placement.expected_end, lasts_s), -lasts_s);
      return false;
    }
    for (const PlacedJob* job : victims) suspended_.insert(job->key);
    said_.victims += victims.size();
    ++said_.preemptors;
    return true;
  }

  // The earliest start at which enough hosts have enough, and what is kept there from then on.
  void reserve(const Group& group, int slots, std::int64_t lasts_s) {
    std::vector<std::uint8_t> in(snapshot_.rules().hosts.size());
    for (const HostNumber host : group.hosts) in[host] = 1;
    std::vector<int> has(in.size());
    int sum = 0;
    const auto look = [&](HostNumber host, WallTime at) {
      if (!in[host]) return;
      const int most = std::max(0, axis_.least_free(host, at, later(at, lasts_s)));
      sum += most - has[host];
      has[host] = most;
    };
    for (const HostNumber host : group.hosts) look(host, now_);
    const auto &ends = axis_.moments(), holds = axis_.hold_moments();
    auto end = ends.begin();
    auto hold = holds.begin();
    while (end != ends.end()) {
      const bool of_hold = hold != holds.end() && hold->first < end->first;
      const auto [at, host] = of_hold ? *hold++ : *end++;
      if (at <= now_) continue;
      look(host, at);
      if (sum < slots || !really(group, slots, at, look, sum)) continue;
      keep(group, slots, at, later(at, lasts_s), has);
      return;
    }
  }
  // What is kept may have come nearer for other hosts meanwhile.
  template <class Look>
  bool really(const Group& group, int slots, WallTime at, const Look& look, const int& sum) {
    for (const HostNumber host : group.hosts) look(host, at);
    return sum >= slots;
  }
  void keep(const Group& group, int slots, WallTime from, WallTime to, const std::vector<int>& has) {
    for (const HostNumber host : group.hosts) {
      const int some = std::min(slots, has[host]);
      if (some > 0) axis_.hold(host, some, from, to);
      slots -= some;
      if (slots == 0) break;
    }
    ++said_.reserved;
    said_.last_reserved = std::max(said_.last_reserved, from);
  }

  const Snapshot& snapshot_;
  WallTime now_;
  WorkingState state_;
  TimeAxis axis_;
  QueueOrder order_;
  std::map<std::pair<const Select*, const Order*>, Group> groups_;
  std::set<JobKey> suspended_;
  std::size_t preempted_ = 0;  // hosts before it have no victim left
  Outcome said_;
};

// ------------------------------------------------------------------ the cluster

Scenario cluster_of(int hosts) {
  std::string text;
  for (const auto& [name, priority] : {std::pair("owners", 40), {"wide", 30}, {"normal", 20}, {"low", 10}})
    text += "Begin Queue\nQUEUE_NAME = " + std::string(name) + "\nPRIORITY = " + std::to_string(priority) +
            "\nEnd Queue\n";
  text += "Begin Machine\nHOST_NAME STATUS NCPUS r15s r1m pg mem\n";
  for (int i = 0; i < hosts; ++i)
    text += "host" + std::to_string(i) + " ok 10 0." + std::to_string(i * 7919 % 1000) + " 0.3 0 " +
            std::to_string(4000 + i * 7919 % hosts * 6.4e4 / hosts) + "\n";
  auto scenario = read_scenario(text + "End Machine\n", "bench");
  if (!scenario) {
    std::fprintf(stderr, "%s\n", scenario.error().text.c_str());
    std::exit(1);
  }
  return std::move(*scenario);
}

DemandNumber demand(Snapshot& snapshot, const std::string& queue, int user, int slots) {
  Demand demand;
  demand.queue = queue;
  demand.user = "user" + std::to_string(user);
  demand.project = "default";
  demand.min_slots = demand.max_slots = slots;
  demand.resreq =
      "select[mem > " + std::to_string((queue == "owners" ? 48'000 : 1000) + user / 10) + "] order[r15s:pg]";
  return snapshot.demand(demand);
}

constexpr std::int64_t kDay_s = 86'400;

void fill(Scenario& cluster, int jobs) {
  Snapshot& snapshot = cluster.snapshot;
  const int hosts = static_cast<int>(snapshot.rules().hosts.size());
  const DemandNumber low = demand(snapshot, "low", 0, 1);
  for (int i = 0; i < hosts * 9; ++i) {
    PlacedJob job;
    job.key = {1 + i / 1000, 1 + i % 1000};
    job.demand = low;
    job.placement.hosts = {{static_cast<HostNumber>(i % hosts), 1}};
    job.started = job.status_since = later(cluster.now, -60);
    // Different ends on one host, so that the prototype finds a job by its end.
    job.placement.expected_end = later(cluster.now, 60 + i / hosts + i * std::int64_t{7919} % kDay_s);
    snapshot.place(std::move(job));
  }
  int id = 1000;
  const auto wait = [&](const char* queue, int user, int slots, std::int64_t lasts_s) {
    PendingJob job;
    job.key = {++id, 0};
    job.order = id;
    job.demand = demand(snapshot, queue, user, slots);
    job.times.run_limit_s = lasts_s;
    snapshot.wait(std::move(job));
  };
  const int wide = 20, many = jobs / 50, parallel = std::max(1, jobs / 2500);
  for (int i = 0; i < many; ++i) wait("owners", i % 10, 1, 600 + i);
  for (int i = 0; i < parallel; ++i) wait("owners", i % 10, 64, 1800 + i);
  for (int i = 0; i < wide; ++i) wait("wide", i % 5, (9000 + 500 * i) * hosts / 10'000, 3600 + 60 * i);
  for (int i = 0; i < jobs - many - parallel - wide; ++i)
    wait("normal", i % 100, 1, 60 + (i * std::int64_t{104'729}) % kDay_s);
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
  Scenario cluster = cluster_of(small ? 100 : 10'000);
  fill(cluster, small ? 1000 : 100'000);
  const auto median = [&](const auto& cycle) {
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) {
      const double before = cpu_seconds();
      cycle();
      times.push_back((cpu_seconds() - before) * 1e3);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  Outcome said;
  std::size_t started = 0;
  const double plain = median([&] { started = schedule(cluster.snapshot, cluster.now).dispatches.size(); });
  const double with_both = median([&] { said = Prototype(cluster.snapshot, cluster.now).run(); });
  std::printf("%zu hosts, %zu running, %zu waiting, medians of %d runs, milliseconds of CPU\n",
              cluster.snapshot.rules().hosts.size(), cluster.snapshot.placed_count(),
              cluster.snapshot.pending_count(), runs);
  std::printf("the cycle as it is:            %8.1f ms, %zu started\n", plain, started);
  std::printf(
      "with give-back and time axis:  %8.1f ms, %zu started, %zu of them by suspending %zu, %zu backfilled\n",
      with_both, said.started, said.preemptors, said.victims, said.backfilled);
  std::printf("reservations: %zu, the last one starts in %lld s\n", said.reserved,
              static_cast<long long>((said.last_reserved.us - cluster.now.us) / 1'000'000));
  const bool right = said.sound && said.reserved > 0 && said.preemptors > 0 && said.backfilled > 0;
  if (!right) std::printf("a slot was given twice, or one of the three did nothing\n");
  return right ? 0 : 1;
}
