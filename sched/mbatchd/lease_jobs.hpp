// lease_jobs: what a job has of a host, for the leases of a provider. Functions.
#pragma once

#include <cstdint>
#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::mbatchd {

// 0: the job is not on the host.
inline int slots_on(const wire::JobRecord& record, const std::string& host) {
  for (const auto& on : record.hosts())
    if (on.name() == host) return static_cast<int>(on.slots());
  return 0;
}

// The lease whose slots the job has on the host; 0: the job is not on it, or has slots of our own.
inline std::uint64_t lease_on(const wire::JobRecord& record, const std::string& host) {
  for (int i = 0; i < record.hosts_size(); ++i)
    if (record.hosts(i).name() == host)
      return i < record.from().leases_size() ? record.from().leases(i) : record.from().lease();
  return 0;
}

// The amount of an exported resource that the attempt of another cluster reserves.
inline double reserved_by(const wire::JobRecord& record, const std::string& resource) {
  double amount = 0;
  for (const auto& reserved : record.from().reserved())
    if (reserved.name() == resource) amount += reserved.amount();
  return amount;
}

}  // namespace rollcall::mbatchd
