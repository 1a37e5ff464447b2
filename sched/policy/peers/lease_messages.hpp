// lease_messages: leases as messages between masters, and what is believed of them. Pure functions. docs/decisions/0097.
//
// What is told is checked as a stranger's: names, counts and sizes are bounded, a host stands once, a state is one that is known. Whether a
// number is new is the steppers' business (lease_life.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/lsb/lease_bounds.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/peer.pb.h"
#include "sched/policy/lease/lease_life.hpp"
#include "sched/policy/lease/lease_terms.hpp"
#include "sched/policy/values/host_on_lease.hpp"

namespace rollcall::sched::peers {

using conf::kMostLeasedHosts, conf::kMostLeasedSlots;
inline constexpr int kMostLeasedResources = 1'000;
inline constexpr int kMostHostsOfResources = 10 * kMostLeasedHosts;  // of all resources of one lease

// ---------------------------------------------------------------- of the provider

wire::PeerMessage stands_of(const lease::ProviderLease& lease, const lease::LeaseRemarks& remarks = {});
// The lease is over, or not known.
wire::PeerMessage lease_over(std::uint64_t lease);

// Of a message that is a lease's number and event::Told. Errors: what cannot be true, one line.
struct ToldLease {
  std::uint64_t lease = 0;
  lease::event::Told told;
};
Result<ToldLease> believed(const wire::LeaseStands& told);

// One host's facts and load, as the consumer believes them. Errors: a name that is none, or too much.
struct ToldHost {
  std::string host;  // its name at the provider
  HostOnLease told;  // without its id and its share
  // Numeric: where its RES is reached; none: it takes no part of a job.
  std::vector<std::string> addresses = {};
  std::uint16_t port = 0;
  // As BorrowedLoad has them.
  std::map<std::string, std::uint32_t> age_ms = {};
  std::vector<std::string> beyond = {};
  wire::Reply::Status status = {};
};
Result<std::vector<ToldHost>> believed(const wire::LeaseLoads& told);
// As many messages as it takes; a message ends with the host that brings it to `most_bytes`, or with host kMostLeasedHosts. None for no host.
std::vector<wire::PeerMessage> loads_of(std::vector<wire::LeaseLoads::OfHost> hosts,
                                        std::size_t most_bytes = wire::kFrameLimit / 2);

// By name, into an offer with `lent` or `part`.
void set_reserved(const std::map<std::string, double>& reserved, wire::ForwardOffer& offer);
// What a job on lent slots reserves of exported resources; what cannot be true is left out.
std::vector<wire::LentResource> believed_of_reserved(
    const google::protobuf::RepeatedPtrField<wire::LentResource>& told);

// The provider's row in its store, and the lease of it; nullopt: it is malformed.
wire::LeaseRow row_of(const lease::LeaseOfPolicy& lease);
std::optional<lease::LeaseOfPolicy> lease_of(const wire::LeaseRow& row, const std::string& provider);

// ---------------------------------------------------------------- of the consumer

// uses: slots of each host with jobs. limits: slots of a host that our own lsb.hosts lets jobs use.
wire::PeerMessage answer_of(const lease::ConsumerLease& lease, const lease::GrantNumber& acknowledged,
                            const std::map<std::string, int>& uses,
                            const std::map<std::string, int>& limits = {});

struct AnsweredLease {
  std::uint64_t lease = 0;
  bool wants = false;
  lease::event::Acknowledged acknowledged;  // its number is {}: nothing is acknowledged
};
Result<AnsweredLease> believed(const wire::LeaseAnswer& told);

}  // namespace rollcall::sched::peers
