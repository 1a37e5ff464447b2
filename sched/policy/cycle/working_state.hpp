// WorkingState: a snapshot with what one cycle has decided so far on top: slots, limits, reservations, loads. It answers
// what is left; it chooses nothing (host_search.hpp does). Used within one call of schedule() or of a question about it.
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
inline constexpr double kDust = 1e-6;       // sums of fractions are as good as equal within it

// Why a host is not for a job.
enum class Obstacle : std::uint8_t {
  none,
  // of the host, whatever the job
  unreachable,
  unavailable,
  closed,
  locked,
  window_closed,
  exclusive_job,
  busy,  // beyond loadSched of lsb.hosts; detail: the index
  // of the host and the job
  not_of_queue,
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
  int slots = 0;  // that the host can give
  Obstacle obstacle = Obstacle::none;
  std::uint32_t detail = 0;
  bool limited = false;  // a limit, and not what the host has, made it less
};

// What one job would take of hosts: grows host by host, and is taken whole or not at all.
struct Allocation {
  const Alternative* alternative = nullptr;  // of rusage
  std::vector<SlotsOn> hosts;
  int slots = 0;
  std::vector<std::pair<TallyNumber, double>> taken;     // limits that are not per host
  std::vector<std::pair<std::uint32_t, double>> shared;  // by instance
};

class WorkingState {
 public:
  WorkingState(const Snapshot& snapshot, WallTime now);

  const Snapshot& snapshot() const { return *snapshot_; }
  const PlacementRules& rules() const { return snapshot_->rules(); }
  WallTime now() const { return now_; }
  bool open(const TimeWindows& windows) const { return windows.empty() || windows.open(local_); }

  // --- of hosts alone
  Fit host_obstacle(HostNumber host) const;  // slots says nothing
  int free_slots(HostNumber host) const { return free_slots_[host]; }
  // Slots that nobody has, of hosts that take jobs. 0: there is nothing to give.
  long long free_slots() const { return all_free_; }
  bool touched(HostNumber host) const { return touched_[host]; }  // this cycle reserved something on it
  // Less what is kept (more, of an index that grows); NaN: not known.
  double number(HostNumber host, ResourceId id) const;
  double order_number(HostNumber host, ResourceId id) const;  // run queues normalised
  double reserved(HostNumber host, ResourceId id) const {
    return reserved_[id].empty() ? 0 : reserved_[id][host];
  }
  double reserved_shared(std::uint32_t instance) const { return reserved_shared_[instance]; }
  double shared_left(std::uint32_t instance) const;
  // The index beyond loadSched (loadStop with `stop`); unknown is not beyond.
  std::optional<ResourceId> beyond(HostNumber host, const std::vector<IndexThreshold>& thresholds,
                                   bool stop) const;
  std::vector<ResourceId> all_beyond(HostNumber host, const std::vector<IndexThreshold>& thresholds,
                                     bool stop) const;
  bool matches(const Select& select, HostNumber host) const;
  // What an expression of numbers is on the host; NaN: not known.
  double value(const resreq::BoundSelect& expression, HostNumber host) const;
  // No host with a free slot has enough for the rusage, whatever else is asked: known from the most that any had.
  bool hopeless(const Alternative& alternative) const;
  std::vector<resreq::Part> parts(const Select& select, HostNumber host) const;

  // --- of limits
  // The amount that counts now; none: no limit. `host`: of per_host rules.
  std::optional<double> most(std::uint32_t rule, HostNumber host) const;
  double taken(Charge charge, HostNumber host) const;  // kNoHost: of rules that are not per host
  int array_jobs(std::int32_t array) const;

  // How many slots of `host`, at most `wanted`, the draft can take besides what it has: by slots, resources and limits.
  Fit room(const Demand& demand, const Compiled& compiled, const Alternative& alternative, HostNumber host,
           int wanted, const Allocation& draft) const;
  void add(const Compiled& compiled, const Alternative& alternative, HostNumber host, int slots,
           Allocation& draft) const;
  // The draft is what the job gets, with the GPUs for what it reserves of them. `expected_end` is the caller's to set.
  NumberedPlacement take(const Demand& demand, const Compiled& compiled, Allocation draft);
  // A suspended job goes on: it takes back what it had released. False, and nothing taken, where that is not there.
  bool take_back(const PlacedJob& job);
  void started(HostNumber host) { started_[host] = true; }
  bool started_now(HostNumber host) const { return started_[host]; }

 private:
  friend class HostInCycle;
  double most_of(ResourceId id) const;
  void reserve(const PlacedJob& job);
  void reserve(ResourceId resource, HostNumber host, double amount);
  void reserve(const Alternative& alternative, NumberedPlacement& placement);
  std::set<std::uint32_t> devices_held(HostNumber host) const;
  double drafted(const Allocation& draft, TallyNumber tally) const;
  Fit room_of_take(const Take& take, HostNumber host, int wanted, const Allocation& draft) const;
  int room_of_charge(Charge charge, const Alternative& alternative, HostNumber host, int wanted,
                     const Allocation& draft) const;

  const Snapshot* snapshot_;
  WallTime now_;
  WeekMinute local_;
  std::vector<int> free_slots_, jobs_;
  std::vector<std::uint8_t> exclusive_, touched_, started_;
  std::vector<Obstacle> obstacles_;  // windows and states, which do not change in a cycle
  long long all_free_ = 0;
  std::vector<std::vector<double>> reserved_;  // by resource, by host; empty: nothing
  std::vector<double> sign_;                   // by resource: what a reservation does to the number
  std::vector<double> reserved_shared_;
  std::vector<double> taken_;
  std::unordered_map<std::uint64_t, double> more_on_host_;  // on_host(tally, host): taken in this cycle
  std::unordered_map<std::int32_t, int> more_of_array_;
  std::unordered_map<HostNumber, std::vector<std::uint32_t>> more_devices_;  // GPUs that this cycle gave
  std::vector<const conf::LimitAmount*> amounts_;  // by rule: the one that counts now
  // By resource, of hosts with free slots when it was first asked: from then on there is only less.
  mutable std::unordered_map<ResourceId, double> most_;
};

}  // namespace rollcall::sched::cycle
