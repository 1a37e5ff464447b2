#include "sched/policy/peers/told_spans.hpp"

#include <algorithm>

namespace rollcall::sched::peers {

bool ToldSpans::has_room(const std::string& cluster, const wire::JobSpan& span) {
  const auto fits = [&] { return bytes_[cluster] + span.ByteSizeLong() <= kMostBytes; };
  if (fits()) return true;
  drop_those_over();
  return fits();
}

void ToldSpans::told(const std::string& cluster, JobKey part, const wire::JobSpan& span) {
  if (!has_room(cluster, span)) return;
  const std::size_t bytes = span.ByteSizeLong();
  if (const auto before = told_.find(part); before != told_.end())
    bytes_[before->second.cluster] -= before->second.bytes;
  bytes_[cluster] += bytes;
  told_.insert_or_assign(part, Told{cluster, span, bytes});
  if (told_.size() >= clean_at_) drop_those_over();
}

const wire::JobSpan* ToldSpans::find(JobKey part) const {
  const auto told = told_.find(part);
  return told == told_.end() ? nullptr : &told->second.span;
}

void ToldSpans::drop_those_over() {
  std::erase_if(told_, [this](const auto& one) {
    if (!is_over_(one.first)) return false;
    bytes_[one.second.cluster] -= one.second.bytes;
    return true;
  });
  clean_at_ = std::max<std::size_t>(100, 2 * told_.size());
}

}  // namespace rollcall::sched::peers
