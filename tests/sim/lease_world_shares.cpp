// LeaseWorld: how the slots and licences of two consumers are to be divided when the faults have stopped. What is expected comes from the
// shares alone: each consumer has its quota, rounded down or up, and all together have all that is exported.
#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {
namespace {

using Shares = std::vector<std::pair<std::string, double>>;  // by cluster

std::string outside_quota(int whole, const Shares& shares,
                          const std::function<int(const std::string&)>& has) {
  if (shares.empty()) return "";
  double sum = 0;
  for (const auto& [consumer, share] : shares) sum += share;
  int all = 0;
  for (const auto& [consumer, share] : shares) {
    const double quota = whole * share / sum;
    const int part = has(consumer);
    if (part <= quota - 1 || part >= quota + 1)
      return consumer + " has " + std::to_string(part) + " of " + std::to_string(whole) + ", its quota is " +
             std::to_string(quota);
    all += part;
  }
  if (all != whole) return "all have " + std::to_string(all) + " of " + std::to_string(whole);
  return "";
}

}  // namespace

std::string LeaseWorld::wrong_shares() const {
  if (!agree()) return "the sides do not agree";
  std::set<std::string> consumers;
  for (const ExportPolicy& policy : policies_)
    for (const Consumer& each : policy.consumers) consumers.insert(each.cluster);
  for (const auto& [number, of] : real_.disk.leases) {
    if (!consumers.contains(of.lease.consumer)) return lease::text(of.lease.id) + " is of no policy";
    if (const std::string wrong = wrong_lease(of.lease); !wrong.empty())
      return lease::text(of.lease.id) + ": " + wrong;
  }
  if (const std::string wrong = job_left_over(); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < policies_.size(); ++i)
    if (const std::string wrong = wrong_policy(policies_[i]); !wrong.empty()) return wrong;
  return wrong_licences();
}

// What the policies export to the consumer: slots of PER_HOST; where hosts go to one consumer each, hosts. A consumer is in one policy.
int LeaseWorld::exported_to(const std::string& consumer) const {
  int all = 0;
  for (const auto& [number, of] : real_.disk.leases)
    for (const LentHost& host : of.lease.hosts)
      if (of.lease.consumer == consumer) all += lends_ == Lends::slots_per_host ? host.has.slots : 1;
  return all;
}

std::string LeaseWorld::wrong_policy(const ExportPolicy& policy) const {
  const int hosts = policy.names_hosts() ? static_cast<int>(policy.hosts.size()) : policy.most_hosts;
  const int whole = hosts * (lends_ == Lends::slots_per_host ? policy.slots : 1);
  Shares shares;
  for (const Consumer& each : policy.consumers)
    shares.emplace_back(each.cluster, static_cast<double>(each.shares));
  return outside_quota(whole, shares, [&](const std::string& consumer) { return exported_to(consumer); });
}

std::string LeaseWorld::wrong_licences() const {
  if (licences_ == Licences::none || licence_policies_.empty()) return "";
  Shares shares;
  for (const conf::Share& each : licence_policies_.front().distribution)
    if (exported_to(each.name) > 0) shares.emplace_back(each.name, each.amount);
  return outside_quota(kLicences, shares, [&](const std::string& consumer) {
    int all = 0;
    for (const auto& [number, of] : real_.disk.leases)
      for (const LentResource& resource : of.lease.resources)
        if (of.lease.consumer == consumer) all += resource.has.instances;
    return all;
  });
}

std::map<std::uint64_t, int> LeaseWorld::slots_of_leases() const {
  std::map<std::uint64_t, int> slots;
  for (const auto& [number, of] : real_.disk.leases)
    for (const LentHost& host : of.lease.hosts) slots[number] += host.has.slots;
  return slots;
}

// No job runs: the side with more idle slots gives all to the other one, but for the one that is the consumer's.
std::string LeaseWorld::wrong_reclaim(const std::map<std::uint64_t, int>& before) const {
  const auto now = slots_of_leases();
  for (const auto& [number, had] : before) {
    int both = 0;
    for (const auto& [host, slots] : real_.disk.leases.at(number).both_sides) both += slots;
    const int expected = 2 * had > both ? 1 : 2 * had < both ? both : had;
    if (now.at(number) != expected)
      return "lease " + std::to_string(number) + " has " + std::to_string(now.at(number)) + " of " +
             std::to_string(both) + " slots, had " + std::to_string(had);
  }
  return "";
}

}  // namespace rollcall::sched::lease
