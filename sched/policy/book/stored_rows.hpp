// StoredRows: loads rows of the store into the Book, and reads them out again. Only for the code that commits a turn.
//
// At a start: load_*() in any order, then loaded(). Later, effects name the rows to save, and the commit reads their values here.
// Facts that are not stored (usage since the last save, streams of interactive jobs, which hosts are connected) are reported by
// the hosts again. A view of the Book's Memory, which outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sched/policy/book/job_table.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::book {

// The token of an answered request to submit, with the answer.
struct KeptToken {
  std::int64_t at_us = 0;
  std::string answer;  // a serialized BatchReply::Submitted: a tenth of the object's size
};

class StoredRows {
 public:
  StoredRows(Memory& memory, const JobTable& jobs) : memory_(&memory), jobs_(jobs) {}
  StoredRows(const StoredRows&) = delete;
  StoredRows& operator=(const StoredRows&) = delete;

  void load_counters(std::int32_t next_job_id, std::uint64_t next_submission);
  void load_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked);
  void load_job(wire::JobRecord record);
  void load_control(wire::ControlState state);
  void load_token(std::string token, KeptToken kept);  // in the order in which they were made
  // Ends loading. Hosts with jobs count as silent from `now` on.
  Effects loaded(WallTime now);

  std::int32_t next_job_id() const;
  std::uint64_t next_submission() const;
  // Rows as effects name them; nullptr: the object is gone since.
  const wire::JobRecord* record(JobKey key) const;
  std::shared_ptr<const wire::Submission> submission(std::uint64_t number) const;
  const KeptToken* token(const std::string& token) const;
  // Whether a submission names this row of the store (stored_payload.hpp).
  bool uses_payload(std::uint64_t row) const;

  // Removes a submitted job whose commit has failed for good, as if it had never been there. Returns its elements.
  std::vector<JobKey> withdraw(std::int32_t id);

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

}  // namespace rollcall::sched::book
