// StoredRows: rows of the store into the Book, and out of it. What commits a turn has it, and nothing else.
//
// At a start: load_*() in any order, then loaded(). Afterwards effects name what is to be saved; its value is read here when the
// commit is made. What is not in the store (usage since the last save, streams of interactive jobs, who is connected) comes again
// from the hosts. A view of the Book's Memory, which outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sched/policy/book/job_table.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::book {

// A request to submit that has been answered.
struct KeptToken {
  std::int64_t at_us = 0;
  std::string answer;  // BatchReply::Submitted in its bytes: a tenth of the message
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
  // Every host is taken to be lost from `now` on.
  Effects loaded(WallTime now);

  std::int32_t next_job_id() const;
  std::uint64_t next_submission() const;
  // As effects name them; none: it has gone since.
  const wire::JobRecord* record(JobKey key) const;
  std::shared_ptr<const wire::Submission> submission(std::uint64_t number) const;
  const KeptToken* token(const std::string& token) const;
  // Whether a submission names this row of the store (stored_payload.hpp).
  bool uses_payload(std::uint64_t row) const;

  // The commit that a submission needs has failed for good: the job was never there. Its elements.
  std::vector<JobKey> withdraw(std::int32_t id);

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

}  // namespace rollcall::sched::book
