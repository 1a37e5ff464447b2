// The words of leases: which lease, which grant of it, which slots on which hosts. Values.
//
// A lease is one export policy (lsb.resources) and one consumer. A grant is all that the consumer holds of it from one moment on. The
// provider alone makes and numbers both; docs/decisions/0097. The states of a lease are explained there.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched::lease {

// A number of the provider's store, which is never used again; 0: none.
struct LeaseId {
  std::string provider;
  std::uint64_t number = 0;
  friend auto operator<=>(const LeaseId&, const LeaseId&) = default;
};
std::string text(const LeaseId& lease);  // "east#3"

// Of two grants of a lease the one with the larger number holds. {}: before the first one.
struct GrantNumber {
  std::uint64_t term = 0;     // of the provider's store
  std::uint64_t counter = 0;  // of the lease; it never falls
  friend auto operator<=>(const GrantNumber&, const GrantNumber&) = default;
};
std::string text(const GrantNumber& grant);  // "7.12"

// Of a lease: see docs/decisions/0097.
enum class Phase { offered, requested, active, recalling, inactive, returned };
std::string_view text(Phase phase);

// What a grant has of one host.
struct LeasedHost {
  std::string host;  // its name at the provider
  int slots = 0;     // that the consumer may use: not negative
  // Exported amounts: the limit of the consumer's jobs there. None: they compete with the provider's.
  std::optional<int> memory_mb, swap_mb;
  bool whole = false;  // all of the host is the consumer's (RES_SELECT, exclusive)
  // Told to the consumer of a lease that was granted: the host is in the lease, also while it has no slot. Not in the provider's row.
  bool stays = false;

  // The consumer's cluster has the host. Where its provider does not say that it stays, a host without slots may have left.
  bool known() const { return slots > 0 || stays; }
  friend bool operator==(const LeasedHost&, const LeasedHost&) = default;
};
// Instances of a shared resource: of one instance of ResourceMap at the provider.
struct LeasedResource {
  std::string name;
  int instances = 0;
  std::vector<std::string> hosts;  // of the lease, that have the resource; in the lease's order
  friend bool operator==(const LeasedResource&, const LeasedResource&) = default;
};

}  // namespace rollcall::sched::lease
