// GlobalJobId: a job as another cluster names it: the cluster that it was submitted to, and its JobKey there. A value.
//
//   12@east   12[3]@east   id@submission_cluster, "id[index]"@submission_cluster of bjobs(1)
//
// For code that talks to other clusters, for the wire and for events. The Book and the cycle use JobKey alone, which is small and
// means a job of this cluster; tests/unit/architecture holds that.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {

struct GlobalJobId {
  std::string cluster;
  JobKey job;
  friend auto operator<=>(const GlobalJobId&, const GlobalJobId&) = default;
};

std::string text(const GlobalJobId& id);
// Accepts only what text() writes; `0`, which means all jobs to some commands, is an error. Errors are one line.
Result<GlobalJobId> parse_global_job_id(std::string_view word);

}  // namespace rollcall::sched

template <>
struct std::hash<rollcall::sched::GlobalJobId> {
  std::size_t operator()(const rollcall::sched::GlobalJobId& id) const noexcept {
    return std::hash<std::string>()(id.cluster) * 31 + std::hash<rollcall::sched::JobKey>()(id.job);
  }
};
