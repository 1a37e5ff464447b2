#include "sched/policy/lease/host_grants.hpp"

namespace rollcall::sched::lease {

void HostGrants::came(bool unknown_jobs) {
  gone();
  connected_ = all_ = true;
  unknown_jobs_ = unknown_jobs;
  heard_ = false;
  first_ = asked_ + 1;
}

void HostGrants::gone() {
  connected_ = all_ = again_ = unknown_jobs_ = false;
  named_.clear();
  on_disk_.clear();
  wanted_.clear();
  told_over_.clear();
}

void HostGrants::keeps_no_numbers() {
  gone();
  heard_ = true;
}

std::optional<GrantQuestion> HostGrants::next_question(const GrantNumbers& leases) {
  if (!connected_) return std::nullopt;
  GrantQuestion question;
  for (const auto& [lease, number] : leases) {
    const auto named = named_.find(lease);
    const bool raised = wanted_.contains(lease) && named != named_.end() && named->second < number;
    if (all_ || named == named_.end() || raised) question.newest[lease] = named_[lease] = number;
    told_over_.erase(lease);
  }
  wanted_.clear();
  for (const auto& [lease, number] : on_disk_)
    if (!leases.contains(lease) && told_over_.insert(lease).second) question.over.push_back(lease);
  for (const std::uint64_t lease : question.over) named_.erase(lease);
  const bool asks = unknown_jobs_ && all_;
  if (!asks && question.newest.empty() && question.over.empty()) return std::nullopt;
  all_ = false;
  question.number = ++asked_;
  return question;
}

bool HostGrants::answered(const GrantsOnHost& answer, const std::function<bool(const Attempt&)>& knows) {
  if (!connected_ || answer.question < first_) return false;
  on_disk_ = answer.newest;
  unknown_jobs_ = false;
  for (const auto& job : answer.jobs) {
    if (job.over || knows(job.attempt)) continue;
    unknown_jobs_ = true;
    for (const std::uint64_t lease : job.leases) on_disk_.erase(lease);
  }
  again_ = unknown_jobs_ || !answer.why_not.empty();
  heard_ = !again_;
  return true;
}

GrantNumber HostGrants::on_disk(std::uint64_t lease) const {
  const auto found = on_disk_.find(lease);
  return found == on_disk_.end() ? GrantNumber{} : found->second;
}

}  // namespace rollcall::sched::lease
