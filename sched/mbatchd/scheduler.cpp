#include "sched/mbatchd/scheduler.hpp"

#include <algorithm>
#include <ctime>
#include <set>

namespace rollcall::mbatchd {
namespace {

constexpr Duration kQuick = std::chrono::milliseconds(10);

std::int32_t utc_offset_s() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

}  // namespace

bool Scheduler::quick() const { return last_ < kQuick; }

bool Scheduler::make(WallTime now) {
  const auto from = Steady::now();
  if (!wanted_ || from < not_before_) return false;
  keeper_.dependencies(jobs_.take_dependency_changes());
  auto& snapshot = keeper_.snapshot();
  snapshot.utc_offset_s = utc_offset_s();
  const auto plan = sched::cycle::schedule(snapshot, now);
  next_look_ = plan.next_look;
  std::set<sched::JobKey> not_taken;
  for (const auto& dispatch : plan.dispatches)
    if (!carry_out(dispatch, now)) not_taken.insert(dispatch.job);
  for (const auto& suspend : plan.suspends)
    if (!not_taken.contains(suspend.by))
      changed_(hosts_.suspend(suspend.job, {suspend.reasons, suspend.text, suspend.by}, now));
  for (const auto& resume : plan.resumes) changed_(hosts_.resume(resume.job, {resume.reasons}, now));
  wanted_ = !not_taken.empty();  // its own changes were planned with it
  last_ = Steady::now() - from;
  not_before_ = Steady::now() + last_;
  return true;
}

// False where the job is no longer what the plan was made for.
bool Scheduler::carry_out(const sched::cycle::Dispatch& dispatch, WallTime now) {
  sched::event::Dispatched event;
  event.placement = by_name(keeper_.snapshot().rules(), dispatch.placement);
  if (dispatch.effective_resreq) event.effective_resreq = *dispatch.effective_resreq;
  auto effects = hosts_.dispatch(dispatch.job, event, now);
  if (effects.empty()) {
    keeper_.job(dispatch.job);
    return false;
  }
  changed_(std::move(effects));
  return true;
}

void Scheduler::tick(WallTime now) {
  if (!next_look_ || now < *next_look_) return;
  next_look_.reset();
  wanted_ = true;
}

std::optional<Duration> Scheduler::wait() const {
  if (!wanted_) return std::nullopt;
  return std::max(Duration{0}, Duration(not_before_ - Steady::now()));
}

}  // namespace rollcall::mbatchd
