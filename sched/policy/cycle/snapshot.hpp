// Snapshot: all that a scheduling cycle looks at: rules, hosts with their load, what badmin set, pending jobs and jobs that have
// hosts. A value. Its owner (mbatchd) changes it as things happen; schedule() only reads it.
//
// It is not the Book: of a job it has only what placement needs, and drops it when the job is over. A change costs the same however
// many jobs pend (a look-up and a tree insertion), so the snapshot is kept up to date; only a reconfiguration rebuilds it, with new
// rules. Jobs that do not differ for placement share a Demand: a cycle looks once at all elements of an array, or at all equal
// jobs of a user.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/base/load_vector.hpp"
#include "common/base/wall_time.hpp"
#include "sched/policy/cycle/placement_rules.hpp"
#include "sched/policy/values/host_on_lease.hpp"
#include "sched/policy/values/job.hpp"
#include "sched/policy/values/placement.hpp"

namespace rollcall::sched::cycle {

// ------------------------------------------------------------------ what is asked

using DemandNumber = std::uint32_t;

// Everything of a job that placement depends on. Jobs with equal demands share one.
struct Demand {
  std::string queue, user, project;
  std::string user_group, application;  // kept for policies that share by them
  int min_slots = 1, max_slots = 1;
  std::string resreq;          // the job's merged over the queue's, with defaults
  bool gpus_per_task = false;  // the reservation of GPUs counts for each slot
  std::vector<conf::HostItem> asked_hosts;
  bool exclusive = false;
  bool whole_hosts = false;  // -nnodes: min_slots and max_slots count hosts; the job gets all slots of each
  WallTime begin;            // -b; never: none
  std::int32_t array = 0;    // the array's id where it has a limit of its own (%N), else 0
  int array_slots = 0;       // the limit %N
  std::string from_type, from_model;  // of the submission host: what type==local means
  friend bool operator==(const Demand&, const Demand&) = default;
};
// The demand of a job of the Book. `resreq`: the job's merged over its queue's, with defaults; of a pending job with all
// alternatives of rusage.
Demand demand_of(const Job& job, const std::string& resreq);

// How long a job may run. Not part of its Demand, so that jobs which differ only in run limits still share one.
struct JobTimes {
  std::int64_t run_limit_s = 0;  // -W, else the limit of profile or queue; 0: unlimited
  WallTime terminate;            // -t; never: none
  friend bool operator==(const JobTimes&, const JobTimes&) = default;
};
// The latest end of a job that starts at `start` and is never suspended. The run limit does not count suspended time, so the job
// may outlive this end. Never: no limit ends it.
WallTime expected_end(WallTime start, const JobTimes& times);

// ------------------------------------------------------------------ jobs that wait

// Why a cycle does not look at a job. Held jobs cost a cycle nothing.
enum class Hold : std::uint8_t {
  none,
  dependency,  // -w does not hold yet
  never,       // -w can never hold
  stopped,     // PSUSP by its user
  stopped_by_administrator,
  paused,  // requeued after short runs, until PendingJob::paused_until
};

struct PendingJob {
  JobKey key;
  DemandNumber demand = 0;
  double order = 0;    // JobRecord.order: smaller first, in its queue
  WallTime submitted;  // or when it was last requeued or resumed: NEW_JOB_SCHED_DELAY counts from it
  Hold hold = Hold::none;
  WallTime paused_until;
  bool requeued = false;
  JobTimes times;
  int preempt_delay_s = 0;           // it may preempt others only so long after `submitted`
  std::vector<HostNumber> excluded;  // hosts barred by EXCLUDE() or a failed pre-exec command
};

// ------------------------------------------------------------------ jobs that have hosts

using NumberedPlacement = BasicPlacement<HostNumber, ResourceId>;
using SlotsOn = NumberedPlacement::Slots;
using Reservation = NumberedPlacement::Reservation;

// What sets PlacedJob::preemptable_until.
enum class PreemptionBound : std::uint8_t { none, times, total_time, run_time, finish_time };

struct PlacedJob {
  JobKey key;
  DemandNumber demand = 0;
  NumberedPlacement placement;
  WallTime started;
  WallTime status_since;
  // May be preempted within: MAX_JOB_PREEMPT, MAX_TOTAL_TIME_PREEMPT, NO_PREEMPT_INTERVAL, NO_PREEMPT_RUN_TIME,
  // NO_PREEMPT_FINISH_TIME. Never: no bound.
  WallTime preemptable_from, preemptable_until;
  PreemptionBound preemptable_until_by = PreemptionBound::none;
  bool rerunnable = false;
  bool silent = false;          // UNKWN, ZOMBI, or in another cluster: it is neither suspended nor resumed
  std::uint32_t suspended = 0;  // bits of wire::SuspendReason; 0: it runs
  // Last measured use in MB, all hosts together: a reservation of memory holds back only what is not used yet.
  double used_mem = 0, used_swp = 0;
};

// ------------------------------------------------------------------ hosts, queues, shared resources

struct HostState {
  bool unavailable = true;          // its LIM is silent (or has never been heard)
  bool unreachable = true;          // its RES is silent
  bool closed = false;              // badmin hclose
  bool closed_by_provider = false;  // of a borrowed host: its own cluster starts nothing there
  bool lease_inactive = false;      // of a borrowed host: its lease is being changed
  bool locked = false;              // lsadmin limlock, or lsf.cluster's RUNWINDOW
  WallTime last_start;              // JOB_ACCEPT_INTERVAL counts from it
};

struct QueueState {
  bool open = true;    // accepts new jobs
  bool active = true;  // dispatches jobs
};

// The values of a host by resource number; NaN or "": unknown.
struct HostValues {
  std::vector<double> numbers;  // static ones, and dynamic as last told; run queues by effective length
  std::vector<std::string> words;
  std::vector<bool> has;
  std::array<double, 3> normalised{};  // r15s r1m r15m, as order compares them
  std::vector<ResourceId> dedicated;   // "!res" of lsf.cluster: the host is only for jobs that name it
  const BatchRow* row = nullptr;       // of lsb.hosts; nullptr: none
  int cpus = 1;
  double cpu_factor = 1;
};

// MXJ; its CPUs where MXJ is not given.
int own_slots(const HostValues& values);

struct Tallies;   // tally.hpp: how much of every limit and resource is taken
struct Compiled;  // compiled_demand.hpp: a demand bound to the rules
struct HostList;
class DemandCompiler;  // makes them

class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<const PlacementRules> rules);
  Snapshot(const Snapshot&);
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot) noexcept;
  ~Snapshot();

  const PlacementRules& rules() const { return *rules_; }

  // --- the site's clock: seconds to add to UTC for windows
  std::int32_t utc_offset_s = 0;

  // --- hosts and queues, by number
  HostState& host(HostNumber number) { return hosts_[number]; }
  const HostState& host(HostNumber number) const { return hosts_[number]; }
  QueueState& queue(QueueNumber number) { return queues_[number]; }
  const QueueState& queue(QueueNumber number) const { return queues_[number]; }
  // What LIM found on the host; it overrides the files.
  void set_facts(HostNumber host, const HostFacts& facts);
  // Dynamic values with effective run queues; `normalised`: r15s r1m r15m, kUnknownLoad where LIM was not asked for them.
  void set_load(HostNumber host, const LoadVector& effective, const std::array<float, 3>& normalised);
  void set_load(HostNumber host, const LoadVector& effective);  // order uses the effective run queues
  // A dynamic shared resource, by its place in PlacementRules::shared; NaN, "": unknown.
  void set_shared(std::uint32_t instance, double number, std::string word = {});
  const HostValues& values(HostNumber host) const { return values_[host]; }
  // Less what is lent to other clusters.
  double shared_number(std::uint32_t instance) const {
    return instance < shared_lent_.size() && shared_lent_[instance] > 0
               ? left_of(shared_numbers_[instance], shared_lent_[instance])
               : shared_numbers_[instance];
  }
  double shared_told(std::uint32_t instance) const { return shared_numbers_[instance]; }
  const std::string& shared_word(std::uint32_t instance) const { return shared_words_[instance]; }
  // MXJ less what is lent, of a borrowed host the slots of its lease, at most a number of MXJ; none: no limit.
  std::optional<int> slots(HostNumber host) const;

  // --- borrowed hosts
  // Rules of with_borrowed(): new hosts are taken in, returned ones take no job any more. Jobs, demands, loads and states stay.
  void take_rules(std::shared_ptr<const PlacementRules> rules);
  void set_share(HostNumber host, const BorrowedShare& share);
  // nullptr: not borrowed, or no lease has said it yet.
  const BorrowedShare* share(HostNumber host) const;

  // --- hosts of ours that are lent
  void set_lent(HostNumber host, const LentOfHost& lent);
  const LentOfHost& lent(HostNumber host) const { return lent_[host].what; }
  // Slots of a host that is lent whole which no consumer has yet: jobs of ours that were there before go on with them. 0: of other hosts.
  int not_taken(HostNumber host) const;
  // Free memory or swap (index mem or swp) of a host of ours, in MB, as LIM told it: nothing is subtracted for leases. NaN: not told yet.
  double told_free(HostNumber host, ResourceId index) const;
  // What leases take of each instance of ours, by its place in PlacementRules::shared; may be shorter.
  void set_shared_lent(std::vector<double> lent) { shared_lent_ = std::move(lent); }

  // --- jobs
  // The number of an equal demand, or a new number. Call it once for a submission and a queue: elements of an array share it.
  // The next trim() drops a demand without jobs.
  DemandNumber demand(const Demand& demand);
  const Demand& demand(DemandNumber number) const;
  // Puts the job in as pending (placed), in place of what the snapshot had of it.
  void wait(PendingJob job);
  void place(PlacedJob job);
  void forget(JobKey key);
  // Forgets demands without jobs. The numbers of others stay. Call it now and then (each hour, after 10,000 new ones).
  void trim();

  const PendingJob* pending(JobKey key) const;
  const PlacedJob* placed(JobKey key) const;
  template <class Take>
  void each_pending(const Take& take) const {  // in no order
    for (const auto& [key, job] : pending_) take(job);
  }
  std::size_t pending_count() const { return pending_.size(); }
  std::size_t placed_count() const { return placed_.size(); }

  // --- what schedule() reads
  struct Place {
    double order = 0;
    JobKey key;
    const PendingJob* job = nullptr;
    friend bool operator<(const Place& a, const Place& b) {
      return a.order != b.order ? a.order < b.order : a.key < b.key;
    }
  };
  struct DemandEntry {
    Demand demand;
    std::shared_ptr<const Compiled> compiled;
    std::shared_ptr<const HostList> hosts;  // that it may use; nullptr: all of ours
    std::set<Place> ready;                  // Hold::none, in order
    std::size_t jobs = 0;                   // including held and placed ones
    bool live = true;                       // false: the number is free
    std::uint64_t serial = 0;               // unique, while the number may be used again
  };
  const std::vector<DemandEntry>& demands() const { return demands_; }
  const std::set<DemandNumber>& waiting_demands() const { return waiting_; }  // those with ready jobs
  const std::unordered_map<JobKey, PlacedJob>& placed_jobs() const { return placed_; }
  const std::set<JobKey>& jobs_on(HostNumber host) const { return jobs_on_[host]; }
  const Tallies& tallies() const { return *tallies_; }

  // Compares the tallies with the jobs; "": equal, else what differs. For tests; slow.
  std::string broken_invariant() const;

 private:
  void count(const PlacedJob& job, int sign);
  void forget_pending(JobKey key);
  void forget_placed(JobKey key);
  void put(DemandNumber demand, const PendingJob& job);
  void add_host(HostNumber host);
  void limit_memory(HostNumber host);
  void count_used(const PlacedJob& job, int sign);
  // Of a borrowed host.
  struct Borrowed {
    std::optional<BorrowedShare> share;
    double told_mem = std::numeric_limits<double>::quiet_NaN();  // free there, as its cluster tells
    double told_swp = std::numeric_limits<double>::quiet_NaN();
    double used_mem = 0, used_swp = 0;  // by our jobs
  };
  Borrowed* borrowed(HostNumber host) {
    return rules_->borrowed(host) ? &borrowed_[host - rules_->own_hosts] : nullptr;
  }
  std::shared_ptr<const PlacementRules> rules_;
  std::vector<HostState> hosts_;
  std::vector<QueueState> queues_;
  std::vector<HostValues> values_;
  std::vector<Borrowed> borrowed_;  // by host number, less own_hosts
  // Of a host of ours.
  struct Lent {
    LentOfHost what;
    double told_mem = std::numeric_limits<double>::quiet_NaN();  // free there
    double told_swp = std::numeric_limits<double>::quiet_NaN();
  };
  void hold_back_lent(HostNumber host);
  static double left_of(double there, double lent) { return there < lent ? 0 : there - lent; }
  void take_borrowed_instances(const PlacementRules& before);
  std::vector<Lent> lent_;              // by host number, up to own_hosts
  std::vector<double> shared_numbers_;  // as told
  std::vector<double> shared_lent_;     // may be shorter
  std::vector<std::string> shared_words_;
  std::vector<DemandEntry> demands_;
  std::unordered_map<std::string, DemandNumber> demand_numbers_;  // by all fields of the demand
  std::vector<DemandNumber> free_demands_;
  std::uint64_t last_serial_ = 0;
  std::set<DemandNumber> waiting_;
  std::unordered_map<JobKey, PendingJob> pending_;
  std::unordered_map<JobKey, PlacedJob> placed_;
  std::vector<std::set<JobKey>> jobs_on_;
  std::unique_ptr<Tallies> tallies_;
  std::unique_ptr<DemandCompiler> compiler_;
};

}  // namespace rollcall::sched::cycle
