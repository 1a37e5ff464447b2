// SubmissionTable, ReasonTable: what an answer about jobs tells once for many of them, kept from part to part. Values; a client
// owns one of each for every question.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/wire/batch.pb.h"

namespace rollcall::sched {

// What was asked for the jobs of an answer, kept from part to part: a part brings only what was in none before.
class SubmissionTable {
 public:
  void take(wire::BatchReply::Jobs& part);
  // An empty one where the answer never had it.
  const wire::Submission& of(const wire::BatchReply::JobView& job) const;

 private:
  std::unordered_map<std::uint64_t, wire::Submission> known_;
};

// Why jobs pend, as an answer tells it once for many of them. A job has the reasons on loan while it is shown: they may be long,
// and are never copied.
class ReasonTable {
 public:
  void take(wire::BatchReply::Jobs& part);
  void lend(wire::BatchReply::JobView& job);
  void take_back(wire::BatchReply::JobView& job);

 private:
  std::unordered_map<std::uint32_t, wire::BatchReply::Reasons> known_;
};

}  // namespace rollcall::sched
