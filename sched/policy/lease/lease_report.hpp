// lease_report: what is shown of leases: the lease table of bclusters, bhosts -e. Values and functions.
//
// mbatchd's lease shells make a LeaseReport of each lease that they have; sched/policy/answers/lease_rows.hpp answers with it.
//
//   status | means
//   -------+---------------------------------------------------------------
//   ok     | the lease is made, and the clusters are connected: jobs can run
//   conn   | the clusters are connected, and the lease is not made (yet)
//   disc   | the clusters are not connected
//
// "Platform LSF Command Reference", bclusters(1), bhosts(1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sched/policy/lease/lease_life.hpp"

namespace rollcall::sched::lease {

// Slots of the consumer's jobs, as bhosts counts them.
struct SlotCounts {
  int jobs = 0, running = 0, ssusp = 0, ususp = 0, reserved = 0;
};
// A host of a lease, as this cluster sees it.
struct ReportedHost {
  std::string host;  // its name at the provider
  int exported = 0;  // slots that the policy exports to the consumer; at the consumer: as `has.slots`
  LeasedHost has;    // what is in the consumer's hand
  SlotCounts counts;
};
struct ReportedResource {
  LeasedResource has;  // with the instances that the policy exports to the consumer
  double used = 0;     // by the consumer's jobs
};

struct LeaseReport {
  LeaseId id;           // number 0: a consumer of a policy that has nothing for it, so that there is no lease
  std::string cluster;  // the other one
  bool imports = false;  // this cluster borrows
  bool connected = false;
  Phase phase = Phase::offered;
  GrantNumber number;
  bool shared = false;
  // reclaim_reason() of the last division, awaited_reason(), taking_reason(), or why the consumer gets nothing; "": there is nothing to say
  std::string reason;
  std::vector<ReportedHost> hosts;
  std::vector<ReportedResource> resources;
};

std::string_view status(const LeaseReport& lease);
// The policy has slots for the consumer now.
bool exports_slots(const LeaseReport& lease);

// A whole host is lent slot by slot, as the provider's jobs end there. "": no slot is awaited.
std::string awaited_reason(int slots, const std::string& provider);

// Why slots that are being taken back are not free yet: the consumer's jobs run on them, or neither it nor RES of the host has answered; or
// which hosts have left (has_left()) with jobs. "": the lease takes nothing back.
std::string taking_reason(const ProviderLease& lease, const HostsNow& now);

// A lease of the consumer with slots that it does not have yet.
struct AwaitedLease {
  LeaseId id;
  int slots = 0;                // those that jobs of its provider use still
  bool provider_lends = false;  // the consumer has hosts of the provider already, by whichever lease
};

}  // namespace rollcall::sched::lease
