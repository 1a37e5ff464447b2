// Memory: how the Book holds its jobs, and the indices that answer quickly. Private to book_*.cpp.
//
// Every change of a job's record goes through Change (or add_job, remove_job), which takes the job out of the indices that
// depend on what changes and puts it back: so no index is ever wrong between two calls. Owned by the Book.
#pragma once

#include <array>
#include <deque>
#include <tuple>

#include "sched/policy/book/book.hpp"
#include "sched/policy/jobs/dependency_watch.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/jobs/submission_check.hpp"
#include "sched/policy/values/host_numbers.hpp"
#include "sched/policy/values/packed.hpp"

namespace rollcall::sched::book {

// A user, a queue or a host as the jobs of it hold on to: it stays where it is as long as the Book lives.
struct JobsOf {
  std::set<JobKey> jobs;  // of a host: placed there
  StatusCounts counts;
  PendingOrder pending;  // of a queue
  std::uint32_t pending_jobs = 0;
  std::map<std::pair<std::string, wire::JobStatus>, SlotCount> sums;  // of a user: by queue and state
  std::uint64_t stored_bytes = 0;  // of a user: submissions with their payloads
};

// The jobs of an application profile, which lsb.applications need not have any more.
struct ApplicationJobs {
  std::uint32_t kept = 0;  // finished ones too
  StatusCounts counts;
};

struct HostLink {
  bool connected = false;
  std::int64_t silent_since_us = 0;   // where it is not connected
  bool lost = false;                  // ... for longer than the patience, and its jobs know
  std::int64_t came_us = 0;           // the last time that it connected
  std::int64_t silent_before_us = 0;  // how long it had been silent by then, since its last steady connection
  std::int64_t due = 0;               // stands in the deadlines
  bool knows_go = false;              // report::HostCame
  std::string trouble;                // why it could not take an order; "": the last one it has taken
  std::int64_t trouble_us = 0;
  std::string not_ours;     // why the host is not taken though it is there; "": it is, or it is not there
  std::string left_behind;  // what an administrator has to remove there, for people; "": nothing
};

// The hosts that the Book has heard of, by number. They stay as long as it lives, and so do references to what it has of them.
class KnownHosts {
 public:
  HostNumber number(std::string_view written) {
    if (const auto known = numbers_.find(written)) return *known;
    hosts_.emplace_back();
    return numbers_.add(HostId(std::string(written)));
  }
  std::size_t size() const { return hosts_.size(); }
  const HostId& id(HostNumber host) const { return numbers_[host]; }

  // Made where there is none yet.
  JobsOf& jobs(HostNumber host) { return made(hosts_[host].jobs); }
  HostLink& link(HostNumber host) { return made(hosts_[host].link); }
  JobsOf& jobs(std::string_view written) { return jobs(number(written)); }
  HostLink& link(std::string_view written) { return link(number(written)); }
  // nullptr: none was made. By written name, as records and the engine have it.
  const JobsOf* find_jobs(std::string_view written) const { return find(written, &Known::jobs); }
  const HostLink* find_link(std::string_view written) const { return find(written, &Known::link); }
  template <class Take>
  void each_link(const Take& take) {  // by number
    for (HostNumber host = 0; host < size(); ++host)
      if (auto& link = hosts_[host].link) take(host, *link);
  }
  template <class Take>
  void each_jobs(const Take& take) const {
    for (HostNumber host = 0; host < size(); ++host)
      if (const auto& jobs = hosts_[host].jobs) take(host, *jobs);
  }

 private:
  struct Known {
    std::optional<JobsOf> jobs;
    std::optional<HostLink> link;
  };
  template <class T>
  static T& made(std::optional<T>& one) {
    return one ? *one : one.emplace();
  }
  template <class T>
  const T* find(std::string_view written, std::optional<T> Known::*part) const {
    const auto host = numbers_.find(written);
    return host && hosts_[*host].*part ? &*(hosts_[*host].*part) : nullptr;
  }
  HostNumbers numbers_;
  std::deque<Known> hosts_;
};

// The job itself is there while somebody works with it, and its bytes else (JobTable::pack()). Whoever has an entry of
// Memory::entry() or at() finds it there.
struct BookEntry {
  mutable std::unique_ptr<Job> job;
  mutable std::unique_ptr<Launch> launch;     // of a packed job that waits for its go-ahead
  mutable Packed<wire::JobRecord> record;     // as it was packed last
  mutable bool changed = true;                // since then
  wire::JobStatus shown = wire::STATUS_NULL;  // shown_status() of the record
  std::uint64_t submission = 0;               // the record's
  JobsOf* user = nullptr;
  JobsOf* queue = nullptr;
  jobs::DependencyState dependency = jobs::DependencyState::none;  // of this element, where elements differ
  std::unique_ptr<std::map<HostNumber, wire::JobUsage>> usage;     // by host, of a job on several
  std::unique_ptr<wire::StreamPlace> stream;
  // What stands in the deadlines.
  std::int64_t begin_due = 0, terminate_due = 0, avoid_due = 0, start_due = 0, pause_due = 0;
};

// A job id: one job, or the elements of an array.
struct IdEntry {
  bool array = false;
  std::vector<std::int32_t> indices;  // sorted
  jobs::JobTally tally;
  std::int64_t last_end_us = 0;
  std::int64_t clean_due = 0;  // stands in the deadlines
  std::unique_ptr<jobs::DependencyWatch>
      dependents;                     // submissions whose jobs wait for this id; none: there is none
  const std::string* user = nullptr;  // a key of Memory::users
  const std::string* name = nullptr;  // a key of Memory::by_name, or kNoName
};

struct SubmissionEntry {
  explicit SubmissionEntry(KeptSubmission& k) : kept(k) {}
  KeptSubmission& kept;       // Memory::kept has it
  std::int32_t id = 0;        // all its jobs have this one
  std::uint32_t waiting = 0;  // its jobs that pend and were never dispatched
  bool registered = false;    // ... so that it is among the dependents of the ids it names
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
  // Objects for the next that are unpacked: their texts have room already.
  mutable std::vector<std::unique_ptr<Job>> spare_jobs;
  mutable std::vector<std::shared_ptr<wire::Submission>> spare_submissions;
  std::map<std::int32_t, IdEntry> ids;
  std::map<std::uint64_t, KeptSubmission> kept;  // what others may look at
  std::map<std::uint64_t, SubmissionEntry> submissions;
  std::unordered_map<std::uint64_t, std::uint32_t>
      payloads;                                 // rows of the store: how many submissions name each
  std::vector<std::uint64_t> dropped_payloads;  // not yet said as effects
  std::unordered_map<std::string, JobsOf> users, queues;
  KnownHosts hosts;
  std::map<wire::JobStatus, std::set<JobKey>> by_status;
  std::unordered_map<std::string, std::set<std::int32_t>> by_name;  // ids by job name
  std::map<std::string, ApplicationJobs> of_application;            // by name; none without jobs
  std::map<std::string, ControlledQueue> queue_controls;
  std::map<HostId, ControlledHost> host_controls;
  std::unordered_map<HostId, double> cpu_factors;  // HostLedger::cpu_factors()
  std::string own_host;
  std::int64_t loaded_us = 0;        // since then hosts may come
  std::size_t connected_others = 0;  // connected hosts other than own_host
  bool suspects_itself = false;
  void connected(HostNumber host, bool so);
  bool all_are_lost(HostNumber host);
  void suspect_no_longer(WallTime now);
  std::unordered_map<std::string, jobs::JobRules> rules;  // by queue and what of a submission counts for them
  std::unordered_map<std::string, jobs::CheckedResreq> resreqs;  // by queue, type of host, text and -gpu
  std::size_t resreq_bytes = 0;                                  // of their texts
  std::string gpu_resource;                                      // gpus.hpp; "": no host counts GPUs

  // Answers to requests with a token, and their order in time.
  std::unordered_map<std::string, KeptToken> tokens;
  std::deque<const std::string*> tokens_by_time;  // keys of `tokens`

  enum class Timer { begin, terminate, avoid, clean, host, start, pause };
  struct Deadline {
    std::int64_t due_us = 0;
    Timer timer = Timer::begin;
    JobKey key;                 // of a job, of an id (index 0), or none: `host`
    HostNumber host = kNoHost;  // Timer::host
  };
  // Hosts whose time comes at once are taken in the order of their names.
  struct Earlier {
    const KnownHosts* hosts;
    bool operator()(const Deadline& a, const Deadline& b) const {
      const auto when = [](const Deadline& of) { return std::tie(of.due_us, of.timer, of.key); };
      if (when(a) != when(b)) return when(a) < when(b);
      return a.host != b.host && hosts->id(a.host) < hosts->id(b.host);
    }
  };
  std::set<Deadline, Earlier> deadlines{Earlier{&hosts}};
  std::int64_t heard_us = 0;  // the last time that was told; 0: none yet

  // --- JobFacts
  const jobs::JobTally* tally(std::int32_t id) const override;
  const Job* find(JobKey key) const override;

  // --- jobs
  BookEntry* entry(JobKey key);  // to be changed
  BookEntry& at(JobKey key);     // the same, of a job that there is
  Job& unpacked(const BookEntry& entry) const;
  const std::shared_ptr<const wire::Submission>& asked(const KeptSubmission& kept,
                                                       std::uint64_t number) const;
  const std::shared_ptr<const wire::Submission>& asked(std::uint64_t number) const;
  void pack() const;
  void pack_if_many() const;
  void count_application(const wire::Submission& asked, int sign);
  void count_in_application(const Job& job, bool more);
  // IdEntry::name of a name that the id has from now on; the id has it no more.
  const std::string* name_id(std::int32_t id, const std::string& name);
  void unname_id(std::int32_t id, const std::string& name);
  const conf::QueueRow* queue_row(const std::string& name) const { return config.lsb->queue(name); }
  SubmissionEntry& add_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked,
                                  std::shared_ptr<const jobs::Dependency> dependency);
  BookEntry& add_job(wire::JobRecord record);  // its submission is there
  void remove_job(JobKey key);
  void drop_submission_if_unused(std::uint64_t number);
  const jobs::JobRules& rules_of(const BookEntry& entry);
  void forget_resreqs();
  const jobs::CheckedResreq& resreq_of(const conf::QueueRow* queue, const std::string& queue_name,
                                       const wire::Submission& asked);
  // SubmissionEntry's own: a payload is in use while a submission names it.
  void use_payload(const wire::Submission& asked);
  void leave_payload(const wire::Submission& asked);
  // Devices and CPU factor for a placement that no cycle has made.
  void complete(Placement& placement);

  // Runs the stepper on a job and carries what follows from it into the Book: indices, dependents, deadlines, its place in
  // the queue. Effects of the Book itself are appended behind the job's.
  void step(BookEntry& entry, const JobHappening& event, WallTime now, Effects& effects);
  // Dispatches the job: on a first host that knows go-aheads it waits for one.
  void place(BookEntry& entry, event::Dispatched plan, WallTime now, Effects& effects);
  // Hosts that do not say that they have an order count as having it.
  void vouch_for_silent_hosts(BookEntry& entry, WallTime now, Effects& effects);

  // --- indices. A job is out of them between leave() and enter().
  void leave(BookEntry& entry);
  void enter(BookEntry& entry);
  class Change;

  // --- dependencies
  void look_again(std::int32_t id, JobKey changed, Effects& effects);  // what waits for this id
  // True: it waits from now on, and is to be evaluated.
  bool register_dependents(std::uint64_t number, SubmissionEntry& submission);
  void evaluate_all(std::uint64_t number, Effects* effects);
  void evaluate_element(std::uint64_t number, BookEntry& element, Effects* effects);
  DependencyChanges dependency_changes;
  std::uint64_t evaluations = 0;  // of dependencies, ever: what they have cost
  jobs::DependencyState state_of(const BookEntry& entry) const;

  // --- deadlines
  // Every `now` of what happens by itself comes here first: the calendar may have been set.
  void hear_clock(WallTime now);
  void clock_went_back(WallTime now);
  void set_deadline(std::int64_t& slot, std::int64_t due, Timer timer, JobKey key);
  void time_job(BookEntry& entry, WallTime now);
  void time_id(std::int32_t id);
  void time_host(HostNumber host);
  void clean(std::int32_t id, WallTime now, Effects& effects);

  // --- people
  event::By by(const Job& job, const Identity& who) const;
  bool administers(const std::string& queue, const Identity& who) const;
  jobs::SubmissionContext context(const Identity& who, WallTime now);

  const KeptToken* token(const std::string& name) const;
  void add_token(std::string name, KeptToken kept);
  void forget_old_tokens(WallTime now, Effects& effects);
  // Whether its user has room for what it brings; what the store has of it already is counted.
  std::optional<jobs::Refusal> check_storage(const wire::Submission& asked) const;

  double head_of(const std::string& queue) const;
  // SaveCounters where they have changed, DropPayload of what nothing names any more.
  void counted(Effects& effects);
};

// Takes the job out of the indices for as long as it lives.
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
