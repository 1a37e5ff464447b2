// exports: from lsb.resources, the hosts and what was exported before, to what each consumer is offered. Functions.
//
// A policy with PER_HOST exports SLOTS of each named host, divided among its consumers; the provider keeps its own slots (MXJ). A policy
// with RES_SELECT chooses up to NHOSTS whole hosts among those that are up and open, once: a host that was chosen stays, also when it dies,
// until the policy changes, and hosts that come up later are added until there are NHOSTS. Each host goes to one consumer, and to one
// such policy. Hosts of type DLINUX are exported only by a policy that exports swap space. A host without slots is not chosen, and no lease
// has more hosts or slots than its consumer accepts (lease_bounds.hpp). "Platform LSF MultiCluster 7", resource leasing;
// lsb.resources(5). docs/decisions/0097.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/wall_time.hpp"
#include "common/conf/lsb/lsb_resources.hpp"
#include "common/conf/problems.hpp"
#include "common/resreq/evaluate.hpp"
#include "sched/policy/lease/lease_values.hpp"

namespace rollcall::sched::lease {

struct Consumer {
  std::string cluster;
  std::int64_t shares = 1;
  friend bool operator==(const Consumer&, const Consumer&) = default;
};

// A HostExport without what means nothing here: a local cluster in DISTRIBUTION is ignored with its shares, the shares of a cluster
// that is named twice are added.
struct ExportPolicy {
  std::vector<std::string> hosts;  // PER_HOST, by official name; empty: RES_SELECT
  std::string select;
  int most_hosts = 0;  // NHOSTS
  int slots = 0;       // of each host of PER_HOST
  std::optional<int> memory_mb, swap_mb;
  bool shared = false;
  std::vector<Consumer> consumers;  // in the order of DISTRIBUTION; may be empty
  conf::Place place;
  conf::Places places;

  bool names_hosts() const { return !hosts.empty(); }
};

using OfficialHost = std::function<std::optional<std::string>(std::string_view)>;

// In the order of the file. Unknown hosts are left out; a policy that names none that is known is left out, too. `own`: the local cluster.
std::vector<ExportPolicy> export_policies(const std::vector<conf::HostExport>& exports, std::string_view own,
                                          const OfficialHost& official);
// Without what check_exports refuses: a host that an earlier policy names, where one of the two is shared, is left out of the later one. A
// policy that has no host left is left out, too.
std::vector<ExportPolicy> without_refused(std::vector<ExportPolicy> policies);
std::vector<Consumer> consumers_of(const std::vector<conf::Share>& distribution, std::string_view own);

// A host of the provider. `view` must live while it is chosen from.
struct ExportHost {
  std::string name;
  std::string type;
  int slots = 1;  // MXJ, its CPUs where MXJ is not given
  bool up = false;
  const resreq::HostView* view = nullptr;
  bool closed = false;  // badmin hclose: not chosen, but kept where it was by a consumer that may keep it
};

// What a RES_SELECT policy has exported so far.
struct ChosenHost {
  std::string host, consumer;
  WallTime last_start;  // of the consumer's jobs that are there now; never: none is
  friend bool operator==(const ChosenHost&, const ChosenHost&) = default;
};
struct ChosenBefore {
  bool same_policy = true;  // as it was when they were chosen: all of them stay
  std::vector<ChosenHost> hosts;
};

// What a policy offers to one consumer: a lease, when the consumer wants it.
struct Offer {
  std::size_t policy = 0;  // its place among the policies
  std::string consumer;
  std::vector<LeasedHost>
      hosts;  // each has at least one slot; in the order of the policy or of `hosts`; may be empty
};

// Exported memory and swap of a host that a lease has, as its row in the store says.
struct HeldMemory {
  std::size_t policy = 0;  // of the lease, by its place
  std::string consumer, host;
  std::optional<int> memory_mb, swap_mb;
};

// All offers, in the order of the policies and their DISTRIBUTION. Of MEM and SWP no more is exported than a host has (maxmem, maxswp); earlier
// policies come first. Until LIM has told of the host, that is what `held` has of it. `before`: of each policy, by its place; may be
// shorter. Errors: none; a RES_SELECT that cannot be understood chooses nothing (check_exports names it).
//
// Where a changed policy lets a consumer keep fewer hosts than it has, those with jobs stay before idle ones, and of these the ones
// whose last job has run longest: the most recently started jobs are the ones that are killed.
std::vector<Offer> offers(const std::vector<ExportPolicy>& policies, const std::vector<ExportHost>& hosts,
                          const std::vector<ChosenBefore>& before, const IndexTable& indices,
                          const std::vector<HeldMemory>& held = {});

// A consumer whose part of a policy is none: its share is less than one, or no host can be chosen.
struct LeftOut {
  std::size_t policy = 0;  // its place among the policies
  std::string consumer;
  std::string why;  // one line
};
std::vector<LeftOut> left_out(const std::vector<ExportPolicy>& policies, const std::vector<Offer>& offers);

// badmin ckconfig. Errors: a host in two policies of which one is TYPE=shared; a host of PER_HOST that a RES_SELECT of another policy
// matches, as far as `hosts` have what it asks for; a RES_SELECT that cannot be understood. Warnings: a policy without a consumer; a
// consumer whose part of all that the policy can export is none, or has more hosts than a lease; a host that two policies export to
// one consumer.
void check_exports(const std::vector<ExportPolicy>& policies, const std::vector<ExportHost>& hosts,
                   const IndexTable& indices, conf::Problems& problems);

// ---------------------------------------------------------------- shared resources

using conf::kMostInstances;
inline constexpr double kDust = 1e-6;  // sums of fractions that differ by less are equal

// One instance of a numeric shared resource of the provider (ResourceMap): how much there is, and for which hosts.
struct ResourceInstance {
  std::string resource;
  std::vector<std::string> hosts;
  // Of a static resource all of it. Of one that an elim reports its value: what is free. A job that has reserved an instance and has not
  // checked it out is not seen in it, so reservations and what leases have count beside it; docs/decisions/0112.
  double there = 0;
  bool dynamic = false;
  double own = 0;           // that jobs of the provider reserve
  std::uint32_t place = 0;  // in PlacementRules::shared
};
// What consumers of leases hold of an instance now.
struct HeldInstances {
  std::size_t policy = 0;  // of the lease, by its place
  std::string consumer;
  std::size_t instance = 0;  // by its place
  int has = 0;               // in the consumer's hand
};

// Adds what SharedResourceExport exports to the offers: of NINSTANCES as many as there are. A consumer gets its part in one lease and of one
// instance: that which it has, else the largest that its exported hosts reach. Consumers without such a host are ignored with their
// shares, as is a second policy for the same resource. Given back: the resources of each offer.
//
// The value of a dynamic resource goes up and down: it takes no instance from a consumer. Only a smaller part of NINSTANCES does.
std::vector<std::vector<LeasedResource>> offered_resources(
    const std::vector<conf::SharedResourceExport>& exports, std::string_view own,
    const std::vector<Offer>& offers, const std::vector<ResourceInstance>& instances,
    const std::vector<HeldInstances>& held = {});

}  // namespace rollcall::sched::lease
