#include "sched/policy/show/job_picks.hpp"

#include <algorithm>

#include "common/resreq/resreq.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::show {
namespace {

bool reserved_by(const resreq::Rusage& rusage, const std::string& name) {
  for (const auto& alternative : rusage.alternatives)
    for (const auto& used : alternative.strings)
      for (const auto& usage : used.usages)
        if (usage.name == name) return true;
  return false;
}

}  // namespace

bool ineligible(const JobView& job, const wire::Submission& asked, WallTime now) {
  return job.record().status() == wire::STATUS_PSUSP || asked.begin_us() > now.us ||
         !job.dependency_state().empty();
}

bool JobPicks::keep(const JobView& job, const wire::Submission& asked, WallTime now) const {
  if (forwarded && (!job.record().has_forwarded() || finished(job.record().status()))) return false;
  if (exceptional && job.exceptions().empty()) return false;
  if (eligible || ineligible) {
    if (!pending(job.record().status())) return false;
    if (eligible != ineligible && sched::show::ineligible(job, asked, now) != ineligible) return false;
  }
  if (reserves.empty()) return true;
  const auto parsed = resreq::parse(job.combined_resreq());
  if (parsed.error || !parsed.value.rusage) return false;
  return std::all_of(reserves.begin(), reserves.end(),
                     [&](const std::string& name) { return reserved_by(*parsed.value.rusage, name); });
}

std::vector<std::string> resource_words(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const auto begin = text.find_first_not_of(", ");
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    words.emplace_back(text.substr(0, text.find_first_of(", ")));
    text.remove_prefix(words.back().size());
  }
}

}  // namespace rollcall::sched::show
