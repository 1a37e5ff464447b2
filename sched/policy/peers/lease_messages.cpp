#include "sched/policy/peers/lease_messages.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/wire/host_facts.hpp"
#include "sched/policy/peers/span_messages.hpp"

namespace rollcall::sched::peers {
namespace {

using lease::GrantNumber;
using lease::Phase;

constexpr int kMostMegabytes = 1'000'000'000;
constexpr std::size_t kLongestResource = 64;
constexpr int kMostAwaited = 1'000'000'000;  // slots of all hosts of a lease
constexpr int kMostIndices = 10'000;         // of one host
constexpr std::size_t kMostFacts = 64 * 1024;
constexpr std::uint32_t kAgeUnknown = 4294967295U;

wire::LeaseNumber number_of(const GrantNumber& number) {
  wire::LeaseNumber to;
  to.set_term(number.term);
  to.set_counter(number.counter);
  return to;
}
GrantNumber number_of(const wire::LeaseNumber& number) { return {number.term(), number.counter()}; }

wire::LeaseStands::State state_of(Phase phase) {
  switch (phase) {
    case Phase::offered:
      return wire::LeaseStands::OFFERED;
    case Phase::requested:
      return wire::LeaseStands::REQUESTED;
    case Phase::active:
      return wire::LeaseStands::ACTIVE;
    case Phase::recalling:
      return wire::LeaseStands::RECALLING;
    case Phase::inactive:
      return wire::LeaseStands::INACTIVE;
    case Phase::returned:
      break;
  }
  return wire::LeaseStands::RETURNED;
}
std::optional<Phase> phase_of(wire::LeaseStands::State state) {
  switch (state) {
    case wire::LeaseStands::OFFERED:
      return Phase::offered;
    case wire::LeaseStands::REQUESTED:
      return Phase::requested;
    case wire::LeaseStands::ACTIVE:
      return Phase::active;
    case wire::LeaseStands::RECALLING:
      return Phase::recalling;
    case wire::LeaseStands::INACTIVE:
      return Phase::inactive;
    case wire::LeaseStands::RETURNED:
      return Phase::returned;
    default:
      return std::nullopt;
  }
}

// A type that this release does not know is not told.
std::optional<bool> type_of(wire::LeaseStands::Type type) {
  if (type == wire::LeaseStands::SHARED) return true;
  if (type == wire::LeaseStands::EXCLUSIVE) return false;
  return std::nullopt;
}

Error wrong(const std::string& what, std::string_view found, const std::string& expected) {
  return internal_error(what + ": found " + printable(found) + ", expected " + expected);
}
Error wrong_number(const std::string& what, std::int64_t found, std::int64_t most) {
  return wrong(what, std::to_string(found), "a number from 0 to " + std::to_string(most));
}
bool within(std::int64_t value, std::int64_t most) { return value >= 0 && value <= most; }

bool resource_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestResource &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

Result<lease::LeasedHost> believed_host(const wire::LeaseHost& told) {
  if (!host_name(told.host())) return wrong("host of a lease", told.host(), "a host name");
  if (!within(told.slots(), kMostLeasedSlots))
    return wrong_number("slots of a lease", told.slots(), kMostLeasedSlots);
  lease::LeasedHost host{told.host(), told.slots(), {}, {}, told.whole(), told.stays()};
  if (told.has_memory_mb()) {
    if (!within(told.memory_mb(), kMostMegabytes))
      return wrong_number("memory of a lease", told.memory_mb(), kMostMegabytes);
    host.memory_mb = told.memory_mb();
  }
  if (told.has_swap_mb()) {
    if (!within(told.swap_mb(), kMostMegabytes))
      return wrong_number("swap of a lease", told.swap_mb(), kMostMegabytes);
    host.swap_mb = told.swap_mb();
  }
  return host;
}

Result<std::map<std::string, int>> believed_slots(
    const google::protobuf::RepeatedPtrField<wire::LeaseHost>& told) {
  if (told.size() > kMostLeasedHosts) return wrong_number("hosts of a lease", told.size(), kMostLeasedHosts);
  std::map<std::string, int> slots_of;
  for (const wire::LeaseHost& each : told) {
    auto host = believed_host(each);
    if (!host) return host.error();
    if (!slots_of.emplace(host->host, host->slots).second)
      return wrong("host of a lease", host->host, "each host once");
  }
  return slots_of;
}

// An older release tells no status, and its words for it are fewer.
wire::Reply::Status status_of(const wire::LeaseLoads::OfHost& told) {
  wire::Reply::Status status;
  if (told.has_status()) {
    status.set_locked_by_administrator(told.status().locked_by_administrator());
    status.set_locked_by_window(told.status().locked_by_window());
    status.set_locked_by_master(told.status().locked_by_master());
    status.set_busy(told.status().busy());
    status.set_res_down(told.status().res_down());
  } else {
    status.set_locked_by_administrator(told.locked());
  }
  status.set_unavailable(told.unavailable());
  return status;
}

wire::LeaseHost host_of(const lease::LeasedHost& host) {
  wire::LeaseHost to;
  to.set_host(host.host);
  to.set_slots(host.slots);
  if (host.memory_mb) to.set_memory_mb(*host.memory_mb);
  if (host.swap_mb) to.set_swap_mb(*host.swap_mb);
  to.set_whole(host.whole);
  to.set_stays(host.stays);
  return to;
}

wire::LeaseResource resource_of(const lease::LeasedResource& resource) {
  wire::LeaseResource to;
  to.set_name(resource.name);
  to.set_instances(resource.instances);
  to.mutable_hosts()->Add(resource.hosts.begin(), resource.hosts.end());
  return to;
}

// `of_lease`: what is believed of its hosts already.
Result<lease::LeasedResource> believed_resource(const wire::LeaseResource& told,
                                                const std::set<std::string>& of_lease) {
  if (!resource_name(told.name())) return wrong("resource of a lease", told.name(), "the name of a resource");
  if (!within(told.instances(), kMostLeasedSlots))
    return wrong_number("instances of a lease", told.instances(), kMostLeasedSlots);
  std::set<std::string> hosts;
  lease::LeasedResource resource{told.name(), told.instances(), {}};
  for (const auto& host : told.hosts()) {
    if (!of_lease.contains(host) || !hosts.insert(host).second)
      return wrong("host of resource " + printable(told.name()), host, "a host of the lease, once");
    resource.hosts.push_back(host);
  }
  if (told.hosts().empty()) resource.hosts.assign(of_lease.begin(), of_lease.end());  // an older release
  return resource;
}

}  // namespace

Result<std::vector<ToldHost>> believed(const wire::LeaseLoads& told) {
  if (told.hosts_size() > kMostLeasedHosts)
    return wrong_number("hosts of leases", told.hosts_size(), kMostLeasedHosts);
  std::vector<ToldHost> hosts;
  for (const auto& each : told.hosts()) {
    if (!host_name(each.facts().name())) return wrong("host of a lease", each.facts().name(), "a host name");
    if (each.facts().ByteSizeLong() > kMostFacts)
      return wrong_number("bytes of a host's facts", static_cast<std::int64_t>(each.facts().ByteSizeLong()),
                          static_cast<std::int64_t>(kMostFacts));
    if (each.names_size() != each.values_size() || each.names_size() > kMostIndices)
      return wrong_number("load indices of a host", each.names_size(), kMostIndices);
    ToldHost host{each.facts().name(), {}};
    host.told.facts = wire::from_wire(each.facts());
    host.told.unreachable = each.unreachable();
    host.told.unavailable = each.unavailable();
    host.told.closed = each.closed() || each.locked();
    for (int i = 0; i < each.names_size(); ++i) {
      if (!resource_name(each.names(i)) || !std::isfinite(each.values(i))) continue;
      host.told.numbers[each.names(i)] = each.values(i);
      if (i < each.age_ms_size() && each.age_ms(i) != kAgeUnknown)
        host.age_ms[each.names(i)] = each.age_ms(i);
    }
    for (const auto place : each.beyond())
      if (place < static_cast<std::uint32_t>(each.names_size()) &&
          host.told.numbers.contains(each.names(static_cast<int>(place))))
        host.beyond.push_back(each.names(static_cast<int>(place)));
    if (host.beyond.size() > static_cast<std::size_t>(each.names_size()))
      return wrong_number("indices beyond their thresholds", each.beyond_size(), each.names_size());
    host.status = status_of(each);
    if (are_addresses(each.addresses(), each.port())) {
      host.addresses.assign(each.addresses().begin(), each.addresses().end());
      host.port = static_cast<std::uint16_t>(each.port());
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::vector<wire::PeerMessage> loads_of(std::vector<wire::LeaseLoads::OfHost> hosts, std::size_t most_bytes) {
  std::vector<wire::PeerMessage> messages;
  std::size_t bytes = most_bytes;
  const auto is_full = [&] {
    return bytes >= most_bytes || messages.back().lease_loads().hosts_size() == kMostLeasedHosts;
  };
  for (auto& host : hosts) {
    if (is_full()) {
      if (!messages.empty()) messages.back().mutable_lease_loads()->set_more(true);
      messages.emplace_back(), bytes = 0;
    }
    bytes += host.ByteSizeLong();
    *messages.back().mutable_lease_loads()->add_hosts() = std::move(host);
  }
  return messages;
}

void set_reserved(const std::map<std::string, double>& reserved, wire::ForwardOffer& offer) {
  for (const auto& [resource, amount] : reserved) {
    auto& to = *offer.add_reserved();
    to.set_name(resource);
    to.set_amount(amount);
  }
}

std::vector<wire::LentResource> believed_of_reserved(
    const google::protobuf::RepeatedPtrField<wire::LentResource>& told) {
  std::vector<wire::LentResource> believed;
  for (const auto& each : told)
    if (resource_name(each.name()) && std::isfinite(each.amount()) && each.amount() > 0 &&
        each.amount() <= kMostLeasedSlots && believed.size() < static_cast<std::size_t>(kMostLeasedResources))
      believed.push_back(each);
  return believed;
}

wire::LeaseRow row_of(const lease::LeaseOfPolicy& of) {
  const lease::ProviderLease& lease = of.lease;
  wire::LeaseRow row;
  row.set_lease(lease.id.number);
  row.set_consumer(lease.consumer);
  *row.mutable_number() = number_of(lease.number);
  row.set_state(state_of(lease.phase));
  row.set_withdrawn(lease.withdrawn);
  for (const lease::LentHost& host : lease.hosts) {
    auto& to = *row.add_hosts();
    *to.mutable_has() = host_of(host.has);
    to.set_wanted(host.wanted);
    to.set_kills(host.kills);
  }
  for (const lease::LentResource& resource : lease.resources) {
    *row.add_resources() = resource_of(resource.has);
    if (has_left(lease, resource)) row.add_left(resource.has.name);
  }
  row.set_policy(of.policy);
  row.set_terms(of.terms);
  return row;
}

std::optional<lease::LeaseOfPolicy> lease_of(const wire::LeaseRow& row, const std::string& provider) {
  const auto phase = phase_of(row.state());
  if (row.lease() == 0 || !phase) return std::nullopt;
  lease::LeaseOfPolicy of;
  of.lease.id = {provider, row.lease()};
  of.lease.consumer = row.consumer();
  of.lease.phase = *phase;
  of.lease.withdrawn = row.withdrawn();
  of.lease.number = number_of(row.number());
  for (const auto& host : row.hosts()) {
    const auto has = believed_host(host.has());
    if (!has) return std::nullopt;
    of.lease.hosts.push_back({*has, host.wanted(), host.kills(), 0});
  }
  for (const auto& resource : row.resources()) {
    const bool left = std::find(row.left().begin(), row.left().end(), resource.name()) != row.left().end();
    of.lease.resources.push_back(
        {{resource.name(), resource.instances(), {resource.hosts().begin(), resource.hosts().end()}},
         left ? 0 : resource.instances(),
         left});
  }
  of.policy = row.policy();
  of.terms = row.terms();
  return of;
}

wire::PeerMessage stands_of(const lease::ProviderLease& lease, const lease::LeaseRemarks& remarks) {
  wire::PeerMessage message;
  auto& stands = *message.mutable_lease_stands();
  stands.set_lease(lease.id.number);
  *stands.mutable_number() = number_of(lease.number);
  stands.set_state(state_of(lease.phase));
  for (const auto& host : lease::told_hosts(lease)) *stands.add_hosts() = host_of(host);
  for (const auto& resource : lease::told_resources(lease)) *stands.add_resources() = resource_of(resource);
  if (remarks.shared)
    stands.set_type(*remarks.shared ? wire::LeaseStands::SHARED : wire::LeaseStands::EXCLUSIVE);
  stands.set_awaited(remarks.awaited);
  return message;
}

wire::PeerMessage lease_over(std::uint64_t lease) {
  wire::PeerMessage message;
  message.mutable_lease_over()->set_lease(lease);
  return message;
}

Result<ToldLease> believed(const wire::LeaseStands& told) {
  if (told.lease() == 0) return wrong("lease", "0", "a number from 1");
  const auto phase = phase_of(told.state());
  if (!phase) return wrong("state of a lease", std::to_string(told.state()), "one that this release knows");
  if (told.hosts_size() > kMostLeasedHosts)
    return wrong_number("hosts of a lease", told.hosts_size(), kMostLeasedHosts);
  if (told.resources_size() > kMostLeasedResources)
    return wrong_number("resources of a lease", told.resources_size(), kMostLeasedResources);
  ToldLease lease{told.lease(), {*phase, number_of(told.number()), {}, {}}};
  if (!within(told.awaited(), kMostAwaited))
    return wrong_number("slots that a lease awaits", told.awaited(), kMostAwaited);
  lease.told.remarks = {type_of(told.type()), told.awaited()};
  std::set<std::string> names;
  for (const wire::LeaseHost& each : told.hosts()) {
    auto host = believed_host(each);
    if (!host) return host.error();
    if (!names.insert(host->host).second) return wrong("host of a lease", host->host, "each host once");
    lease.told.hosts.push_back(std::move(*host));
  }
  const std::set<std::string> of_lease = std::exchange(names, {});
  std::int64_t hosts_of_resources = 0;
  for (const wire::LeaseResource& each : told.resources())
    hosts_of_resources += each.hosts().empty() ? told.hosts_size() : each.hosts_size();
  if (hosts_of_resources > kMostHostsOfResources)
    return wrong_number("hosts of resources of a lease", hosts_of_resources, kMostHostsOfResources);
  for (const wire::LeaseResource& each : told.resources()) {
    auto resource = believed_resource(each, of_lease);
    if (!resource) return resource.error();
    if (!names.insert(resource->name).second)
      return wrong("resource of a lease", resource->name, "each resource once");
    lease.told.resources.push_back(std::move(*resource));
  }
  return lease;
}

wire::PeerMessage answer_of(const lease::ConsumerLease& lease, const GrantNumber& acknowledged,
                            const std::map<std::string, int>& uses,
                            const std::map<std::string, int>& limits) {
  wire::PeerMessage message;
  auto& answer = *message.mutable_lease_answer();
  answer.set_lease(lease.id.number);
  answer.set_wants(lease.wants);
  *answer.mutable_acknowledged() = number_of(acknowledged);
  const auto add = [](const std::map<std::string, int>& slots_of, auto& list) {
    for (const auto& [host, slots] : slots_of) {
      auto& to = *list.Add();
      to.set_host(host);
      to.set_slots(slots);
    }
  };
  add(uses, *answer.mutable_uses());
  add(limits, *answer.mutable_limits());
  return message;
}

Result<AnsweredLease> believed(const wire::LeaseAnswer& told) {
  if (told.lease() == 0) return wrong("lease", "0", "a number from 1");
  auto uses = believed_slots(told.uses());
  if (!uses) return uses.error();
  auto limits = believed_slots(told.limits());
  if (!limits) return limits.error();
  return AnsweredLease{
      told.lease(), told.wants(), {number_of(told.acknowledged()), std::move(*uses), std::move(*limits)}};
}

}  // namespace rollcall::sched::peers
