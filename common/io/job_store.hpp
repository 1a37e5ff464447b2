// JobStore: what mbatchd knows, on disk: submissions, jobs, what was said to queues and hosts, and every event.
//
// Owns one database file, LSB_SHAREDIR/CLUSTER/jobs.db (SQLite, on a local disk), and the lock beside it. Every SQL statement of
// the product is in job_store.cpp and job_store_rows.hpp and nowhere else. It does not know what a record means: rules are in sched/policy.
//
// A StoreBatch is one transaction: after commit() all of it survives a loss of power, and after an error none of it is
// there, and the store goes on as before. One opener at a time; each open() is a new term, which is on disk before
// open() returns: orders to hosts carry it, and hosts refuse those of an older one.
//
// tables: meta(name, value)  submissions(number, body)  payloads(number, body)  jobs(id, idx, submission, live, end_us, record)
//         controls(kind, name, value)  events(seq, at_us, id, idx, kind, body)  tokens(token, at_us, answer)
// A submission's script and environment are rows of `payloads`, which the submission names; they go with the last job that may
// need them. A store of an older release, which has them in `submissions`, is changed by open().
// A job that has left mbatchd's memory (JobRecord.cleaned_us) stays in `jobs` with live = 0. Events of the kinds that hold
// a Submission are kept without it: they name its number, and the queries put it back. The numbers of events grow for ever; those of
// forgotten events are missing. The last event always stays.
#pragma once

#include <array>
#include <boost/system/result.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/stored_payload.hpp"

namespace rollcall::io {

struct StoreError {
  enum class Kind {
    failed,
    disk_full,  // no space or no quota: the same may work later
    in_use,     // another mbatchd has it
  };
  Kind kind = Kind::failed;
  std::string text;  // one line: the file, what was found, what was expected
};
[[noreturn]] void throw_exception_from_error(const StoreError& error, const boost::source_location&);
template <class T>
using StoreResult = boost::system::result<T, StoreError>;

// Numbers that outlive the daemon. Those of the files are the last event written there and the size it then had.
enum class StoreNumber {
  next_job,
  next_submission,
  events_seq,
  events_size,
  accounts_seq,
  accounts_size,
  events_finished,  // finished jobs in the present lsb.events: when to switch
};
constexpr std::size_t kStoreNumbers = 7;

struct StoredSubmission {
  std::uint64_t number = 0;
  std::shared_ptr<const wire::Submission> asked;
};
// A row of a submission's payload (common/wire/stored_payload.hpp).
using StoredPayload = wire::PayloadRow;
// A queue's or a host's state; `value` empty: as the files say, the row goes.
struct StoredControl {
  std::string kind;
  std::string name;
  std::string value;
};

// A request to submit that was answered so: its repetition is answered the same (Submit.token of batch.proto).
struct StoredToken {
  std::string token;  // of letters and digits: whose it is and what was sent
  std::int64_t at_us = 0;
  std::string answer;
};

// All of one turn. An empty one commits nothing.
struct StoreBatch {
  std::vector<StoredSubmission> submissions;
  std::vector<std::shared_ptr<const StoredPayload>> payloads;
  std::vector<std::uint64_t> drop_payloads;  // rows, there or not
  std::vector<wire::JobRecord> jobs;         // new and changed ones, each whole
  std::vector<StoredControl> controls;
  std::vector<wire::JobEvent> events;  // in order; the store numbers them
  std::vector<StoredToken> tokens;
  std::optional<std::int64_t> forget_tokens_before;  // microseconds
  std::array<std::optional<std::int64_t>, kStoreNumbers> numbers;

  void set(StoreNumber which, std::int64_t value) { numbers[static_cast<std::size_t>(which)] = value; }
  bool empty() const;
};

// What open() finds, handed over in this order. Only what is live: finished jobs that were cleaned stay where they are.
struct StoreVisitor {
  std::function<void(StoredSubmission)> submission;  // those of live jobs, once each
  std::function<void(wire::JobRecord)> job;          // in the order of their keys
  std::function<void(StoredControl)> control;
  std::function<void(StoredToken)>
      token;  // in the order in which they were made; none: they are not asked for
};

struct EventQuery {
  std::uint64_t after = 0;  // events with larger numbers; pages go on with the last one seen
  std::optional<int> id;    // of this job; none: of all, and of the system
  bool finishes = false;    // only JobEvent.finish
  std::int64_t from_us = 0;
  std::int64_t to_us = INT64_MAX;
  std::size_t most = 1000;  // of one page
};
struct StoredEvent {
  std::uint64_t seq = 0;
  wire::JobEvent event;
};

// Deletes old jobs and events (job_store_forget.hpp).
struct Forget {
  std::int64_t ended_before_us = 0;  // jobs that are not live, and events
  std::uint64_t events_until = 0;    // events with larger numbers stay, whatever their age
  std::size_t most = 50;             // rows that are looked at
};
struct Forgotten {
  std::size_t jobs = 0, events = 0, submissions = 0;
  bool more = false;  // false: a pass is over
};

class JobStore {
 public:
  // Makes the file where there is none (mode 0600). An error where the file or its directory is not our user's alone to
  // write, is of another program or of a newer version, or where another process has it open.
  static StoreResult<JobStore> open(const std::string& directory);
  JobStore(JobStore&&) noexcept;
  JobStore& operator=(JobStore&&) noexcept;
  ~JobStore();

  std::uint64_t term() const;                    // of this opener; from 1
  std::int64_t number(StoreNumber which) const;  // as last committed; 0: never
  std::uint64_t last_event() const;              // seq of the last committed event; 0: none

  StoreResult<void> load(const StoreVisitor& visitor);

  // All or nothing, and on disk. Gives last_event() as it then is. The batch is as it was afterwards; meanwhile its events
  // are without their submissions.
  StoreResult<std::uint64_t> commit(StoreBatch& batch);
  StoreResult<std::uint64_t> commit(StoreBatch&& batch) { return commit(batch); }

  // One step of a pass over what is old; the next call goes on. A transaction of its own.
  StoreResult<Forgotten> forget(const Forget& what);

  // Nothing where there is none of this number.
  StoreResult<std::shared_ptr<const wire::Submission>> submission(std::uint64_t number);
  // The body of a payload's row; an error where there is none.
  StoreResult<std::string> payload(std::uint64_t number);
  // One page, in order. Fewer than `most`: there are no more.
  StoreResult<std::vector<StoredEvent>> events(const EventQuery& query);
  // Records of this id, live or not, by index.
  StoreResult<std::vector<wire::JobRecord>> jobs(int id, int after_index, std::size_t most);
  // Highest job id ever stored; 0: none.
  StoreResult<int> highest_job();

 private:
  class Impl;
  explicit JobStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall::io
