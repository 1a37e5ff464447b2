// lease_terms: which policy of lsb.resources a lease is of, which slots are in nobody's hand, and what is left of a host for its own
// cluster. Functions of all leases of a provider. docs/decisions/0097.
//
// Policies have no names. After a change of lsb.resources a lease is of the policy with the same PER_HOST or RES_SELECT, else of the
// next one of its kind that exports to its consumer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/policy/lease/exports.hpp"
#include "sched/policy/lease/lease_life.hpp"
#include "sched/policy/lease/reclaim.hpp"
#include "sched/policy/values/host_on_lease.hpp"

namespace rollcall::sched::lease {

// "PER_HOST hostA hostB", "RES_SELECT type==LINUX".
std::string policy_name(const ExportPolicy& policy);
// All of it, in one line: what was chosen stays while this is the same.
std::string policy_terms(const ExportPolicy& policy);

// A lease of the provider with the policy that it was made for.
struct LeaseOfPolicy {
  ProviderLease lease;
  std::string policy, terms;  // policy_name(), policy_terms()
  // TYPE=shared: slots of each host, both sides together. Not in the store: empty until the files and the hosts are known.
  std::map<std::string, int> both_sides = {};

  bool names_hosts() const { return policy.starts_with("PER_HOST"); }
  bool shared() const { return terms.starts_with("shared"); }
};

// Of each lease the place of its policy; none: it is withdrawn. No two leases with one consumer have one policy. Leases that are
// withdrawn already have none.
std::vector<std::optional<std::size_t>> policies_of(const std::vector<const LeaseOfPolicy*>& leases,
                                                    const std::vector<ExportPolicy>& policies);

// For offers(). `of`: policies_of() the leases.
std::vector<HeldMemory> held_memory(const std::vector<const LeaseOfPolicy*>& all,
                                    const std::vector<std::optional<std::size_t>>& of);

// What the provider knows of one of its hosts.
struct OwnHost {
  int slots = 0;       // MXJ, its CPUs where MXJ is not given
  int used = 0;        // by its own jobs
  bool heard = false;  // its RES has said in this mbatchd's term what it holds
  bool known = false;  // ... at least once: all that was started there is known, also while it is silent
  int preempted = 0;   // slots of its own jobs that others of them have preempted; `used` has none of them
};
// Slots and memory in MB of a lease's attempts on a host that were accepted and are not over.
struct AttemptsOn {
  int slots = 0;
  double mem_mb = 0, swp_mb = 0;
};
using Attempts = std::map<std::pair<std::uint64_t, std::string>, AttemptsOn>;  // by lease and host

// Instances that a lease's attempts reserve, by lease and resource.
using HeldByAttempts = std::map<std::pair<std::uint64_t, std::string>, double>;

// Slots that PER_HOST policies add to each host.
std::map<std::string, std::int64_t> added_slots(const std::vector<ExportPolicy>& policies);
// Of each host of the lease. A host that `own` does not have has no free slots. `fenced` is left empty. `added`: added_slots() of the policies
// in force. The leases follow a changed policy one by one, so what they are to have may together be more than it adds. Attempts count also on a
// host that their lease does not have: a lost store may have forgotten the grant.
HostsNow hosts_now(const LeaseOfPolicy& of, const std::vector<const LeaseOfPolicy*>& all,
                   const std::map<std::string, OwnHost>& own,
                   const std::map<std::string, std::int64_t>& added, const Attempts& attempts);

// ---------------------------------------------------------------- shared resources

// The place in `instances` of the one that a lease's resource is of; none: ResourceMap has none such any more.
std::optional<std::size_t> instance_of(const LeasedResource& resource,
                                       const std::vector<ResourceInstance>& instances);
// For offered_resources(). `of`: policies_of() the leases.
std::vector<HeldInstances> held_instances(const std::vector<const LeaseOfPolicy*>& all,
                                          const std::vector<std::optional<std::size_t>>& of,
                                          const std::vector<ResourceInstance>& instances);
// Of each resource of the lease. Instances are free when all hosts to which leases give them are known.
ResourcesNow resources_now(const LeaseOfPolicy& of, const std::vector<const LeaseOfPolicy*>& all,
                           const std::vector<ResourceInstance>& instances,
                           const std::map<std::string, OwnHost>& own, const HeldByAttempts& held);
// What leases take of each instance from the provider's own jobs: from the moment it is exported.
std::vector<double> lent_instances(const std::vector<const LeaseOfPolicy*>& all,
                                   const std::vector<ResourceInstance>& instances,
                                   const HeldByAttempts& held);
// Why an attempt of the lease cannot reserve it on these hosts now; none: it can. `known` tells whether all that was started on a host is
// known (OwnHost::known).
std::optional<std::string> why_no_instances(const LeaseOfPolicy& of, const std::string& resource,
                                            double amount, const std::vector<std::string>& hosts,
                                            const std::function<bool(const std::string& host)>& known,
                                            const HeldByAttempts& held);

// ---------------------------------------------------------------- TYPE=shared

// The hosts of a shared lease, in the lease's order, for reclaim(). The slots of PER_HOST are beside the host's own, so those that the
// provider's jobs use beyond its own count.
std::vector<SharedHost> shared_hosts(const LeaseOfPolicy& of, const std::map<std::string, OwnHost>& own,
                                     const Attempts& attempts);
// What event::Exported says of a shared lease whose policy exports `offered`: the consumer's part is as it was divided last. Of a lease
// that has no part yet one idle slot is reserved.
std::vector<LeasedHost> divided_hosts(const LeaseOfPolicy& of, const std::vector<LeasedHost>& offered,
                                      const std::map<std::string, OwnHost>& own, const Attempts& attempts);

// ---------------------------------------------------------------- what is left

// What leases take of the provider's own hosts. Whole hosts are taken from the moment they are exported; of a shared lease the slots
// that are the consumer's or are to be, and what the provider has of PER_HOST's slots is added to its own.
std::map<std::string, LentOfHost> lent_hosts(const std::vector<const LeaseOfPolicy*>& all,
                                             const Attempts& attempts);

// Slots of whole hosts that the provider's own jobs use still, or go on with. They are the lease's when these jobs end.
int awaited_slots(const LeaseOfPolicy& of, const std::map<std::string, OwnHost>& own);

// Whether a lease is to be looked at again when a job ends or a host comes.
bool waits(const ProviderLease& lease);

}  // namespace rollcall::sched::lease
