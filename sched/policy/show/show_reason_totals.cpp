#include "sched/policy/show/show_reason_totals.hpp"

#include <algorithm>
#include <vector>

#include "common/base/table_cells.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::show {

std::vector<ReasonTotals::Share> ReasonTotals::shares_of(const JobView& job) {
  std::vector<Share> shares;
  std::set<std::string> told;  // a reason may come twice, with different words to act on
  for (const auto& reason : job.reasons()) {
    Sum& sum = reasons_[reason.text()];
    sum.hosts.insert(reason.hosts().begin(), reason.hosts().end());
    shares.push_back(
        {&sum, told.insert(reason.text()).second ? 1U : 0U,
         std::max<std::uint64_t>({1, reason.count(), static_cast<std::uint64_t>(reason.hosts_size())})});
  }
  return shares;
}

void ReasonTotals::add(const JobView& job) {
  if (!pending(job.record().status())) return;
  ++jobs_;
  const auto add = [](const std::vector<Share>& shares) {
    for (const Share& share : shares) {
      share.sum->jobs += share.jobs;
      share.sum->occurrences += share.occurrences;
    }
  };
  if (job.shared_reasons() == 0) return add(shares_of(job));
  const auto [known, fresh] = shared_.try_emplace(job.shared_reasons());
  if (fresh) known->second = shares_of(job);
  add(known->second);
}

std::string ReasonTotals::table(const std::string& cluster, const ShowTime& time) const {
  std::string text = "Pending reason summary: published " + time.at(time.now.us) + "\nSummarizing " +
                     std::to_string(jobs_) + " pending job" + (jobs_ == 1 ? "" : "s") + " in cluster (" +
                     cluster + "):\n\n";
  std::vector<const std::pair<const std::string, Sum>*> rows;
  for (const auto& row : reasons_) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->second.jobs > b->second.jobs; });
  text += right("JOBS", 8) + right("HOSTS", 8) + right("OCCURRENCES", 13) + "  PENDING REASON\n";
  for (const auto* row : rows) {
    const Sum& sum = row->second;
    text += right(std::to_string(sum.jobs), 8) +
            right(sum.hosts.empty() ? "-" : std::to_string(sum.hosts.size()), 8) +
            right(std::to_string(sum.occurrences), 13) + "  " + row->first + "\n";
  }
  return text;
}

}  // namespace rollcall::sched::show
