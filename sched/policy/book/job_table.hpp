// JobTable: the jobs that the Book has, with their indices and what can be asked of them. Whoever answers or waits has it, to
// read; it changes no job (that is client_commands.hpp, host_ledger.hpp, stored_rows.hpp).
//
// A view of the Book's Memory, which outlives it. What it returns by reference or pointer is good until pack(), or until
// something happens to the Book. No answer costs more than what it names.
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

// Slots that jobs have, or that pending ones wait for, and the jobs; by state.
struct SlotCount {
  std::uint64_t slots = 0, jobs = 0;
  friend bool operator==(const SlotCount&, const SlotCount&) = default;
};
using SlotSums = std::map<wire::JobStatus, SlotCount>;

// A submission that is in memory, and its dependency.
struct KeptSubmission {
  mutable std::shared_ptr<const wire::Submission> asked;  // none: packed; Book::submission() unpacks it
  mutable Packed<wire::Submission> packed;
  std::uint32_t jobs = 0;                              // that were made of it
  std::shared_ptr<const jobs::Dependency> dependency;  // none: -
  jobs::DependencyState dependency_state =
      jobs::DependencyState::none;  // of all its jobs, unless per_element()
};

enum class Selects {
  jobs,
  arrays
};  // arrays: the first element that fits stands for its array; other jobs are left out

// What a filter means. `unknown`: ids that are not there, as they were written. Without `statuses`: unfinished ones (or
// every one, where ids are given). Errors of the filter are refusals: NO_USER, NO_QUEUE, NO_HOST.
struct Selection {
  std::vector<JobKey> jobs;  // by key
  std::vector<std::string> unknown;
  std::optional<wire::BatchReply::Refusal> refusal;
  bool last = true;  // of select_some()
};

// The pending jobs (PEND, PSUSP) of a queue in their order.
using PendingOrder = std::set<std::pair<double, JobKey>>;

// Whose dependency has come to be satisfied, or can be no longer: submissions whose jobs are alike in it, and single elements.
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
  // All elements of an array by index, or the one job; empty: no such id.
  std::vector<JobKey> elements(std::int32_t id) const;
  bool is_array(std::int32_t id) const;
  const jobs::JobTally* tally(std::int32_t id) const;
  const KeptSubmission* submission(std::uint64_t number) const;
  const std::map<std::uint64_t, KeptSubmission>& submissions() const;  // packed ones too

  // Jobs and submissions that were looked at go back to their packed form, a third of the memory. What find() and submission()
  // returned is good until then. Call it when a turn, or a part of an answer, is over.
  void pack() const;

  // By key. With no filter: everybody's.
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
  // The same in pieces: each call looks at no more than `most` further jobs, in the order of their keys, as they then are. A job
  // that fits all the time is selected once, whatever else changes between the pieces; one that begins or ceases to fit
  // meanwhile may be or not; a job with a larger key than any at the beginning is not. `unknown` and `refusal` come first.
  std::shared_ptr<SelectWork> begin_select(const wire::JobFilter& filter, const Identity& who,
                                           Selects what = Selects::jobs) const;
  Selection select_some(SelectWork& work, std::size_t most) const;
  // Of all that would be selected, from counters: at the cost of the users and queues that have jobs. None: the filter asks for
  // more than users, queues and states, or has an error.
  std::optional<SlotSums> slot_sums(SelectWork& work) const;

  // May this job be dispatched as far as the Book knows (PEND, its time has come, its dependency holds)?
  jobs::DependencyState dependency_state(const Job& job) const;
  // Of bwait, names bound to the jobs that have them now; errors: what cannot be meant, in one line.
  Result<jobs::Dependency> condition(std::string_view expression, const Identity& who) const;
  jobs::DependencyState state_of(const jobs::Dependency& condition) const;
  // Since this was last called.
  DependencyChanges take_dependency_changes();
  // How often a dependency was evaluated, ever: what bsub -w has cost.
  std::uint64_t evaluations() const;

  ControlledQueue queue_control(const std::string& queue) const;
  ControlledHost host_control(const std::string& host) const;

  // Owner, cluster administrator, or administrator of the job's queue.
  bool may_change(const Job& job, const Identity& who) const;

  // Where the terminal or the pipes of an interactive job await its bsub; none: not (yet).
  const wire::StreamPlace* stream(JobKey key) const;

  // Effective: what was asked, else the queue's default, and never above the queue's maximum.
  wire::Limits effective_limits(const Job& job) const;
  // Requirements of job and queue together; what the scheduler binds. Cheap: kept by text.
  const std::string& combined_resreq(const Job& job) const;
  // Of this user's jobs: submissions with their payloads.
  std::uint64_t stored_bytes(const std::string& user) const;

 private:
  Memory* memory_;
};

}  // namespace rollcall::sched::book
