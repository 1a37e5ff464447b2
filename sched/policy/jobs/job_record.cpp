// A job's record: the new record, its sums of seconds, its invariants.
#include <algorithm>

#include "sched/policy/jobs/job_life_record.hpp"

namespace rollcall::sched::jobs {
namespace {

// Differences of whole seconds, so that the sums of all states add up to the total time.
std::int64_t seconds_since(std::int64_t from_us, WallTime now) {
  return from_us == 0 ? 0 : std::max<std::int64_t>(0, now.seconds() - from_us / 1'000'000);
}

}  // namespace

void add_present_seconds(wire::JobRecord& record, WallTime now) {
  const std::int64_t s = seconds_since(record.status_us(), now);
  switch (record.status()) {
    case wire::STATUS_PSUSP:
      return record.set_psusp_s(record.psusp_s() + s);
    case wire::STATUS_RUN:
      if (record.starting()) return record.set_pend_s(record.pend_s() + s);
      return record.set_run_s(record.run_s() + s);
    case wire::STATUS_USUSP:
      if (shown_status(record) == wire::STATUS_PSUSP) return record.set_psusp_s(record.psusp_s() + s);
      return record.set_ususp_s(record.ususp_s() + s);
    case wire::STATUS_SSUSP:
      return record.set_ssusp_s(record.ssusp_s() + s);
    case wire::STATUS_UNKWN:
    case wire::STATUS_ZOMBI:
      return record.set_unkwn_s(record.unkwn_s() + s);
    case wire::STATUS_DONE:
    case wire::STATUS_EXIT:
      return;
    default:
      return record.set_pend_s(record.pend_s() + s);
  }
}

void take_seconds_back(wire::JobRecord& record, WallTime end) {
  const std::int64_t s = seconds_since(end.us, {record.status_us()});
  if (record.status_before_unknown() == wire::STATUS_SSUSP)
    record.set_ssusp_s(std::max<std::int64_t>(0, record.ssusp_s() - s));
  else if (record.status_before_unknown() == wire::STATUS_USUSP)
    record.set_ususp_s(std::max<std::int64_t>(0, record.ususp_s() - s));
  else
    record.set_run_s(std::max<std::int64_t>(0, record.run_s() - s));
}

Attempt attempt_of(const wire::JobRecord& record) { return {key_of(record.key()), record.attempt()}; }

order::Signal signal_order(const wire::JobRecord& record, const wire::SentSignal& sent) {
  return {attempt_of(record), sent, record.suspend_reasons()};
}

wire::JobRecord new_record(const wire::Submission& asked, JobKey key, std::uint64_t submission,
                           const std::string& queue, WallTime now) {
  wire::JobRecord record;
  set_key(*record.mutable_key(), key);
  record.set_submission(submission);
  record.set_status(asked.hold() ? wire::STATUS_PSUSP : wire::STATUS_PEND);
  record.set_status_us(now.us);
  record.set_submit_us(now.us);
  record.set_queue(queue);
  if (asked.hold()) {
    record.set_stopped_by_user(true);
    record.set_suspended_us(now.us);
  }
  return record;
}

wire::JobRecord with_present_seconds(wire::JobRecord record, WallTime now) {
  add_present_seconds(record, now);
  return record;
}

std::string broken_invariant(const wire::JobRecord& r) {
  const auto job = "job " + text(key_of(r.key())) + ": ";
  const wire::JobStatus status = r.status();
  if (!pending(status) && !placed(status) && !finished(status)) return job + "has no status";
  if (placed(status) && (r.hosts_size() == 0 || r.attempt() == 0)) return job + "is placed nowhere";
  if (pending(status) && (r.hosts_size() != 0 || r.started() || r.reserved_size() != 0))
    return job + "pends and has hosts";
  if (r.starting() && (!placed(status) || r.started())) return job + "is starting and is not";
  if (status == wire::STATUS_PSUSP && !r.stopped_by_user() && !r.stopped_by_admin())
    return job + "is held by nobody";
  if (status == wire::STATUS_PEND && (r.stopped_by_user() || r.stopped_by_admin() || r.kill_asked()))
    return job + "pends and is held or killed";
  if (status == wire::STATUS_RUN && r.suspend_reasons() != 0) return job + "runs and is suspended";
  if ((status == wire::STATUS_SSUSP || status == wire::STATUS_USUSP) && r.suspend_reasons() == 0)
    return job + "is suspended for no reason";
  if (pending(status) && r.has_forwarded()) return job + "pends here and is forwarded";
  // In another cluster it is a job of that cluster that preempts it.
  if (!r.has_forwarded() && r.has_preempted_by() != ((r.suspend_reasons() & wire::SUSPEND_PREEMPT) != 0))
    return job + "is preempted by nobody, or is not preempted and by somebody";
  if ((r.slots_lent() || r.preempted_since_us() != 0) && !r.has_preempted_by())
    return job + "lends slots to nobody, or is preempted by nobody";
  if (r.slots_lent() && r.preempted_since_us() != 0) return job + "is preempted and lends its slots";
  const bool unknown = status == wire::STATUS_UNKWN || status == wire::STATUS_ZOMBI;
  if (unknown != (r.status_before_unknown() != wire::STATUS_NULL)) return job + "was unknown or is, not both";
  if (finished(status) && (r.end_us() == 0 || r.reserved_size() != 0 || r.signals_size() != 0))
    return job + "is over and is not";
  if (status == wire::STATUS_DONE && r.exit_status() != 0) return job + "is done and has failed";
  if (!placed(status) && r.signals_size() != 0) return job + "has signals and no process";
  if (r.paused_until_us() != 0 && !pending(status)) return job + "pauses and does not pend";
  if (r.avoided_size() > r.excluded_hosts_size()) return job + "avoids hosts that are not excluded";
  if (r.submit_us() == 0 || r.status_us() == 0) return job + "has no dates";
  return {};
}

}  // namespace rollcall::sched::jobs
