// HostOnLease: a host of another cluster that a lease gives us, as its provider has told it last. A value: the lease hands it to the
// Book, which takes its name, and to the snapshot, which places jobs on it.
//
// Everything in it is a stranger's word: whoever makes one checks sizes and characters first.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/host_facts.hpp"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched {

// What of the host is ours now. It changes without new rules of placement.
struct BorrowedShare {
  int slots = 0;
  bool whole = false;  // all slots of the host are lent to us
  std::optional<double> mem_mb,
      swp_mb;  // exported: the most that our jobs may have together; none: they compete for what is free
  friend bool operator==(const BorrowedShare&, const BorrowedShare&) = default;
};

// What of a host of ours leases give to other clusters: it is gone from our own schedule().
struct LentOfHost {
  bool whole = false;  // no new job of ours starts there
  int slots = 0;  // taken from the host's own slots; negative: slots of a shared PER_HOST are added to them
  double mem_mb = 0, swp_mb = 0;  // exported, and not used by jobs of the consumers
  // Slots that were ours but for the leases: of whole hosts and of shared leases. Those that PER_HOST adds to a host's own never are.
  int slots_lent = 0;
  std::string consumers;  // that have them, or are to: "east, west"; for pending reasons
  // Of a shared lease, which divides the host's slots between both sides: without MXJ these are its CPUs, also while the consumer has none.
  bool counted = false;
  int in_hand = 0;  // of the host's own slots: those that consumers have, or that their jobs use
  // Its RES has jobs under grants that are not known here, of another store's leases. Until they are over nothing of ours starts there.
  bool unknown_jobs = false;
  friend bool operator==(const LentOfHost&, const LentOfHost&) = default;
};

struct HostOnLease {
  HostId id;  // host@cluster
  BorrowedShare share;
  bool unreachable = false;  // no order can reach it: its RES is silent there, or its cluster is here
  bool unavailable = false;  // its LIM is silent there
  bool closed = false;       // badmin hclose there: no new start of any consumer
  bool inactive = false;     // its lease is being changed: no new start of ours
  HostFacts facts;
  // Its load, by the provider's names of indices; effective run queues. An index without a value is unknown.
  std::map<std::string, float> numbers;
  std::map<std::string, std::string> words;
};

// Instances of a shared resource that a lease gives us. What of them our jobs hold is not subtracted.
struct InstancesOnLease {
  std::string resource;
  std::vector<HostId> hosts;  // that have the resource
  int instances = 0;
  friend bool operator==(const InstancesOnLease&, const InstancesOnLease&) = default;
};

// The names of the hosts on lease.
using BorrowedNames = std::set<HostId>;

}  // namespace rollcall::sched
