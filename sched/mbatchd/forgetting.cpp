#include "sched/mbatchd/forgetting.hpp"

#include <algorithm>
#include <utility>

namespace rollcall::mbatchd {
namespace {

constexpr Duration kBetweenPasses = std::chrono::hours(1);
constexpr Duration kShortestRest = std::chrono::milliseconds(20);
constexpr int kRestsForEachStep = 9;
constexpr std::int64_t kDay_us = 24LL * 3600 * 1'000'000;

}  // namespace

void Forgetting::configure(std::int64_t days) {
  if (days_ != days) due_ = {};
  days_ = days;
}

std::optional<Duration> Forgetting::wait() const {
  if (days_ == 0) return std::nullopt;
  return std::max(Duration{0}, Duration(due_ - Steady::now()));
}

void Forgetting::pass_over() {
  due_ = Steady::now() + kBetweenPasses;
  if (jobs_ + events_ > 0)
    log_.notice("the store has forgotten " + std::to_string(jobs_) + " jobs and " + std::to_string(events_) +
                " events that are older than " + std::to_string(days_) + " days (JOB_HISTORY_DAYS)");
  jobs_ = events_ = 0;
}

void Forgetting::step(io::JobStore& store, bool behind, WallTime now) {
  const auto begin = Steady::now();
  if (days_ == 0 || begin < due_) return;
  if (behind) return pass_over();
  io::Forget what;
  what.ended_before_us = now.us - days_ * kDay_us;
  // The number that the store has: after a crash the files are written again from there.
  what.events_until = static_cast<std::uint64_t>(
      std::min(store.number(io::StoreNumber::events_seq), store.number(io::StoreNumber::accounts_seq)));
  const auto forgotten = store.forget(what);
  if (!forgotten) {
    if (!std::exchange(failing_, true)) log_.error("old jobs stay in the store: " + forgotten.error().text);
    return pass_over();
  }
  failing_ = false;
  jobs_ += forgotten->jobs;
  events_ += forgotten->events;
  if (!forgotten->more) return pass_over();
  const auto end = Steady::now();
  due_ = end + std::max(kShortestRest, Duration((end - begin) * kRestsForEachStep));
}

}  // namespace rollcall::mbatchd
