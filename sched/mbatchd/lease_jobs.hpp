// lease_jobs: what a job has of a host, for the leases of a provider. A function.
#pragma once

#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::mbatchd {

// 0: the job is not on the host.
inline int slots_on(const wire::JobRecord& record, const std::string& host) {
  for (const auto& on : record.hosts())
    if (on.name() == host) return static_cast<int>(on.slots());
  return 0;
}

}  // namespace rollcall::mbatchd
