// two_sided_stop: a job on lent slots can be stopped in two clusters, and each lets go what it has stopped itself (docs/decisions/0114). Functions
// over the job's record in either cluster.
//
//   stopped by                              | in its own cluster             | where it runs             | let go by
//   ----------------------------------------+--------------------------------+---------------------------+-----------------------
//   its user, or an administrator there     | USUSP, stopped_by_user, _admin | USUSP, stopped_by_user    | bresume there
//   its own cluster's cycle (load, windows) | SSUSP                          | SSUSP                     | that cycle
//   an administrator where it runs          | USUSP, SUSPEND_ADMIN without   | USUSP, stopped_by_admin   | bresume by one of them
//                                           |  stopped_by_admin              |                           |
// It goes on when no side has it stopped.
#pragma once

#include "common/base/term_reason.hpp"
#include "sched/policy/values/host_id.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::jobs {

// In its own cluster: an administrator of the cluster that lends the hosts has stopped it.
inline bool stopped_by_provider(const wire::JobRecord& record) {
  return placed(record.status()) && !is_elsewhere(record) && !HostId(record.hosts(0).name()).ours() &&
         (record.suspend_reasons() & wire::SUSPEND_ADMIN) != 0 && !record.stopped_by_admin();
}

// SentSignal.term_reason of a SUSPEND that crosses: why the cycle of the job's own cluster suspends it; 0: somebody has asked for it. An older
// release says 0, and takes every one as asked for.
inline std::int32_t crossing_reason(std::uint32_t suspend_reasons) {
  if (suspend_reasons == 0 || (suspend_reasons & (wire::SUSPEND_USER | wire::SUSPEND_ADMIN)) != 0) return 0;
  if ((suspend_reasons & wire::SUSPEND_LOAD) != 0) return TERM_LOAD;
  return (suspend_reasons & wire::SUSPEND_WINDOW) != 0 ? TERM_WINDOW : TERM_OTHER;
}
// The bit of SuspendReason that the job has for it where it runs.
inline std::uint32_t reason_of_crossing(std::int32_t term_reason) {
  return term_reason == TERM_LOAD     ? wire::SUSPEND_LOAD
         : term_reason == TERM_WINDOW ? wire::SUSPEND_WINDOW
                                      : wire::SUSPEND_QUEUE_INACTIVE;
}

}  // namespace rollcall::sched::jobs
