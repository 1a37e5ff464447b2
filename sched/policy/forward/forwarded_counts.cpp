#include "sched/policy/forward/forwarded_counts.hpp"

#include <algorithm>
#include <limits>

namespace rollcall::sched::forward {
namespace {

bool negative(const Figures& figures) {
  const Slots& slots = figures.slots;
  return std::min({slots.total, slots.available, slots.running, slots.pending, slots.preemptable,
                   figures.job_room.value_or(0), figures.slot_room.value_or(0)}) < 0;
}

int less(int room, std::int64_t taken) { return static_cast<int>(std::max<std::int64_t>(room - taken, 0)); }

int more(int room, int given) {
  return static_cast<int>(
      std::min<std::int64_t>(std::int64_t{room} + given, std::numeric_limits<int>::max()));
}

}  // namespace

std::uint64_t ForwardedCounts::forwarded(int slots) {
  there_.emplace(next_, std::max(slots, 0));
  ++jobs_;
  slots_ += std::max(slots, 0);
  return next_++;
}

void ForwardedCounts::restored(std::uint64_t forward, int slots) {
  if (!there_.emplace(forward, std::max(slots, 0)).second) return;
  next_ = std::max(next_, forward + 1);  // the clock that the first number is taken from went back
  if (newest_ && forward <= newest_->accounts_for) return;
  ++jobs_;
  slots_ += std::max(slots, 0);
}

void ForwardedCounts::gone(std::uint64_t forward) {
  const auto found = there_.find(forward);
  if (found == there_.end()) return;
  if (!newest_ || forward > newest_->accounts_for) {
    --jobs_;
    slots_ -= found->second;
  }
  there_.erase(found);
}

void ForwardedCounts::came_back(std::uint64_t forward) {
  const auto found = there_.find(forward);
  if (found != there_.end() && newest_ && forward <= newest_->accounts_for) {
    Figures& figures = newest_->figures;
    figures.slots.pending = less(figures.slots.pending, found->second);
    if (figures.job_room) figures.job_room = more(*figures.job_room, 1);
    if (figures.slot_room) figures.slot_room = more(*figures.slot_room, found->second);
  }
  gone(forward);
}

ForwardedCounts::Outcome ForwardedCounts::updated(const Update& update) {
  if (newest_ && update.order <= newest_->order) return Outcome::outdated;
  if (update.accounts_for >= next_ || negative(update.figures)) return Outcome::invalid;
  newest_ = update;
  count_unaccounted();
  return Outcome::taken;
}

std::optional<Figures> ForwardedCounts::figures() const {
  if (!newest_) return std::nullopt;
  Figures figures = newest_->figures;
  const std::int64_t pending = figures.slots.pending + slots_;
  figures.slots.pending = static_cast<int>(std::min<std::int64_t>(pending, std::numeric_limits<int>::max()));
  if (figures.job_room) figures.job_room = less(*figures.job_room, jobs_);
  if (figures.slot_room) figures.slot_room = less(*figures.slot_room, slots_);
  return figures;
}

void ForwardedCounts::count_unaccounted() {
  jobs_ = 0;
  slots_ = 0;
  for (auto at = there_.upper_bound(newest_->accounts_for); at != there_.end(); ++at) {
    ++jobs_;
    slots_ += at->second;
  }
}

}  // namespace rollcall::sched::forward
