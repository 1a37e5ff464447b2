#include "sched/policy/values/answer_tables.hpp"

namespace rollcall::sched {

void SubmissionTable::take(wire::BatchReply::Jobs& part) {
  for (auto& [number, asked] : *part.mutable_submissions()) known_[number].Swap(&asked);
}

const wire::Submission& SubmissionTable::of(const wire::BatchReply::JobView& job) const {
  const auto at = known_.find(job.record().submission());
  return at == known_.end() ? wire::Submission::default_instance() : at->second;
}

void ReasonTable::take(wire::BatchReply::Jobs& part) {
  for (auto& [number, reasons] : *part.mutable_reasons()) known_[number].Swap(&reasons);
}

void ReasonTable::lend(wire::BatchReply::JobView& job) {
  if (const auto known = known_.find(job.shared_reasons()); known != known_.end())
    job.mutable_reasons()->Swap(known->second.mutable_reasons());
}

// lend() swaps, so a second call moves the reasons back.
void ReasonTable::take_back(wire::BatchReply::JobView& job) { lend(job); }

}  // namespace rollcall::sched
