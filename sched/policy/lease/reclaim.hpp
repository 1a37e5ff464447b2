// reclaim: to which side the idle slots of a shared lease go. Functions of one lease: one policy (TYPE=shared) and one consumer.
//
//   idle slots                     | they all go to
//   -------------------------------+---------------------------------------
//   the consumer has more          | the provider, but for the one reserved
//   the provider has more          | the consumer
//   equal                          | nobody: the lease stays as it is
//
// Idle slots are compared, not demand: idle slots may go to a side without jobs. Slots with jobs, also suspended ones, stay with
// their side. One slot always stays with the consumer, so that it can use the lease again. "Platform LSF MultiCluster 7", shared lease.
// Slots that the consumer's own lsb.hosts does not let it use are the provider's, and idle for neither.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rollcall::sched::lease {

// The slots of a shared lease on one host. None is negative; a side that uses more than it has counts as without idle slots.
struct SharedHost {
  int slots = 0;  // of the lease, both sides together
  int consumer_has = 0;
  int consumer_uses = 0,
      provider_uses = 0;  // with jobs, also suspended ones; the provider's count beyond its own slots there

  std::optional<int> consumer_limit = {};  // slots that its own files let it use; none: all

  int provider_has() const { return slots - consumer_has; }
  friend bool operator==(const SharedHost&, const SharedHost&) = default;
};

struct Idle {
  long consumer = 0, provider = 0;
  long beyond = 0;  // of the consumer's: beyond its limit
  friend bool operator==(const Idle&, const Idle&) = default;
};
Idle idle_slots(const std::vector<SharedHost>& hosts);

struct Division {
  enum class To {
    nobody,
    provider,
    consumer,
    beyond
  };  // beyond: those beyond the consumer's own MXJ alone, to the provider
  To to = To::nobody;
  std::vector<int> consumer_has;  // of each host, from now on
  friend bool operator==(const Division&, const Division&) = default;
};
// Every MC_RECLAIM_DELAY. nobody: also where nothing would change.
Division reclaim(const std::vector<SharedHost>& hosts);

// When the provider starts to export: all slots are its own, but for one, which must be idle. All 0: none is; ask again later.
std::vector<int> reserve_one(const std::vector<SharedHost>& hosts);

// One line for people: "3 idle slots of the consumer, 1 of the provider: all go to the provider (idle slots count, not demand)".
std::string reclaim_reason(const Idle& idle, Division::To to);

}  // namespace rollcall::sched::lease
