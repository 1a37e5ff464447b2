// Snapshot: all that a scheduling cycle looks at: rules, hosts with their load, what badmin set, jobs that wait and jobs
// that have hosts. A value that its owner (mbatchd) keeps and changes as things happen; schedule() only reads it.
//
// It is not the Book: it has of a job what placement needs, and loses it when the job is over. Every change is cheap (a
// job: a look-up and a tree insertion, whatever waits besides), so it is kept up to date and never rebuilt but after a
// reconfiguration, with new rules. Jobs that are alike to placement share a Demand: the elements of an array, and equal
// jobs of equal users, are looked at once in a cycle, however many there are.
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
#include "sched/policy/values/job.hpp"
#include "sched/policy/values/placement.hpp"

namespace rollcall::sched::cycle {

// ------------------------------------------------------------------ what is asked

using DemandNumber = std::uint32_t;

// Everything of a job that placement depends on. Equal demands are one.
struct Demand {
  std::string queue, user, project;
  std::string user_group, application;  // kept for policies that share by them
  int min_slots = 1, max_slots = 1;
  std::string resreq;          // job over queue, with defaults
  bool gpus_per_task = false;  // what it reserves of GPUs is for each slot
  std::vector<conf::HostItem> asked_hosts;
  bool exclusive = false;
  bool whole_hosts = false;           // -nnodes: `min_slots` counts hosts, and the job has all slots of each
  WallTime begin;                     // -b; never: none
  std::int32_t array = 0;             // the array's id where it has a limit of its own (%N), else 0
  int array_slots = 0;                // that limit
  std::string from_type, from_model;  // of the submission host: what type==local means
  friend bool operator==(const Demand&, const Demand&) = default;
};
// Of a job as the Book has it. `resreq`: the job's over its queue's, with defaults; of a job that waits with every
// alternative of rusage.
Demand demand_of(const Job& job, const std::string& resreq);

// How long a job may run. It is the job's own and no part of its Demand: jobs that differ in it alone are still looked at once.
struct JobTimes {
  std::int64_t run_limit_s = 0;  // -W as it counts, over queue and profile; 0: unlimited
  WallTime terminate;            // -t; never: none
  friend bool operator==(const JobTimes&, const JobTimes&) = default;
};
// When a job that starts at `start` is over at the latest, unless it is suspended meanwhile: the run limit does not count that
// time, so the end may be in the past where the job was suspended for a while. Never: nothing ends it.
WallTime expected_end(WallTime start, const JobTimes& times);

// ------------------------------------------------------------------ jobs that wait

// Why a job is not even looked at. Jobs that are held cost a cycle nothing.
enum class Hold : std::uint8_t {
  none,
  dependency,  // -w does not hold yet
  never,       // ... and never will
  stopped,     // PSUSP by its user
  stopped_by_administrator,
  paused,  // after short runs: PendingJob::paused_until
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
  std::vector<HostNumber> excluded;  // EXCLUDE() and failed pre-exec: never there again
};

// ------------------------------------------------------------------ jobs that have hosts

using NumberedPlacement = BasicPlacement<HostNumber, ResourceId>;
using SlotsOn = NumberedPlacement::Slots;
using Reservation = NumberedPlacement::Reservation;

struct PlacedJob {
  JobKey key;
  DemandNumber demand = 0;
  NumberedPlacement placement;
  WallTime started;
  WallTime status_since;
  bool rerunnable = false;
  std::uint32_t suspended = 0;  // bits of wire::SuspendReason; 0: it runs
  // What it was last seen to use, all hosts together in MB: a reservation of memory holds back only what is not used yet.
  double used_mem = 0, used_swp = 0;
};

// ------------------------------------------------------------------ hosts, queues, shared resources

struct HostState {
  bool unavailable = true;  // its LIM is silent (or has never been heard)
  bool unreachable = true;  // its RES is
  bool closed = false;      // badmin hclose
  bool locked = false;      // lsadmin limlock, or lsf.cluster's RUNWINDOW
  WallTime last_start;      // JOB_ACCEPT_INTERVAL counts from it
};

struct QueueState {
  bool open = true;    // takes jobs (says nothing of those it has)
  bool active = true;  // gives jobs to hosts
};

// What is known of a host, by resource number; NaN and "" where it is not.
struct HostValues {
  std::vector<double> numbers;  // static ones, and dynamic as last told; run queues by effective length
  std::vector<std::string> words;
  std::vector<bool> has;
  std::array<double, 3> normalised{};  // r15s r1m r15m, as order compares them
  std::vector<ResourceId> dedicated;   // "!res" of lsf.cluster: only for jobs that name it
  const BatchRow* row = nullptr;       // of lsb.hosts; nullptr: none
  int cpus = 1;
  double cpu_factor = 1;
};

struct Tallies;        // tally.hpp: how much of every limit and resource is taken
struct Compiled;       // compiled_demand.hpp: a demand bound to the rules
class DemandCompiler;  // ... and who makes them

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
  // What LIM found on the host, on top of the files. Before it the host has what the files say.
  void set_facts(HostNumber host, const HostFacts& facts);
  // Dynamic values, run queues by effective length; and the normalised ones, kUnknownLoad where they were not asked for.
  void set_load(HostNumber host, const LoadVector& effective, const std::array<float, 3>& normalised);
  void set_load(HostNumber host, const LoadVector& effective);  // orders by the effective ones
  // A dynamic resource that hosts share, by its place in PlacementRules::shared; NaN, "": not known.
  void set_shared(std::uint32_t instance, double number, std::string word = {});
  const HostValues& values(HostNumber host) const { return values_[host]; }
  double shared_number(std::uint32_t instance) const { return shared_numbers_[instance]; }
  const std::string& shared_word(std::uint32_t instance) const { return shared_words_[instance]; }
  // MXJ; none: no limit.
  std::optional<int> slots(HostNumber host) const;

  // --- jobs
  // The number of an equal demand, or a new one. Ask once for a submission and a queue: the elements of an array share it.
  // A demand that no job has any more is dropped at the next trim().
  DemandNumber demand(const Demand& demand);
  const Demand& demand(DemandNumber number) const;
  // Takes the job into account as it is now, whatever was known of it before (pending or placed).
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
    std::set<Place> ready;     // Hold::none, in order
    std::size_t jobs = 0;      // all of them, held and placed too
    bool live = true;          // false: the number is free
    std::uint64_t serial = 0;  // of this demand alone: its number may be another's later
  };
  const std::vector<DemandEntry>& demands() const { return demands_; }
  const std::set<DemandNumber>& waiting_demands() const { return waiting_; }  // those with ready jobs
  const std::unordered_map<JobKey, PlacedJob>& placed_jobs() const { return placed_; }
  const std::set<JobKey>& jobs_on(HostNumber host) const { return jobs_on_[host]; }
  const Tallies& tallies() const { return *tallies_; }

  // "" where the tallies are those of the jobs; else what differs. For tests; slow.
  std::string broken_invariant() const;

 private:
  void count(const PlacedJob& job, int sign);
  void forget_pending(JobKey key);
  void forget_placed(JobKey key);
  void put(DemandNumber demand, const PendingJob& job);
  std::shared_ptr<const PlacementRules> rules_;
  std::vector<HostState> hosts_;
  std::vector<QueueState> queues_;
  std::vector<HostValues> values_;
  std::vector<double> shared_numbers_;
  std::vector<std::string> shared_words_;
  std::vector<DemandEntry> demands_;
  std::unordered_map<std::string, DemandNumber> demand_numbers_;  // by all that a demand says
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
