#include "sched/policy/values/answer_tables.hpp"

#include <utility>

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
  lent_ = false;
  const auto known = known_.find(job.shared_reasons());
  if (known == known_.end()) return;
  lent_ = job.reasons().empty();
  auto own = *job.mutable_reasons();
  if (lent_)
    job.mutable_reasons()->Swap(known->second.mutable_reasons());
  else
    *job.mutable_reasons() = known->second.reasons();
  for (auto& reason : own) job.add_reasons()->Swap(&reason);
}

void ReasonTable::take_back(wire::BatchReply::JobView& job) {
  if (std::exchange(lent_, false))
    job.mutable_reasons()->Swap(known_.at(job.shared_reasons()).mutable_reasons());
}

}  // namespace rollcall::sched
