// Memory: how the Book holds its jobs, and the indices over them. Private to this folder's .cpp files. Owned by the Book.
//
// Every change of a job's record goes through Change (or add_job, remove_job). Change takes the job out of the indices that
// depend on the record and puts it back, so that all indices are right between two calls.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <tuple>
#include <unordered_map>

#include "sched/policy/book/book.hpp"
#include "sched/policy/jobs/dependency_watch.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/jobs/submission_check.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/host_numbers.hpp"
#include "sched/policy/values/packed.hpp"

namespace rollcall::sched::book {

// The jobs of one user, queue or host. Those of users and queues stay for the Book's life: entries of jobs point to them.
struct JobsOf {
  std::set<JobKey> jobs;  // of a host: placed there
  StatusCounts counts;
  PendingOrder pending;  // of a queue
  std::uint32_t pending_jobs = 0;
  SlotCount imported;  // of a queue: jobs of other clusters that pend
  std::map<std::pair<std::string, wire::JobStatus>, SlotCount> sums;  // of a user: by queue and state
  std::uint64_t stored_bytes = 0;  // of a user: submissions with their payloads
};

// An attempt of another cluster's job, by the names of that cluster.
struct ForeignAttempt {
  std::string cluster;
  Attempt attempt;
  std::uint64_t made = 0;  // ForwardAttempt.made
  friend auto operator<=>(const ForeignAttempt&, const ForeignAttempt&) = default;
};

// The jobs of an application profile; the profile may be gone from lsb.applications.
struct ApplicationJobs {
  std::uint32_t kept = 0;  // finished ones too
  StatusCounts counts;
};

struct HostLink {
  bool connected = false;
  std::int64_t silent_since_us = 0;   // since when it is silent, while it is not connected
  bool lost = false;                  // silent for longer than the patience; its jobs were told
  std::int64_t came_us = 0;           // when it last connected
  std::int64_t silent_before_us = 0;  // how long it had been silent then, since its last steady connection
  std::int64_t due = 0;               // its entry in the deadlines; 0: none
  bool knows_go = false;              // report::HostCame
  std::string trouble;                // why it could not take the last order; "": it took it
  std::int64_t trouble_us = 0;
  std::string not_ours;     // why a host that connects is refused; "": it is accepted, or not there
  std::string left_behind;  // what an administrator has to remove there, as a message; "": nothing
};

// The hosts that the Book has heard of, by number. References to their parts stay valid. A host stays until it is forgotten; its number
// is then given to another one.
class KnownHosts {
 public:
  HostNumber number(std::string_view written) {
    if (const auto known = find(written)) return *known;
    const auto host = free_.empty() ? static_cast<HostNumber>(hosts_.size()) : free_.back();
    if (free_.empty())
      hosts_.emplace_back();
    else
      free_.pop_back();
    hosts_[host].id = HostId(std::string(written));
    return numbers_.emplace(hosts_[host].id.text(), host).first->second;
  }
  std::size_t count() const { return numbers_.size(); }
  const HostId& id(HostNumber host) const { return hosts_[host].id; }
  // No job is on it, and no deadline names it.
  void forget(HostNumber host) {
    numbers_.erase(hosts_[host].id.text());
    hosts_[host] = {};
    free_.push_back(host);
  }

  // Makes the host, or its part, if there is none yet.
  JobsOf& jobs(HostNumber host) { return made(hosts_[host].jobs); }
  HostLink& link(HostNumber host) { return made(hosts_[host].link); }
  JobsOf& jobs(std::string_view written) { return jobs(number(written)); }
  HostLink& link(std::string_view written) { return link(number(written)); }
  // nullptr: none was made. By written name, as in records and in the engine.
  const JobsOf* find_jobs(std::string_view written) const { return find(written, &Known::jobs); }
  const HostLink* find_link(std::string_view written) const { return find(written, &Known::link); }
  template <class Take>
  void each_link(const Take& take) {  // by number
    for (HostNumber host = 0; host < hosts_.size(); ++host)
      if (auto& link = hosts_[host].link) take(host, *link);
  }
  template <class Take>
  void each_jobs(const Take& take) const {
    for (HostNumber host = 0; host < hosts_.size(); ++host)
      if (const auto& jobs = hosts_[host].jobs) take(host, *jobs);
  }

 private:
  struct Known {
    HostId id;
    std::optional<JobsOf> jobs;
    std::optional<HostLink> link;
  };
  template <class T>
  static T& made(std::optional<T>& one) {
    return one ? *one : one.emplace();
  }
  std::optional<HostNumber> find(std::string_view written) const {
    const auto found = numbers_.find(written);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  template <class T>
  const T* find(std::string_view written, std::optional<T> Known::*part) const {
    const auto host = find(written);
    return host && hosts_[*host].*part ? &*(hosts_[*host].*part) : nullptr;
  }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view written) const { return std::hash<std::string_view>()(written); }
  };
  std::unordered_map<std::string, HostNumber, Hash, std::equal_to<>> numbers_;
  std::deque<Known> hosts_;
  std::vector<HostNumber> free_;  // numbers of hosts that were forgotten
};

// A job: unpacked as `job` while it is worked with, else only as bytes in `record` (JobTable::pack()). Memory::entry() and at()
// return entries with `job` set.
struct BookEntry {
  mutable std::unique_ptr<Job> job;
  mutable std::unique_ptr<Launch> launch;     // kept of a packed job that waits for its go-ahead
  mutable Packed<wire::JobRecord> record;     // as last packed
  mutable bool changed = true;                // since it was last packed
  bool acknowledged = false;                  // another cluster's job: its end is, by that cluster
  bool written_off = false;                   // ... that cluster was (ForwardedFrom)
  wire::JobStatus shown = wire::STATUS_NULL;  // shown_status() of the record
  std::uint64_t submission = 0;               // the record's
  JobsOf* user = nullptr;
  JobsOf* queue = nullptr;
  jobs::DependencyState dependency = jobs::DependencyState::none;  // of this element, if elements differ
  std::unique_ptr<std::map<HostNumber, wire::JobUsage>> usage;     // by host, of a job on several
  std::unique_ptr<wire::StreamPlace> stream;
  // Its entries in the deadlines; 0: none.
  std::int64_t begin_due = 0, terminate_due = 0, avoid_due = 0, start_due = 0, pause_due = 0, recall_due = 0;
};

// A job id: one job, or the elements of an array.
struct IdEntry {
  bool array = false;
  std::vector<std::int32_t> indices;  // sorted
  jobs::JobTally tally;
  std::int64_t last_end_us = 0;
  std::int64_t clean_due = 0;  // its entry in the deadlines; 0: none
  // Submissions whose jobs wait for this id; nullptr: none.
  std::unique_ptr<jobs::DependencyWatch> dependents;
  const std::string* user = nullptr;  // a key of Memory::users
  const std::string* name = nullptr;  // a key of Memory::by_name, or kNoName
};

struct SubmissionEntry {
  explicit SubmissionEntry(KeptSubmission& k) : kept(k) {}
  KeptSubmission& kept;       // owned by Memory::kept
  std::int32_t id = 0;        // the job id of all its jobs
  std::uint32_t waiting = 0;  // its jobs that pend and were never dispatched
  bool registered = false;    // it is among the dependents of the ids that its condition names
};

// An end that its host has reported, and will again until it is acknowledged. In memory alone.
struct HeldEnd {
  std::string host;  // which has reported it
  report::Over told;
  std::set<std::string> awaits;          // clusters
  std::optional<report::PostOver> post;  // told behind it, and acknowledged behind it
};

struct Memory : jobs::JobFacts {
  ConfigView config;
  jobs::BookParameters parameters;
  std::uint64_t term = 0;
  std::int32_t next_id = 1;
  std::uint64_t next_submission = 1;
  double next_order = 1;
  bool counters_changed = false;

  std::unordered_map<JobKey, BookEntry> jobs;
  mutable std::vector<JobKey> unpacked_jobs;
  mutable std::vector<std::uint64_t> unpacked_submissions;
  // Used objects for the next ones to be unpacked: their strings have memory already.
  mutable std::vector<std::unique_ptr<Job>> spare_jobs;
  mutable std::vector<std::shared_ptr<wire::Submission>> spare_submissions;
  std::map<std::int32_t, IdEntry> ids;
  std::map<std::uint64_t, KeptSubmission> kept;  // the part of a submission that JobTable shows
  std::map<std::uint64_t, SubmissionEntry> submissions;
  // By row of the store: how many submissions name it.
  std::unordered_map<std::uint64_t, std::uint32_t> payloads;
  std::vector<std::uint64_t> dropped_payloads;  // no effect was made for them yet
  std::unordered_map<std::string, JobsOf> users, queues;
  std::map<ForeignAttempt, JobKey> foreign;       // jobs that came from other clusters
  std::map<std::string, std::size_t> foreign_of;  // how many of them, by cluster
  // Of one cluster: a master that never acknowledges fills no store, and takes no room of the others.
  std::size_t most_foreign = 1'000'000;
  std::map<std::string, std::size_t> unacknowledged;  // ends of them that their cluster has not acknowledged
  // "@cluster": connected, and of a release that knows no recalls (signals).
  std::set<std::string> without_recalls, without_signals;
  KnownHosts hosts;
  std::size_t forgets_hosts_at = 0;  // when so many are known
  std::map<JobKey, HeldEnd> held_ends;
  std::map<wire::JobStatus, std::set<JobKey>> by_status;
  std::unordered_map<std::string, std::set<std::int32_t>> by_name;  // ids by job name
  std::map<std::string, ApplicationJobs> of_application;  // by name; profiles without jobs are left out
  std::map<std::string, ControlledQueue> queue_controls;
  std::map<HostId, ControlledHost> host_controls;
  std::unordered_map<HostId, double> cpu_factors;  // HostLedger::cpu_factors()
  std::string own_host;
  std::int64_t loaded_us = 0;        // when the store was loaded: hosts may connect since then
  std::size_t connected_others = 0;  // connected hosts other than own_host
  bool suspects_itself = false;
  void connected(HostNumber host, bool so);
  bool all_are_lost(HostNumber host);
  void suspect_no_longer(WallTime now);
  std::unordered_map<std::string, jobs::JobRules> rules;         // by queue and all else that they depend on
  std::unordered_map<std::string, jobs::CheckedResreq> resreqs;  // by queue, type of host, text and -gpu
  std::size_t resreq_bytes = 0;                                  // of their texts
  std::string gpu_resource;                                      // gpus.hpp; "": no host counts GPUs

  // Answers to requests with a token, and their order in time.
  std::unordered_map<std::string, KeptToken> tokens;
  std::deque<const std::string*> tokens_by_time;  // keys of `tokens`

  enum class Timer { begin, terminate, avoid, clean, host, start, pause, recall };
  struct Deadline {
    std::int64_t due_us = 0;
    Timer timer = Timer::begin;
    JobKey key;                 // of a job or an id (index 0); {}: see `host`
    HostNumber host = kNoHost;  // Timer::host
  };
  // Hosts that are due at the same time are ordered by name.
  struct Earlier {
    const KnownHosts* hosts;
    bool operator()(const Deadline& a, const Deadline& b) const {
      const auto when = [](const Deadline& of) { return std::tie(of.due_us, of.timer, of.key); };
      if (when(a) != when(b)) return when(a) < when(b);
      return a.host != b.host && hosts->id(a.host) < hosts->id(b.host);
    }
  };
  std::set<Deadline, Earlier> deadlines{Earlier{&hosts}};
  std::int64_t heard_us = 0;  // the latest `now` of a caller; 0: none yet

  // --- JobFacts
  const jobs::JobTally* tally(std::int32_t id) const override;
  const Job* find(JobKey key) const override;

  // --- jobs
  // For changes: marks the entry as changed. nullptr: there is no such job.
  BookEntry* entry(JobKey key);
  BookEntry& at(JobKey key);  // the same; the job must exist
  Job& unpacked(const BookEntry& entry) const;
  const std::shared_ptr<const wire::Submission>& asked(const KeptSubmission& kept,
                                                       std::uint64_t number) const;
  const std::shared_ptr<const wire::Submission>& asked(std::uint64_t number) const;
  void pack() const;
  void pack_if_many() const;
  void count_application(const wire::Submission& asked, int sign);
  void add_foreign(const wire::JobRecord& record);
  void remove_foreign(const wire::JobRecord& record);
  void count_in_application(const Job& job, bool more);
  // Files the id under its job name and returns IdEntry::name; takes it out again.
  const std::string* name_id(std::int32_t id, const std::string& name);
  void unname_id(std::int32_t id, const std::string& name);
  const conf::QueueRow* queue_row(const std::string& name) const { return config.lsb->queue(name); }
  SubmissionEntry& add_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked,
                                  std::shared_ptr<const jobs::Dependency> dependency);
  // The next free job id; 0: none is free.
  std::int32_t take_id();
  // A new job, checked; `from`: the other cluster's attempt that it is, nullptr: none. It does not call counted().
  wire::BatchReply::Accepted submit(const wire::Submission& asked, const Identity& who,
                                    const wire::ForwardedFrom* from, WallTime now, Effects& effects);
  BookEntry& add_job(wire::JobRecord record);  // its submission must be there
  void remove_job(JobKey key);
  void drop_submission_if_unused(std::uint64_t number);
  const jobs::JobRules& rules_of(const BookEntry& entry);
  void forget_resreqs();
  const jobs::CheckedResreq& resreq_of(const conf::QueueRow* queue, const std::string& queue_name,
                                       const wire::Submission& asked);
  // Count what a submission uses: rows of payloads, and its user's bytes. A row is dropped when no submission names it.
  void use_payload(const wire::Submission& asked);
  void leave_payload(const wire::Submission& asked);
  // The job is over and its cluster does not acknowledge that: its script, environment and spooled input leave the store.
  void drop_payload(BookEntry& entry, Effects& effects);
  // Adds devices and CPU factor to a placement of brun, which no cycle made.
  void complete(Placement& placement);

  // Runs the stepper on a job and updates the Book: indices, dependents, deadlines, the job's place in the queue. Appends the job's
  // effects, then those of the Book.
  void step(BookEntry& entry, const JobHappening& event, WallTime now, Effects& effects);
  // Dispatches the job. If its first host knows go-aheads, the start waits for one.
  void place(BookEntry& entry, event::Dispatched plan, WallTime now, Effects& effects);
  // The job has ended so. The end waits where it may be that of a recall which a cluster could not tell.
  void end(BookEntry& entry, const report::Over& told, WallTime now, Effects& effects);
  // The cluster has said how its parts stand, or never will.
  void awaits_no_more(const std::string& cluster, WallTime now, Effects& effects);
  // The job has changed: its held end counts where it is to be ended anyway, and for no other attempt.
  void look_at_held_end(BookEntry& entry, WallTime now, Effects& effects);
  void let_end(BookEntry& entry, const HeldEnd& held, WallTime now, Effects& effects);
  // Hosts of older releases, which do not confirm an order (knows_go), count as prepared.
  void vouch_for_silent_hosts(BookEntry& entry, WallTime now, Effects& effects);

  // --- indices. A job is out of them between leave() and enter().
  void leave(BookEntry& entry);
  void enter(BookEntry& entry);
  class Change;

  // --- dependencies
  // Evaluates the conditions that the change of a job of this id concerns.
  void look_again(std::int32_t id, JobKey changed, Effects& effects);
  // Adds the submission to, or takes it from, the dependents of the ids that it names. True: it was added, evaluate it.
  bool register_dependents(std::uint64_t number, SubmissionEntry& submission);
  void evaluate_all(std::uint64_t number, Effects* effects);
  void evaluate_element(std::uint64_t number, BookEntry& element, Effects* effects);
  DependencyChanges dependency_changes;
  std::uint64_t evaluations = 0;  // of dependencies since the start: a measure of their cost
  jobs::DependencyState state_of(const BookEntry& entry) const;

  // --- deadlines
  // To be called first with each `now` of ticks, plans and reports: the clock may have been set.
  void hear_clock(WallTime now);
  void clock_went_back(WallTime now);
  void set_deadline(std::int64_t& slot, std::int64_t due, Timer timer, JobKey key);
  void time_job(BookEntry& entry, WallTime now);
  std::int64_t recall_due_us(const BookEntry& entry);  // 0: never
  void time_id(std::int32_t id);
  void time_host(HostNumber host);
  // Forgets borrowed hosts that no lease and no job has any more.
  void forget_returned_hosts();
  void clean(std::int32_t id, WallTime now, Effects& effects);

  // --- people
  event::By by(const Job& job, const Identity& who) const;
  bool administers(const std::string& queue, const Identity& who) const;
  jobs::SubmissionContext context(const Identity& who, WallTime now);

  const KeptToken* token(const std::string& name) const;
  void add_token(std::string name, KeptToken kept);
  void forget_old_tokens(WallTime now, Effects& effects);
  // Refuses a submission that exceeds its user's share of the store.
  std::optional<jobs::Refusal> check_storage(const wire::Submission& asked) const;

  // The clusters that orders for the job do not reach now.
  std::vector<OrderedCluster> cut_off(const wire::JobRecord& record) const;
  // The job's last order waits for them: bhist says so.
  void note_waiting_order(const wire::JobRecord& record, WallTime now, Effects& effects) const;

  double head_of(const std::string& queue) const;
  // Appends SaveCounters if counters changed, and DropPayload for rows that no submission names any more.
  void counted(Effects& effects);
};

// While it lives, the job is out of the indices.
class Memory::Change {
 public:
  Change(Memory& memory, BookEntry& entry) : memory_(memory), entry_(entry) { memory_.leave(entry_); }
  ~Change() { memory_.enter(entry_); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  Memory& memory_;
  BookEntry& entry_;
};

std::uint32_t slots_of(const Job& job);
// What a job adds to its user's sums, or takes from them.
void count_slots(JobsOf& user, const Job& job, int sign);
bool waits(const wire::JobRecord& record);  // it pends and was never dispatched
inline constexpr std::string_view kFinished = "Job has already finished";
inline constexpr std::string_view kDenied = "User permission denied";
inline constexpr std::string_view kNoMatch = "No matching job found";
wire::BatchReply::Outcome outcome(std::string text);
wire::BatchReply::Outcome failure(std::string text, jobs::Refusal::Why why);
void record_event(Effects& effects, JobKey key, WallTime now, wire::JobEvent event);

}  // namespace rollcall::sched::book
