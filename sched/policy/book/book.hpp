// Book: what mbatchd knows: every job, the states that badmin has set, and which hosts are connected.
//
// It applies what happens and answers with effects (events_and_effects.hpp); it touches nothing. A job's own rules are
// job_life.hpp's; who may do what, which jobs a request means, what hangs on what, and how hosts and the Book come to agree
// again are here. Owned by mbatchd's one thread. No operation costs more than what it changes: a hundred thousand pending
// jobs are no load for an event of one.
//
// The same functions rebuild it: load_*() with the rows of the store, then loaded(). What is not in the store (usage since
// the last save, streams of interactive jobs, who is connected) comes again from the hosts.
//
//   a host says         | the Book believes                   | what is done
//   --------------------+-------------------------------------+--------------------------------------------------------
//   it holds attempt a  | the job runs there as attempt a     | HostBack(held): signals since are sent again
//   it holds nothing    | the job runs there as attempt a     | HostBack(none): not started: its start is ordered again;
//                       |                                     |  started: it is over (never_seen)
//   it holds attempt a  | over, removed, unknown, another one | over: nothing, its Over will be acknowledged; a first
//                       |                                     |  host: KILL; another host: release
//   Over of a           | not (or no longer) running as a     | acknowledged
//   it has the order of | the job starts there as attempt a   | HostBack(prepared): its go-ahead is given again, or withheld
//     attempt a alone   |                                     |  until the other hosts have the order
//                       | another one, or none                | release
//   Over of a, success  | a was given up with the host, and   | the job has ended so
//                       |  its rerun pends                    |
//   it has gone         |                                     | attempts without go-ahead are taken back at once; after the
//                       |                                     |  patience HostLost for the jobs that it runs first
// The patience is counted over short connections: only one that lasts SBD_SLEEP_TIME ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/wire/batch.pb.h"
#include "sched/policy/jobs/dependency.hpp"
#include "sched/policy/jobs/job_life.hpp"
#include "sched/policy/values/book_config.hpp"
#include "sched/policy/values/events_and_effects.hpp"
#include "sched/policy/values/packed.hpp"

namespace rollcall::sched::book {

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

// A request to submit that has been answered.
struct KeptToken {
  std::int64_t at_us = 0;
  std::string answer;  // BatchReply::Submitted in its bytes: a tenth of the message
};

// Reads what the Book does not keep: the submission with its payload (stored_payload.hpp). None: it cannot be read.
using ReadWhole = std::function<std::shared_ptr<const wire::Submission>(
    const std::shared_ptr<const wire::Submission>& asked)>;

// The answer to a request of a client, and what is to be done. `reply` leaves after the commit.
struct Applied {
  wire::BatchReply reply;
  Effects effects;
};

struct SignalWork;  // book_signal.hpp
struct SwitchWork;  // the same
struct ModifyWork;  // the same
struct SelectWork;  // book_select.cpp
enum class Selects {
  jobs,
  arrays
};  // arrays: the first element that fits stands for its array; other jobs are left out

class Book {
 public:
  Book();
  ~Book();
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  // ---------------------------------------------------------------- start and configuration

  // The files in force: before anything else, and again when they change.
  Effects configure(ConfigView config, WallTime now);
  const ConfigView& config() const;
  void set_term(std::uint64_t term);
  std::uint64_t term() const;

  // From the store, in any order, then once loaded(): every host is taken to be lost from `now` on.
  void load_counters(std::int32_t next_job_id, std::uint64_t next_submission);
  void load_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked);
  void load_job(wire::JobRecord record);
  void load_control(wire::ControlState state);
  void load_token(std::string token, KeptToken kept);  // in the order in which they were made
  Effects loaded(WallTime now);

  std::int32_t next_job_id() const;
  std::uint64_t next_submission() const;

  // ---------------------------------------------------------------- what happens

  // Every job is accepted or refused on its own. `check_only`: nothing is kept. The same user's same token again, within an
  // hour: nothing is done, and the answer is the first one's.
  Applied submit(const wire::Submit& request, const Identity& who, WallTime now);
  // The commit that a submission needs has failed for good: the job was never there.
  void withdraw(std::int32_t id);

  // Of every host that is known: for the placements of brun.
  void cpu_factors(std::unordered_map<std::string, double> factors);

  // Of the plan. A job that is no longer what the plan was made for is skipped.
  Effects dispatch(JobKey key, const event::Dispatched& plan, WallTime now);
  Effects suspend(JobKey key, std::uint32_t reasons, const std::string& why, WallTime now);
  Effects resume(JobKey key, WallTime now);

  // What the engine reports of a host, by its official name (engine.hpp). HostCame: it counts as connected from now on.
  Effects host_told(const std::string& host, const HostReport& report, WallTime now);
  // `silent`: for how long nothing had been heard of it.
  Effects host_gone(const std::string& host, WallTime now, Duration silent = {});
  bool connected(const std::string& host) const;
  // Why it could not take the last order for a job; "": it took it.
  std::string trouble(const std::string& host) const;
  // What jobs that are over have left there and an administrator has to remove, one line; "": nothing.
  std::string left_behind(const std::string& host) const;
  // Why a host that is there is not taken; "": it is, or it is not there.
  std::string not_ours(const std::string& host) const;
  // The host that mbatchd is on: that it is reached says nothing of the network.
  void set_own_host(std::string host);
  // All other hosts, at least two, were lost at once: mbatchd rather than they may be cut off. No rerunnable job is given up.
  bool suspects_itself() const;

  Applied signal_jobs(const wire::SignalJobs& request, const Identity& who, WallTime now);
  // The same in pieces: each call does it to at most so many jobs more, as they then are. The reply is a part of the answer;
  // with the last one of them it is done.
  std::shared_ptr<SignalWork> begin_signal(const wire::SignalJobs& request, const Identity& who) const;
  Applied signal_some(SignalWork& work, std::size_t most, WallTime now);
  Applied move_job(const wire::MoveJob& request, const Identity& who, WallTime now);
  Applied switch_jobs(const wire::SwitchJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<SwitchWork> begin_switch(const wire::SwitchJobs& request,
                                           const Identity& who) const;  // in pieces
  Applied switch_some(SwitchWork& work, std::size_t most, WallTime now);
  Applied modify_jobs(const wire::ModifyJobs& request, const Identity& who, WallTime now);
  // In pieces: each array is checked as a whole before any of it is changed.
  std::shared_ptr<ModifyWork> begin_modify(const wire::ModifyJobs& request, const Identity& who) const;
  Applied modify_some(ModifyWork& work, std::size_t most, WallTime now);
  // Queues and hosts opened, closed, activated, inactivated. Other actions are mbatchd's own: BAD_REQUEST.
  Applied control(const wire::ControlBatch& request, const Identity& who, WallTime now);

  // Everything whose time has come. Call it at next_deadline(), or when you like.
  Effects tick(WallTime now);
  std::optional<WallTime> next_deadline() const;

  // Jobs and submissions that were looked at go back to their packed form, a third of the memory. What find() and submission()
  // returned is good until then. Call it when a turn, or a part of an answer, is over.
  void pack() const;

  // ---------------------------------------------------------------- answers

  const Job* find(JobKey key) const;
  std::size_t size() const;
  // All elements of an array by index, or the one job; empty: no such id.
  std::vector<JobKey> elements(std::int32_t id) const;
  bool is_array(std::int32_t id) const;
  const jobs::JobTally* tally(std::int32_t id) const;
  const KeptSubmission* submission(std::uint64_t number) const;
  const std::map<std::uint64_t, KeptSubmission>& submissions() const;  // packed ones too
  const KeptToken* token(const std::string& token) const;              // as effects name it

  // By key. With no filter: everybody's.
  const std::set<JobKey>& with_status(wire::JobStatus status) const;
  const std::set<JobKey>& of_user(const std::string& user) const;
  const std::set<JobKey>& of_queue(const std::string& queue) const;
  const std::set<JobKey>& on_host(const std::string& host) const;  // placed there now
  // The pending ones (PEND, PSUSP) of a queue in their order.
  using Order = std::set<std::pair<double, JobKey>>;
  const Order& pending_of(const std::string& queue) const;
  std::vector<std::string> queues_with_jobs() const;
  std::vector<std::string> users_with_jobs() const;

  StatusCounts queue_counts(const std::string& queue) const;
  StatusCounts user_counts(const std::string& user) const;
  StatusCounts host_counts(const std::string& host) const;
  StatusCounts application_counts(const std::string& profile) const;

  // What a filter means. `unknown`: ids that are not there, as they were written. Without `statuses`: unfinished ones (or
  // every one, where ids are given). Errors of the filter are refusals: NO_USER, NO_QUEUE, NO_HOST.
  struct Selection {
    std::vector<JobKey> jobs;  // by key
    std::vector<std::string> unknown;
    std::optional<wire::BatchReply::Refusal> refusal;
    bool last = true;  // of select_some()
  };
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
  // Whose dependency has come to be satisfied, or can be no longer, since this was last asked: submissions whose jobs are alike in
  // it, and single elements.
  struct DependencyChanges {
    std::set<std::uint64_t> submissions;
    std::set<JobKey> elements;
  };
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

  // What an order says when it leaves, but for the payload of its submission; none: the job is not (or no longer) on that host as that attempt, so that the order
  // is void. A turn whose commit failed leaves late.
  std::optional<order::Start> start_order(const effect::OrderStart& order) const;
  std::optional<order::Expect> expect_order(const effect::OrderExpect& order) const;
  bool has_go(const effect::OrderGo& order) const;
  // Gives an effect that is an order to the engine; others, and orders that are void, are none. False: `whole` could not read
  // what the host needs, and the order was not given.
  bool carry_out(const Effect& effect, Engine& engine, const ReadWhole& whole) const;

  // Whether a submission names this row of the store (stored_payload.hpp).
  bool uses_payload(std::uint64_t row) const;
  // Of this user's jobs: submissions with their payloads.
  std::uint64_t stored_bytes(const std::string& user) const;

  // "" where all indices agree with the jobs and every record is sound. Slow; for tests.
  std::string broken_invariant() const;

  struct Memory;  // book_memory.hpp, for book_*.cpp alone

 private:
  std::unique_ptr<Memory> memory_;
};

}  // namespace rollcall::sched::book
