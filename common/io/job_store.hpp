// JobStore: mbatchd's store: submissions, jobs, states of queues and hosts, and every event. This is the interface; where and how
// they are kept is an implementation's (sqlite_job_store.hpp). It does not know what a record means: rules are in sched/policy.
//
// Every implementation promises, and tests/io/common/job_store_fixture.hpp holds all of them to it:
//   * A StoreBatch is one transaction: after commit() all of it survives a power failure; after an error none of it is there, and
//     the store works on.
//   * One opener at a time. Each opening is a new term, committed before it returns: orders to hosts carry it, and hosts refuse
//     orders of an older term.
//   * A submission's script and environment are payloads, which the submission names. A job that has left mbatchd's memory
//     (JobRecord.cleaned_us) stays, and is found by its id.
//   * An event with a Submission is returned with it, in its present form. Event numbers only grow; those of forgotten events are
//     missing. The last event always stays.
//
// Owned by mbatchd's only thread; no call is made from within another's callback.
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

// Numbers that outlive the daemon. For the event files: the last event written, and the file's size after it.
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
// A queue's or a host's state; `value` empty: the row goes, the files decide.
struct StoredControl {
  std::string kind;
  std::string name;
  std::string value;
};

// A submission request that was answered; its repetition gets the same answer (Submit.token of batch.proto).
struct StoredToken {
  std::string token;  // of letters and digits: user and content of the request
  std::int64_t at_us = 0;
  std::string answer;
};

// All changes of one turn. An empty one commits nothing.
struct StoreBatch {
  std::vector<StoredSubmission> submissions;
  std::vector<std::shared_ptr<const StoredPayload>> payloads;
  std::vector<std::uint64_t> drop_payloads;  // rows that may or may not exist
  std::vector<wire::JobRecord> jobs;         // new and changed ones, each whole
  std::vector<StoredControl> controls;
  std::vector<wire::JobEvent> events;  // in order; the store numbers them
  std::vector<StoredToken> tokens;
  std::optional<std::int64_t> forget_tokens_before;  // microseconds
  std::array<std::optional<std::int64_t>, kStoreNumbers> numbers;

  void set(StoreNumber which, std::int64_t value) { numbers[static_cast<std::size_t>(which)] = value; }
  bool empty() const;
};

// What open() finds, handed over in this order. Only live jobs: finished ones that were cleaned stay on disk.
struct StoreVisitor {
  std::function<void(StoredSubmission)> submission;  // those of live jobs, once each
  std::function<void(wire::JobRecord)> job;          // in the order of their keys
  std::function<void(StoredControl)> control;
  std::function<void(StoredToken)> token;  // in the order in which they were made; none: skipped
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

// Deletes old jobs and events.
struct Forget {
  std::int64_t ended_before_us = 0;  // jobs that are not live, and events
  std::uint64_t events_until = 0;    // events with larger numbers stay, whatever their age
  std::size_t most = 50;             // rows to look at
};
struct Forgotten {
  std::size_t jobs = 0, events = 0, submissions = 0;
  bool more = false;  // false: the pass is complete
};

class JobStore {
 public:
  JobStore() = default;
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;
  virtual ~JobStore() = default;

  virtual std::uint64_t term() const = 0;                    // of this opener; from 1
  virtual std::int64_t number(StoreNumber which) const = 0;  // as last committed; 0: never
  virtual std::uint64_t last_event() const = 0;              // seq of the last committed event; 0: none

  virtual StoreResult<void> load(const StoreVisitor& visitor) = 0;

  // All or nothing, and durable. Gives the new last_event(). The batch is unchanged afterwards; during the call its events lack
  // their submissions.
  virtual StoreResult<std::uint64_t> commit(StoreBatch& batch) = 0;
  StoreResult<std::uint64_t> commit(StoreBatch&& batch) { return commit(batch); }

  // One step of a pass over old rows; the next call goes on. A transaction of its own. A pass goes first over jobs that are not
  // live, oldest first, then over events by number. An event stays
  //   * as long as its job is there: it has ended within the age, or has not ended;
  //   * if its number is beyond what is known to be in the event files.
  // A submission goes with the last event that names it.
  virtual StoreResult<Forgotten> forget(const Forget& what) = 0;

  // Null where there is none of this number.
  virtual StoreResult<std::shared_ptr<const wire::Submission>> submission(std::uint64_t number) = 0;
  // The body of a payload's row; an error where there is none.
  virtual StoreResult<std::string> payload(std::uint64_t number) = 0;
  // One page, in order. Fewer than `most`: the last page.
  virtual StoreResult<std::vector<StoredEvent>> events(const EventQuery& query) = 0;
  // Records of this id, live or not, by index.
  virtual StoreResult<std::vector<wire::JobRecord>> jobs(int id, int after_index, std::size_t most) = 0;
  // Highest job id that is there; 0: none.
  virtual StoreResult<int> highest_job() = 0;
};

// Opens mbatchd's store in this directory, which must exist and belong to its user alone.
using StoreOpener = std::function<StoreResult<std::unique_ptr<JobStore>>(const std::string& directory)>;

}  // namespace rollcall::io
