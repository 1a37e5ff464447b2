// JobTable: the Book's jobs, to read: by key and by index. For answers, waiting clients, the snapshot and lsb.events. It changes
// no job; client_commands.hpp, host_ledger.hpp and stored_rows.hpp do.
//
// A view of the Book's Memory, which outlives it. References and pointers that it returns are valid until pack() or the next
// change of the Book. An answer costs as much as the jobs it names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/jobs/dependency.hpp"
#include "sched/policy/jobs/job_life.hpp"
#include "sched/policy/values/book_config.hpp"
#include "sched/policy/values/packed.hpp"

namespace rollcall::sched::book {

struct Memory;      // book_memory.hpp, for this folder alone
struct SelectWork;  // book_select.cpp

// What badmin has set.
struct ControlledQueue {
  bool open = true;
  bool active = true;
  wire::ControlState state;
};
struct ControlledHost {
  bool open = true;
  wire::ControlState state;
};

// Counts of slots and jobs, as bqueues, bhosts and busers show them.
struct StatusCounts {
  std::uint32_t jobs = 0, pend = 0, run = 0, ssusp = 0, ususp = 0;  // slots; finished ones do not count
  std::uint32_t pending_jobs = 0;                                   // jobs
  friend bool operator==(const StatusCounts&, const StatusCounts&) = default;
};

// Number of jobs, and of the slots that they have or, while pending, ask for.
struct SlotCount {
  std::uint64_t slots = 0, jobs = 0;
  std::uint64_t forwarded = 0;  // of the slots: asked for by jobs that wait in another cluster
  friend bool operator==(const SlotCount&, const SlotCount&) = default;
};
using SlotSums = std::map<wire::JobStatus, SlotCount>;

// A submission that is in memory, and its dependency.
struct KeptSubmission {
  mutable std::shared_ptr<const wire::Submission> asked;  // nullptr: packed; JobTable::submission() unpacks
  mutable Packed<wire::Submission> packed;
  std::uint32_t jobs = 0;                              // number of jobs made of it
  std::shared_ptr<const jobs::Dependency> dependency;  // nullptr: it has none
  // Of all its jobs, unless Dependency::per_element().
  jobs::DependencyState dependency_state = jobs::DependencyState::none;
};

// arrays: the first element that fits stands for its array; other jobs are left out.
enum class Selects { jobs, arrays };

// The jobs that a filter means. A filter without `statuses` means unfinished jobs; with ids, jobs of any status. `unknown`: ids
// that do not exist, as written. `refusal`: the filter is wrong (NO_USER, NO_QUEUE, NO_HOST).
struct Selection {
  std::vector<JobKey> jobs;  // by key
  std::vector<std::string> unknown;
  std::optional<wire::BatchReply::Refusal> refusal;
  bool last = true;  // of select_some()
};

// The pending jobs (PEND, PSUSP) of a queue in their order.
using PendingOrder = std::set<std::pair<double, JobKey>>;

// Dependencies whose state has changed: of whole submissions, or of single elements if elements differ.
struct DependencyChanges {
  std::set<std::uint64_t> submissions;
  std::set<JobKey> elements;
};

class JobTable {
 public:
  explicit JobTable(Memory& memory) : memory_(&memory) {}
  JobTable(const JobTable&) = delete;
  JobTable& operator=(const JobTable&) = delete;

  const ConfigView& config() const;

  const Job* find(JobKey key) const;
  std::size_t size() const;
  // The elements of an array by index, or the one job of the id; empty: no such id.
  std::vector<JobKey> elements(std::int32_t id) const;
  bool is_array(std::int32_t id) const;
  const jobs::JobTally* tally(std::int32_t id) const;
  const KeptSubmission* submission(std::uint64_t number) const;
  const std::map<std::uint64_t, KeptSubmission>& submissions() const;  // packed ones too

  // Packs the jobs and submissions that were looked at; packed they take a third of the memory. What find() and submission()
  // returned is invalid afterwards. To be called at the end of a turn, or of a part of an answer.
  void pack() const;

  // By key, of all users.
  const std::set<JobKey>& with_status(wire::JobStatus status) const;
  const std::set<JobKey>& of_user(const std::string& user) const;
  const std::set<JobKey>& of_queue(const std::string& queue) const;
  const std::set<JobKey>& on_host(const std::string& host) const;  // placed there now
  const PendingOrder& pending_of(const std::string& queue) const;
  std::vector<std::string> queues_with_jobs() const;
  std::vector<std::string> users_with_jobs() const;

  StatusCounts queue_counts(const std::string& queue) const;
  StatusCounts user_counts(const std::string& user) const;
  StatusCounts host_counts(const std::string& host) const;
  StatusCounts application_counts(const std::string& profile) const;

  Selection select(const wire::JobFilter& filter, const Identity& who) const;
  // The same in pieces: each call looks at up to `most` further jobs in the order of their keys, in their present state. A job that
  // fits all the time is selected once, whatever changes between the pieces. A job that begins or ceases to fit meanwhile may be
  // selected or not. Jobs with a larger key than any at the beginning are left out. The first piece has `unknown` and `refusal`.
  std::shared_ptr<SelectWork> begin_select(const wire::JobFilter& filter, const Identity& who,
                                           Selects what = Selects::jobs) const;
  Selection select_some(SelectWork& work, std::size_t most) const;
  // Sums over all jobs that would be selected, from counters, at a cost by users and queues that have jobs. None: the filter names
  // more than user, queue and states, or has an error.
  std::optional<SlotSums> slot_sums(SelectWork& work) const;

  // The state of the job's dependency; of a job that ran before: satisfied.
  jobs::DependencyState dependency_state(const Job& job) const;
  // The condition of a bwait, its names bound to the jobs that have them now. Errors: what is wrong with it, in one line.
  Result<jobs::Dependency> condition(std::string_view expression, const Identity& who) const;
  jobs::DependencyState state_of(const jobs::Dependency& condition) const;
  // The changes since the last call.
  DependencyChanges take_dependency_changes();
  // How often dependencies were evaluated since the start: a measure of the cost of bsub -w.
  std::uint64_t evaluations() const;

  ControlledQueue queue_control(const std::string& queue) const;
  ControlledHost host_control(const std::string& host) const;

  // Owner, cluster administrator, or administrator of the job's queue.
  bool may_change(const Job& job, const Identity& who) const;

  // Where bsub can connect to the terminal or the pipes of an interactive job; nullptr: it has none, or not yet.
  const wire::StreamPlace* stream(JobKey key) const;

  // The job's own limits, else the queue's default limits; never above the queue's maximum.
  wire::Limits effective_limits(const Job& job) const;
  conf::PreemptionLimits preemption_limits(const Job& job) const;
  // The requirements of job, application profile and queue merged, as the scheduler binds them. Cheap: results are kept by text.
  const std::string& combined_resreq(const Job& job) const;
  // Size of the submissions of this user's jobs, with their payloads.
  std::uint64_t stored_bytes(const std::string& user) const;

 private:
  Memory* memory_;
};

}  // namespace rollcall::sched::book
