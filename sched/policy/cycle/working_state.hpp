// WorkingState: a snapshot plus what one cycle has decided so far: slots, limits, reservations, loads. It tells what is left;
// host_search.hpp chooses. It lives for one call of schedule(), or for one question (PendingReasons, HostStandings).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::cycle {

inline constexpr int kUnlimited = 1 << 29;  // slots of a host without MXJ
inline constexpr double kDust = 1e-6;       // sums of fractions that differ by less are equal

// Why a job cannot use a host.
enum class Obstacle : std::uint8_t {
  none,
  // of the host, whatever the job
  unreachable,
  unavailable,
  closed,
  closed_by_provider,  // of a borrowed host
  lease_inactive,      // likewise
  unknown_jobs,        // jobs of leases that are not known here
  locked,
  window_closed,
  exclusive_job,
  busy,  // beyond loadSched of lsb.hosts; detail: the index
  // of the host and the job
  not_of_queue,
  serial_only,  // a borrowed host that takes no parallel job: RECV_FROM
  of_root,      // a borrowed host, and the job is root's
  in_part,      // a borrowed host of which -nnodes would get a part
  not_asked,
  excluded,
  not_first,        // not one of host!
  recently,         // JOB_ACCEPT_INTERVAL
  dedicated,        // "!res": detail
  queue_threshold,  // detail: the index
  queue_select,
  select,
  not_empty,  // -x
  full,
  reserving,  // detail: the resource
  limit,      // detail: of PlacementRules::limits
};
struct Fit {
  int slots = 0;  // number of slots that the host can give
  Obstacle obstacle = Obstacle::none;
  std::uint32_t detail = 0;
  bool limited = false;  // a limit, not a lack of resources, made `slots` less
};

// What one job would take: grows host by host, then WorkingState::take() takes it as a whole.
struct Allocation {
  const Alternative* alternative = nullptr;  // of rusage
  std::vector<SlotsOn> hosts;
  int slots = 0;
  std::vector<std::pair<TallyNumber, double>> taken;     // limits that are not per host
  std::vector<std::pair<std::uint32_t, double>> shared;  // by instance
};

// What a job counts for one limit that leaves preempted jobs out.
struct LimitShare {
  Charge charge;
  HostNumber host = kNoHost;  // kNoHost: the limit is not per host
  double amount = 0;
};

class WorkingState {
 public:
  WorkingState(const Snapshot& snapshot, WallTime now);

  const Snapshot& snapshot() const { return *snapshot_; }
  const PlacementRules& rules() const { return snapshot_->rules(); }
  WallTime now() const { return now_; }
  bool open(const TimeWindows& windows) const { return windows.empty() || windows.open(local_); }

  // --- of hosts alone
  Fit host_obstacle(HostNumber host) const;  // Fit::slots is not set
  // Less than 0 where MXJ was set to less than what runs there.
  int free_slots(HostNumber host) const { return free_slots_[host]; }
  // Those of a preempted job, which was there before a lease: no consumer has got them yet.
  int slots_to_go_on(HostNumber host) const;
  bool has_unknown_jobs(HostNumber host) const {
    return !rules().borrowed(host) && snapshot_->lent(host).unknown_jobs;
  }
  // Free slots of all hosts that accept jobs.
  long long free_slots() const { return all_free_; }
  bool touched(HostNumber host) const { return touched_[host]; }  // this cycle reserved something on it
  // The value less reservations (plus, for an index that grows with load); NaN: unknown.
  double number(HostNumber host, ResourceId id) const;
  double order_number(HostNumber host, ResourceId id) const;  // for the order section: run queues normalised
  double reserved(HostNumber host, ResourceId id) const {
    return reserved_[id].empty() ? 0 : reserved_[id][host];
  }
  double reserved_shared(std::uint32_t instance) const { return reserved_shared_[instance]; }
  double shared_left(std::uint32_t instance) const;
  // The first index beyond loadSched (with `stop`: loadStop); an unknown value is not beyond.
  std::optional<ResourceId> beyond(HostNumber host, const std::vector<IndexThreshold>& thresholds,
                                   bool stop) const;
  std::vector<ResourceId> all_beyond(HostNumber host, const std::vector<IndexThreshold>& thresholds,
                                     bool stop) const;
  bool matches(const Select& select, HostNumber host) const;
  // The value of a numeric expression on the host; NaN: unknown.
  double value(const resreq::BoundSelect& expression, HostNumber host) const;
  // True if no host with a free slot has enough for the rusage. It compares with the most that any host had.
  bool hopeless(const Alternative& alternative) const;
  std::vector<resreq::Part> parts(const Select& select, HostNumber host) const;

  // --- of limits
  // The limit's amount now; none: no limit. `host`: for rules per host.
  std::optional<double> most(std::uint32_t rule, HostNumber host) const;
  double taken(Charge charge, HostNumber host) const;  // kNoHost for rules that are not per host
  // The limit has no room for the share.
  bool full(const LimitShare& share) const;
  int array_jobs(std::int32_t array) const;

  // How many more slots of `host`, up to `wanted`, the draft can take: by slots, resources and limits.
  Fit room(const Demand& demand, const Compiled& compiled, const Alternative& alternative, HostNumber host,
           int wanted, const Allocation& draft) const;
  void add(const Compiled& compiled, const Alternative& alternative, HostNumber host, int slots,
           Allocation& draft) const;
  // The job gets the draft, and GPUs for what it reserves of them. The caller sets `expected_end` of the result.
  NumberedPlacement take(const Demand& demand, const Compiled& compiled, Allocation draft);
  // A suspended job resumes and takes back what it had released. False, and nothing taken, if that is no longer free.
  bool take_back(const PlacedJob& job);
  // A preempted job goes on and takes its slots, its limits and what it had released. False, and nothing taken, if they are not
  // free. One that is suspended for another reason too takes its slots and limits alone.
  bool run_again(const PlacedJob& job);
  // Room that jobs give up on a host when they are preempted.
  struct Room {
    int slots = 0, jobs = 0, exclusive = 0;  // jobs count only where jobs of -x may preempt and be preempted
  };
  Room room_of(const PlacedJob& job, int slots) const;
  // The host has so much more room; `sign` -1: less.
  void lend(HostNumber host, Room room, int sign);
  // Resources of PREEMPTABLE_RESOURCES that a running job gives back when it is suspended, by instance.
  std::vector<std::pair<std::uint32_t, double>> gives_back(const PlacedJob& job) const;
  void lend_shared(std::uint32_t instance, double amount) { reserved_shared_[instance] -= amount; }
  // What the job, while it runs, counts for the limits that leave preempted jobs out.
  std::vector<LimitShare> limits_of(const PlacedJob& job) const;
  // The limit counts so much more; `sign` -1: less.
  void count(const LimitShare& share, int sign);
  void started(HostNumber host) { started_[host] = true; }
  bool started_now(HostNumber host) const { return started_[host]; }

 private:
  friend class HostInCycle;
  double most_of(ResourceId id) const;
  void keep(const PlacedJob& job, int sign);
  int kept(QueueNumber queue, HostNumber host) const {
    return kept_.empty() || queue == kNoQueue || kept_[queue].empty() ? 0 : kept_[queue][host];
  }
  void reserve(const PlacedJob& job);
  void reserve(ResourceId resource, HostNumber host, double amount);
  void reserve(const Alternative& alternative, NumberedPlacement& placement);
  bool alone_enough(const PlacedJob& job) const;
  long long open_slots(HostNumber host) const;
  std::set<std::uint32_t> devices_held(HostNumber host) const;
  double drafted(const Allocation& draft, TallyNumber tally) const;
  Fit room_of_take(const Take& take, HostNumber host, int wanted, const Allocation& draft) const;
  int room_of_charge(Charge charge, const Alternative& alternative, HostNumber host, int wanted,
                     const Allocation& draft) const;

  const Snapshot* snapshot_;
  WallTime now_;
  WeekMinute local_;
  std::vector<int> free_slots_, jobs_, exclusive_;  // by host; `exclusive_`: jobs of -x
  std::vector<std::vector<int>>
      kept_;  // by queue, by host: free slots that its jobs may not use; empty: none
  std::vector<std::uint8_t> touched_, started_;
  std::vector<Obstacle> obstacles_;  // by host: windows and states, which do not change in a cycle
  long long all_free_ = 0;
  std::vector<std::vector<double>> reserved_;  // by resource, by host; empty: none
  std::vector<double> sign_;                   // by resource: +1 or -1, how a reservation changes the number
  std::vector<double> reserved_shared_;
  std::vector<double> taken_;
  std::unordered_map<std::uint64_t, double> more_on_host_;  // on_host(tally, host): taken in this cycle
  std::unordered_map<std::int32_t, int> more_of_array_;
  std::unordered_map<HostNumber, std::vector<std::uint32_t>> more_devices_;  // GPUs that this cycle gave
  std::vector<const conf::LimitAmount*> amounts_;  // by rule: the amount that counts now
  // By resource: the most of any host with a free slot when first asked; later in the cycle there is only less.
  mutable std::unordered_map<ResourceId, double> most_;
};

}  // namespace rollcall::sched::cycle
