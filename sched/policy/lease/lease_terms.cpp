#include "sched/policy/lease/lease_terms.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "common/conf/lsb/lease_bounds.hpp"
#include "common/conf/words.hpp"

namespace rollcall::sched::lease {
namespace {

bool exports_to(const ExportPolicy& policy, const std::string& consumer) {
  return std::any_of(policy.consumers.begin(), policy.consumers.end(),
                     [&](const Consumer& one) { return one.cluster == consumer; });
}

AttemptsOn attempts_on(const Attempts& attempts, std::uint64_t lease, const std::string& host) {
  const auto found = attempts.find({lease, host});
  return found == attempts.end() ? AttemptsOn{} : found->second;
}

// Slots that the lease has in its hand, also those of attempts beyond a grant that a lost store forgot.
int in_hand(const LeaseOfPolicy& lease, const LentHost& host, const Attempts& attempts) {
  return std::max(host.has.slots, attempts_on(attempts, lease.lease.id.number, host.has.host).slots);
}

int both_sides(const LeaseOfPolicy& of, const std::string& host) {
  const auto found = of.both_sides.find(host);
  return found == of.both_sides.end() ? 0 : found->second;
}

void add_consumer(LentOfHost& to, const std::string& consumer, int slots) {
  if (slots == 0) return;
  to.slots_lent += slots;
  const auto known = conf::split_words(to.consumers, ", ");
  if (std::find(known.begin(), known.end(), consumer) == known.end())
    to.consumers += (to.consumers.empty() ? "" : ", ") + consumer;
}

// Slots that a shared PER_HOST adds to a host. The host is in one such policy: a lease of another one is still to be withdrawn.
struct AddedByShared {
  int both_sides = 0, of_consumers = 0;

  void add(int slots, int consumers) {
    both_sides = std::max(both_sides, slots);
    of_consumers += consumers;
  }
  int of_provider() const { return std::max(0, both_sides - of_consumers); }
};

// Slots of the host that one lease has, or adds.
void add_slots(const LeaseOfPolicy& lease, const LentHost& host, const Attempts& attempts, LentOfHost& to,
               AddedByShared& added) {
  const bool named = lease.names_hosts(), withdrawn = lease.lease.withdrawn;
  if (named && !lease.shared()) return;  // all that it adds is the consumer's
  const int has = in_hand(lease, host, attempts);
  const int consumers = std::max(host.wanted, has);
  if (!named) to.in_hand += has;
  if (!lease.shared()) {
    to.whole = true;
  } else if (!named) {
    to.slots += consumers;
  } else {
    added.add(withdrawn ? 0 : both_sides(lease, host.has.host), consumers);
  }
  if (named && withdrawn) return;
  to.counted = to.counted || lease.shared();
  add_consumer(to, lease.lease.consumer, consumers);
}

bool share_a_host(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(), [&](const std::string& host) {
    return std::find(others.begin(), others.end(), host) != others.end();
  });
}

double held_by(const HeldByAttempts& held, const ProviderLease& lease, const std::string& resource) {
  const auto found = held.find({lease.id.number, resource});
  return found == held.end() ? 0 : found->second;
}

int whole_used(double used) {
  return static_cast<int>(std::ceil(std::clamp(used - kDust, 0.0, double{kMostInstances})));
}

bool all_known(const std::vector<std::string>& hosts, const std::map<std::string, OwnHost>& own) {
  return std::all_of(hosts.begin(), hosts.end(), [&](const std::string& host) {
    const auto found = own.find(host);
    return found != own.end() && found->second.known;
  });
}

}  // namespace

std::string policy_name(const ExportPolicy& policy) {
  if (!policy.names_hosts()) return "RES_SELECT " + policy.select;
  std::string name = "PER_HOST";
  for (const std::string& host : policy.hosts) name += " " + host;
  return name;
}

// An older release cut the numbers to those of one lease.
std::string policy_terms(const ExportPolicy& policy) {
  std::string terms = (policy.shared ? "shared " : "exclusive ") + policy_name(policy) + "; NHOSTS " +
                      std::to_string(std::min(policy.most_hosts, conf::kMostLeasedHosts)) + "; SLOTS " +
                      std::to_string(std::min(policy.slots, conf::kMostLeasedSlots)) + "; MEM " +
                      (policy.memory_mb ? std::to_string(*policy.memory_mb) : "-") + "; SWP " +
                      (policy.swap_mb ? std::to_string(*policy.swap_mb) : "-") + "; DISTRIBUTION";
  for (const Consumer& one : policy.consumers) terms += " " + one.cluster + " " + std::to_string(one.shares);
  return terms;
}

std::vector<std::optional<std::size_t>> policies_of(const std::vector<const LeaseOfPolicy*>& leases,
                                                    const std::vector<ExportPolicy>& policies) {
  std::vector<std::optional<std::size_t>> of(leases.size());
  std::set<std::pair<std::size_t, std::string>> taken;  // policy, consumer
  const auto take = [&](bool same) {
    for (std::size_t i = 0; i < leases.size(); ++i) {
      const LeaseOfPolicy& lease = *leases[i];
      if (of[i] || lease.lease.withdrawn) continue;
      for (std::size_t policy = 0; policy < policies.size() && !of[i]; ++policy) {
        const ExportPolicy& one = policies[policy];
        const bool fits = same ? policy_name(one) == lease.policy : one.names_hosts() == lease.names_hosts();
        if (fits && exports_to(one, lease.lease.consumer) &&
            taken.emplace(policy, lease.lease.consumer).second)
          of[i] = policy;
      }
    }
  };
  take(true);
  take(false);
  return of;
}

std::vector<HeldMemory> held_memory(const std::vector<const LeaseOfPolicy*>& all,
                                    const std::vector<std::optional<std::size_t>>& of) {
  std::vector<HeldMemory> held;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const LentHost& host : all[i]->lease.hosts)
      if (of[i] && (host.has.memory_mb || host.has.swap_mb))
        held.push_back({*of[i], all[i]->lease.consumer, host.has.host, host.has.memory_mb, host.has.swap_mb});
  return held;
}

std::map<std::string, std::int64_t> added_slots(const std::vector<ExportPolicy>& policies) {
  std::map<std::string, std::int64_t> added;
  for (const ExportPolicy& policy : policies)
    if (!policy.consumers.empty())
      for (const std::string& host : policy.hosts) added[host] += policy.slots;
  return added;
}

HostsNow hosts_now(const LeaseOfPolicy& of, const std::vector<const LeaseOfPolicy*>& all,
                   const std::map<std::string, OwnHost>& own,
                   const std::map<std::string, std::int64_t>& added, const Attempts& attempts) {
  HostsNow now;
  // PER_HOST adds slots to a host: those that its policies export, together; where it is shared, the provider uses some of them.
  // Whole hosts lend the host's own slots.
  const bool named = of.names_hosts();
  const bool only_added = named && !of.shared();
  struct Left {
    std::int64_t of_wanted = 0;  // and of what the host has
    std::int64_t of_added = 0;   // less what the provider uses of it
    std::int64_t forgotten = 0;  // slots of attempts whose lease is unknown, or does not have the host
  };
  std::map<std::string_view, Left> left;
  for (const LentHost& host : of.lease.hosts) {
    now[host.has.host].used = attempts_on(attempts, of.lease.id.number, host.has.host).slots;
    const auto known = own.find(host.has.host);
    if (known == own.end() || !known->second.heard) continue;
    // Jobs that were preempted on a whole host go on first. How a shared host is divided counts them by itself (shared_hosts).
    const OwnHost& here = known->second;
    const int own_free = only_added ? 0 : here.slots - here.used - (of.shared() ? 0 : here.preempted);
    const auto adds = added.find(host.has.host);
    left[host.has.host] = {own_free, (adds == added.end() ? 0 : adds->second) + std::min(0, own_free)};
  }
  for (const auto& [on, used] : attempts)
    if (const auto here = left.find(on.second); here != left.end()) here->second.forgotten += used.slots;
  for (const LeaseOfPolicy* other : all)
    for (const LentHost& same : other->lease.hosts) {
      const auto here = left.find(same.has.host);
      if (here == left.end()) continue;
      here->second.forgotten -= attempts_on(attempts, other->lease.id.number, same.has.host).slots;
      if (other->names_hosts() != named) continue;
      const int lent = in_hand(*other, same, attempts);
      here->second.of_wanted -= lent;
      here->second.of_added -= lent;
      if (named) here->second.of_wanted += other->shared() ? both_sides(*other, same.has.host) : same.wanted;
    }
  for (const auto& [host, here] : left) {
    const std::int64_t free = named ? std::min(here.of_wanted, here.of_added) : here.of_wanted;
    now.find(std::string(host))->second.free =
        static_cast<int>(std::max<std::int64_t>(0, free - here.forgotten));
  }
  return now;
}

std::optional<std::size_t> instance_of(const LeasedResource& resource,
                                       const std::vector<ResourceInstance>& instances) {
  for (std::size_t i = 0; i < instances.size(); ++i)
    if (instances[i].resource == resource.name && share_a_host(instances[i].hosts, resource.hosts)) return i;
  return std::nullopt;
}

std::vector<HeldInstances> held_instances(const std::vector<const LeaseOfPolicy*>& all,
                                          const std::vector<std::optional<std::size_t>>& of,
                                          const std::vector<ResourceInstance>& instances) {
  std::vector<HeldInstances> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const LentResource& resource : all[i]->lease.resources) {
      const auto instance = instance_of(resource.has, instances);
      if (!of[i] || !instance) continue;
      result.push_back({*of[i], all[i]->lease.consumer, *instance, resource.has.instances});
    }
  return result;
}

ResourcesNow resources_now(const LeaseOfPolicy& of, const std::vector<const LeaseOfPolicy*>& all,
                           const std::vector<ResourceInstance>& instances,
                           const std::map<std::string, OwnHost>& own, const HeldByAttempts& held) {
  ResourcesNow now;
  for (const LentResource& resource : of.lease.resources) {
    ResourceNow& here = now[resource.has.name];
    here.used = whole_used(held_by(held, of.lease, resource.has.name));
    const auto number = instance_of(resource.has, instances);
    if (!number) continue;
    const ResourceInstance& instance = instances[*number];
    double there = instance.there - instance.own;
    bool known = true;
    for (const LeaseOfPolicy* other : all)
      for (const LentResource& same : other->lease.resources) {
        if (instance_of(same.has, instances) != number) continue;
        const double used = held_by(held, other->lease, same.has.name);
        there -= std::max<double>(same.has.instances, used);
        known = known && all_known(same.has.hosts, own);
      }
    if (known && there > 0) here.free = static_cast<int>(std::min(there + kDust, double{kMostInstances}));
  }
  return now;
}

std::vector<double> lent_instances(const std::vector<const LeaseOfPolicy*>& all,
                                   const std::vector<ResourceInstance>& instances,
                                   const HeldByAttempts& held) {
  std::vector<double> lent(instances.size());
  for (const LeaseOfPolicy* one : all)
    for (const LentResource& resource : one->lease.resources) {
      const auto number = instance_of(resource.has, instances);
      if (!number) continue;
      const double used = held_by(held, one->lease, resource.has.name);
      lent[*number] += std::max<double>(std::max(resource.has.instances, resource.wanted), used);
    }
  return lent;
}

std::optional<std::string> why_no_instances(const LeaseOfPolicy& of, const std::string& resource,
                                            double amount, const std::vector<std::string>& hosts,
                                            const std::function<bool(const std::string&)>& known,
                                            const HeldByAttempts& held) {
  for (const LentResource& lent : of.lease.resources) {
    if (lent.has.name != resource || has_left(of.lease, lent) || !share_a_host(lent.has.hosts, hosts))
      continue;
    if (!std::all_of(lent.has.hosts.begin(), lent.has.hosts.end(), known))
      return "what holds resource " + resource + " is not known yet";
    if (held_by(held, of.lease, resource) + amount > lent.has.instances + kDust)
      return "resource " + resource + " is in use";
    return std::nullopt;
  }
  return "the lease has no resource " + resource;
}

std::vector<SharedHost> shared_hosts(const LeaseOfPolicy& of, const std::map<std::string, OwnHost>& own,
                                     const Attempts& attempts) {
  std::vector<SharedHost> hosts;
  for (const LentHost& host : of.lease.hosts) {
    SharedHost one;
    one.slots = std::max(both_sides(of, host.has.host), host.has.slots);
    one.consumer_has = host.has.slots;
    // What the consumer told last may be old; starts on their way count when it acknowledges the division.
    one.consumer_uses = attempts_on(attempts, of.lease.id.number, host.has.host).slots;
    if (const auto known = own.find(host.has.host); known != own.end())
      one.provider_uses = std::max(
          0, known->second.used + known->second.preempted - (of.names_hosts() ? known->second.slots : 0));
    one.consumer_limit = host.limit;
    hosts.push_back(one);
  }
  return hosts;
}

std::vector<LeasedHost> divided_hosts(const LeaseOfPolicy& of, const std::vector<LeasedHost>& offered,
                                      const std::map<std::string, OwnHost>& own, const Attempts& attempts) {
  LeaseOfPolicy next = of;
  next.both_sides.clear();
  next.lease.hosts.clear();
  bool any = false;
  for (const LeasedHost& host : offered) {
    next.both_sides[host.host] = host.slots;
    const auto before = std::find_if(of.lease.hosts.begin(), of.lease.hosts.end(),
                                     [&](const LentHost& one) { return one.has.host == host.host; });
    LentHost to;
    to.has = host;
    to.has.slots = 0;
    if (before != of.lease.hosts.end()) {
      to.has.slots = before->has.slots;
      to.wanted = std::min(before->wanted, host.slots);
    }
    any = any || to.wanted > 0;
    next.lease.hosts.push_back(to);
  }
  const std::vector<int> reserved = reserve_one(shared_hosts(next, own, attempts));
  std::vector<LeasedHost> hosts = offered;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    hosts[i].slots = any ? next.lease.hosts[i].wanted : reserved[i];
  return hosts;
}

std::map<std::string, LentOfHost> lent_hosts(const std::vector<const LeaseOfPolicy*>& all,
                                             const Attempts& attempts) {
  std::map<std::string, LentOfHost> lent;
  std::map<std::string, AddedByShared> added;
  for (const LeaseOfPolicy* one : all)
    for (const LentHost& host : one->lease.hosts) {
      if (host.wanted == 0 && host.has.slots == 0 && !one->shared()) continue;
      LentOfHost& to = lent[host.has.host];
      add_slots(*one, host, attempts, to, added[host.has.host]);
      const AttemptsOn used = attempts_on(attempts, one->lease.id.number, host.has.host);
      if (host.has.memory_mb) to.mem_mb += std::max(0.0, *host.has.memory_mb - used.mem_mb);
      if (host.has.swap_mb) to.swp_mb += std::max(0.0, *host.has.swap_mb - used.swp_mb);
    }
  for (const auto& [host, slots] : added) lent[host].slots -= slots.of_provider();
  return lent;
}

int awaited_slots(const LeaseOfPolicy& of, const std::map<std::string, OwnHost>& own) {
  if (of.names_hosts() || of.shared()) return 0;
  int awaited = 0;
  for (const LentHost& host : of.lease.hosts)
    if (const auto known = own.find(host.has.host); known != own.end())
      awaited += std::clamp(known->second.used + known->second.preempted, 0,
                            std::max(0, host.wanted - host.has.slots));
  return awaited;
}

bool waits(const ProviderLease& lease) {
  switch (lease.phase) {
    case Phase::offered:
      return false;
    case Phase::active:
      return lease.withdrawn ||
             std::any_of(lease.hosts.begin(), lease.hosts.end(),
                         [](const LentHost& host) { return host.wanted != host.has.slots; }) ||
             std::any_of(lease.resources.begin(), lease.resources.end(),
                         [](const LentResource& one) { return one.wanted != one.has.instances; });
    default:
      return true;
  }
}

}  // namespace rollcall::sched::lease
