// SubmissionTable, ReasonTable: what an answer about jobs contains once for many of them. A client keeps them from part to part:
// one of each for a request. Values.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/wire/batch.pb.h"

namespace rollcall::sched {

// The submissions of the jobs of an answer: a part has only those that no earlier part had.
class SubmissionTable {
 public:
  void take(wire::BatchReply::Jobs& part);
  // An empty submission if the answer has none for the job.
  const wire::Submission& of(const wire::BatchReply::JobView& job) const;

 private:
  std::unordered_map<std::uint64_t, wire::Submission> known_;
};

// Pending reasons, once for all jobs that share them. They may be long, so they are not copied: lend() moves them into a job while
// it is shown, take_back() moves them out again. A job with reasons of its own too has a copy, before its own.
class ReasonTable {
 public:
  void take(wire::BatchReply::Jobs& part);
  void lend(wire::BatchReply::JobView& job);
  void take_back(wire::BatchReply::JobView& job);

 private:
  std::unordered_map<std::uint32_t, wire::BatchReply::Reasons> known_;
  bool lent_ = false;  // the last job has them, and not a copy
};

}  // namespace rollcall::sched
