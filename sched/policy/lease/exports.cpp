#include "sched/policy/lease/exports.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/base/host_list.hpp"
#include "common/conf/lsb/lease_bounds.hpp"
#include "sched/policy/lease/distribution.hpp"

namespace rollcall::sched::lease {
namespace {

constexpr std::int64_t kMostChecked = 1'000'000;  // slots or hosts of a policy: they are dealt one by one
constexpr std::string_view kNeedsSwap = "DLINUX";

using ByName = std::map<std::string, const ExportHost*, std::less<>>;

std::vector<std::int64_t> shares_of(const std::vector<Consumer>& consumers) {
  std::vector<std::int64_t> shares;
  for (const Consumer& consumer : consumers) shares.push_back(consumer.shares);
  return shares;
}

bool exportable(const ExportPolicy& policy, const ExportHost& host) {
  return host.type != kNeedsSwap || policy.swap_mb.has_value();
}

resreq::BindResult select_of(const ExportPolicy& policy, const IndexTable& indices) {
  const auto parsed = resreq::parse(policy.select);
  if (parsed.error) return {std::nullopt, parsed.error};
  return resreq::bind(parsed.value.select, {.indices = &indices});
}

// Memory and swap of hosts that policies may still export: what the hosts have, less what earlier policies take. A host whose amount is
// unknown has as much as is asked for.
class MemoryLeft {
 public:
  explicit MemoryLeft(const IndexTable& indices)
      : memory_{indices.find("maxmem"), {}}, swap_{indices.find("maxswp"), {}} {}

  std::optional<int> memory(const ExportHost& host, std::optional<int> asked) {
    return memory_.take(host, asked);
  }
  std::optional<int> swap(const ExportHost& host, std::optional<int> asked) {
    return swap_.take(host, asked);
  }

 private:
  struct Left {
    std::optional<ResourceId> of;
    std::map<std::string, double> left = {};

    std::optional<int> take(const ExportHost& host, std::optional<int> asked) {
      const double has = of && host.view ? host.view->number(*of) : std::nan("");
      if (!asked || std::isnan(has)) return asked;
      double& here = left.try_emplace(host.name, has).first->second;
      const int taken = static_cast<int>(std::clamp<double>(here, 0, *asked));
      here -= taken;
      return taken;
    }
  };
  Left memory_, swap_;
};

// Every host has memory: where it is unknown, LIM has told nothing of the host since mbatchd was started.
void keep_held(std::vector<Offer>& offers, const std::vector<HeldMemory>& held, const ByName& hosts,
               const IndexTable& indices) {
  const auto memory = indices.find("maxmem");
  const auto least = [](std::optional<int> asked, std::optional<int> had) {
    return asked && had ? std::min(asked, had) : asked;
  };
  for (const HeldMemory& had : held) {
    const auto host = hosts.find(had.host);
    if (host == hosts.end() || !memory || !host->second->view ||
        !std::isnan(host->second->view->number(*memory)))
      continue;
    for (Offer& offer : offers)
      if (offer.policy == had.policy && offer.consumer == had.consumer)
        for (LeasedHost& to : offer.hosts)
          if (to.host == had.host) {
            to.memory_mb = least(to.memory_mb, had.memory_mb);
            to.swap_mb = least(to.swap_mb, had.swap_mb);
          }
  }
}

// A consumer's part of an amount in MB. What does not divide stays with the provider.
std::optional<int> part_of(std::optional<int> amount, const ExportPolicy& policy, std::size_t consumer) {
  if (!amount) return std::nullopt;
  std::int64_t sum = 0;
  for (const Consumer& each : policy.consumers) sum += each.shares;
  return static_cast<int>(std::int64_t{*amount} * policy.consumers[consumer].shares / sum);
}

// "2 slots", "1 host".
std::string amount_words(const ExportPolicy& policy, std::int64_t count) {
  return std::to_string(count) + (policy.names_hosts() ? " slot" : " host") + (count == 1 ? "" : "s");
}

constexpr std::size_t kMostHosts = conf::kMostLeasedHosts;

int slots_of(std::int64_t slots) {
  return static_cast<int>(std::min<std::int64_t>(slots, conf::kMostLeasedSlots));
}

// No lease has more than its consumer accepts.
std::vector<std::int64_t> parts_of(std::int64_t hosts, const std::vector<Consumer>& consumers) {
  auto parts = divide(hosts, shares_of(consumers));
  for (std::int64_t& part : parts) part = std::min<std::int64_t>(part, conf::kMostLeasedHosts);
  return parts;
}

void offer_named(const ExportPolicy& policy, const ByName& by_name, MemoryLeft& left,
                 Offer* offers_of_policy) {
  std::vector<const ExportHost*> named;
  for (const std::string& name : policy.hosts)
    if (const auto found = by_name.find(name); found != by_name.end() && exportable(policy, *found->second))
      named.push_back(found->second);
  const auto parts =
      divide_hosts(std::vector<std::int64_t>(named.size(), policy.slots), shares_of(policy.consumers));
  for (std::size_t host = 0; host < named.size(); ++host) {
    if (std::none_of(parts[host].begin(), parts[host].end(), [](std::int64_t slots) { return slots > 0; }))
      continue;
    const auto memory = left.memory(*named[host], policy.memory_mb);
    const auto swap = left.swap(*named[host], policy.swap_mb);
    for (std::size_t i = 0; i < policy.consumers.size(); ++i)
      if (parts[host][i] > 0 && offers_of_policy[i].hosts.size() < kMostHosts)
        offers_of_policy[i].hosts.push_back({named[host]->name, slots_of(parts[host][i]),
                                             part_of(memory, policy, i), part_of(swap, policy, i), false});
  }
}

// The hosts that a consumer keeps before others: with jobs before idle ones, of these the longest running first.
bool keeps_before(const ChosenHost& a, const ChosenHost& b) {
  const bool busy_a = !a.last_start.never(), busy_b = !b.last_start.never();
  if (busy_a != busy_b) return busy_a;
  return busy_a && a.last_start < b.last_start;
}

// Chooses the hosts of one RES_SELECT policy.
class Chooser {
 public:
  Chooser(const ExportPolicy& policy, const std::vector<ExportHost>& hosts, const ChosenBefore& before,
          std::set<std::string>& taken, const IndexTable& indices)
      : policy_(policy), before_(before), taken_(taken) {
    const auto bound = select_of(policy, indices);
    for (const ExportHost& host : hosts)
      if (bound.select && host.up && host.view && host.slots > 0 && exportable(policy, host) &&
          !taken.contains(host.name) && bound.select->matches(*host.view)) {
        fitting_.insert(host.name);
        if (!host.closed) open_.push_back(host.name);
      }
  }

  // The consumer of each chosen host, by its place in DISTRIBUTION. Of a policy that has not changed all stay, also where one that has
  // lost a host has fewer than its part by that: it gets the next that comes.
  std::map<std::string, std::size_t> choose() {
    auto kept = keepable();
    const std::set<std::string> had = names(kept);
    std::int64_t count = static_cast<std::int64_t>(had.size());
    for (const std::string& name : open_) count += had.contains(name) ? 0 : 1;
    count = std::min<std::int64_t>(count, policy_.most_hosts);
    const auto parts = parts_of(count, policy_.consumers);
    std::map<std::string, std::size_t> chosen;
    std::vector<std::int64_t> has(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::stable_sort(kept[i].begin(), kept[i].end(), keeps_before);
      for (const ChosenHost& host : kept[i])
        if (has[i] < parts[i] || before_.same_policy) chosen[host.host] = i, ++has[i];
    }
    fill(had, count, parts, std::move(has), chosen);
    for (const auto& [name, consumer] : chosen) taken_.insert(name);
    return chosen;
  }

 private:
  // The hosts of each consumer that it may keep.
  std::vector<std::vector<ChosenHost>> keepable() const {
    std::vector<std::vector<ChosenHost>> kept(policy_.consumers.size());
    for (const ChosenHost& host : before_.hosts) {
      if (taken_.contains(host.host) || (!before_.same_policy && !fitting_.contains(host.host))) continue;
      for (std::size_t i = 0; i < kept.size(); ++i)
        if (policy_.consumers[i].cluster == host.consumer) kept[i].push_back(host);
    }
    return kept;
  }
  static std::set<std::string> names(const std::vector<std::vector<ChosenHost>>& hosts) {
    std::set<std::string> all;
    for (const auto& of : hosts)
      for (const ChosenHost& host : of) all.insert(host.host);
    return all;
  }
  // Deals in the same sequence as the parts were dealt, without what each consumer has already, until `count` hosts are chosen. Hosts that
  // no consumer had come first, so that a host whose jobs are killed is wanted last.
  void fill(const std::set<std::string>& had, std::int64_t count, std::vector<std::int64_t> parts,
            std::vector<std::int64_t> has, std::map<std::string, std::size_t>& chosen) const {
    std::vector<std::size_t> turns;
    for (const std::size_t consumer : deal(count, shares_of(policy_.consumers))) {
      if (parts[consumer]-- <= 0) continue;
      if (has[consumer]-- <= 0) turns.push_back(consumer);
    }
    auto turn = turns.begin();
    for (const bool second : {false, true})
      for (const std::string& name : open_)
        if (turn != turns.end() && std::ssize(chosen) < count && !chosen.contains(name) &&
            had.contains(name) == second)
          chosen[name] = *turn++;
  }

  const ExportPolicy& policy_;
  const ChosenBefore& before_;
  std::set<std::string>& taken_;
  std::set<std::string> fitting_;  // may be kept
  std::vector<std::string> open_;  // may be chosen, in the order of the hosts
};

void offer_chosen(const ExportPolicy& policy, const std::map<std::string, std::size_t>& chosen,
                  const std::vector<ExportHost>& hosts, MemoryLeft& left, Offer* offers_of_policy) {
  for (const ExportHost& host : hosts)
    if (const auto found = chosen.find(host.name); found != chosen.end() && host.slots > 0)
      offers_of_policy[found->second].hosts.push_back({host.name, slots_of(host.slots),
                                                       left.memory(host, policy.memory_mb),
                                                       left.swap(host, policy.swap_mb), !policy.shared});
}

}  // namespace

std::vector<Consumer> consumers_of(const std::vector<conf::Share>& distribution, std::string_view own) {
  std::vector<Consumer> consumers;
  for (const conf::Share& share : distribution) {
    if (share.name == own) continue;
    const auto shares = std::clamp<std::int64_t>(static_cast<std::int64_t>(share.amount), 1, kMostShares);
    const auto same = std::find_if(consumers.begin(), consumers.end(),
                                   [&](const Consumer& known) { return known.cluster == share.name; });
    if (same != consumers.end())
      same->shares = std::min(same->shares + shares, kMostShares);
    else if (consumers.size() < kMostConsumers)
      consumers.push_back({share.name, shares});
  }
  return consumers;
}

std::vector<ExportPolicy> export_policies(const std::vector<conf::HostExport>& exports, std::string_view own,
                                          const OfficialHost& official) {
  std::vector<ExportPolicy> policies;
  for (const conf::HostExport& row : exports) {
    ExportPolicy policy;
    for (const std::string& name : row.hosts)
      if (auto known = official(name);
          known && std::find(policy.hosts.begin(), policy.hosts.end(), *known) == policy.hosts.end())
        policy.hosts.push_back(*known);
    if (policy.hosts.empty() && !row.hosts.empty()) continue;
    policy.select = row.select;
    policy.most_hosts = row.host_count.value_or(0);
    policy.slots = row.slots.value_or(0);
    policy.memory_mb = row.memory_mb;
    policy.swap_mb = row.swap_mb;
    policy.shared = row.shared;
    policy.consumers = consumers_of(row.distribution, own);
    policy.place = row.place;
    policy.places = row.places;
    policies.push_back(std::move(policy));
  }
  return policies;
}

std::vector<ExportPolicy> without_refused(std::vector<ExportPolicy> policies) {
  std::set<std::string> named, shared;
  std::vector<ExportPolicy> left;
  for (ExportPolicy& policy : policies) {
    const auto& others = policy.shared ? named : shared;
    const bool by_name = policy.names_hosts();
    std::erase_if(policy.hosts, [&](const std::string& host) { return others.contains(host); });
    if (by_name && policy.hosts.empty()) continue;
    named.insert(policy.hosts.begin(), policy.hosts.end());
    if (policy.shared) shared.insert(policy.hosts.begin(), policy.hosts.end());
    left.push_back(std::move(policy));
  }
  return left;
}

std::vector<Offer> offers(const std::vector<ExportPolicy>& policies, const std::vector<ExportHost>& hosts,
                          const std::vector<ChosenBefore>& before, const IndexTable& indices,
                          const std::vector<HeldMemory>& held) {
  ByName by_name;
  for (const ExportHost& host : hosts) by_name[host.name] = &host;
  // A host of PER_HOST is never chosen as a whole, nor is a host that another policy has: those keep theirs before new ones are chosen.
  std::set<std::string> taken;
  for (const ExportPolicy& policy : policies) taken.insert(policy.hosts.begin(), policy.hosts.end());
  MemoryLeft left(indices);
  const ChosenBefore nothing;
  const auto before_of = [&](std::size_t i) -> const ChosenBefore& {
    return i < before.size() ? before[i] : nothing;
  };
  std::vector<Offer> all;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const ExportPolicy& policy = policies[i];
    if (policy.consumers.empty()) continue;
    const std::size_t first = all.size();
    for (const Consumer& consumer : policy.consumers) all.push_back({i, consumer.cluster, {}});
    if (policy.names_hosts()) {
      offer_named(policy, by_name, left, &all[first]);
      continue;
    }
    std::set<std::string> of_others = taken;
    for (std::size_t other = 0; other < policies.size(); ++other)
      if (other != i && before_of(other).same_policy)
        for (const ChosenHost& host : before_of(other).hosts) of_others.insert(host.host);
    const auto chosen = Chooser(policy, hosts, before_of(i), of_others, indices).choose();
    for (const auto& [name, consumer] : chosen) taken.insert(name);
    offer_chosen(policy, chosen, hosts, left, &all[first]);
  }
  keep_held(all, held, by_name, indices);
  return all;
}

std::vector<LeftOut> left_out(const std::vector<ExportPolicy>& policies, const std::vector<Offer>& offers) {
  std::map<std::size_t, std::int64_t> exported;  // slots or hosts of each policy
  for (const Offer& offer : offers)
    for (const LeasedHost& host : offer.hosts)
      exported[offer.policy] += policies[offer.policy].names_hosts() ? host.slots : 1;
  std::vector<LeftOut> all;
  for (const Offer& offer : offers) {
    if (!offer.hosts.empty()) continue;
    const ExportPolicy& policy = policies[offer.policy];
    const std::string where = "the policy at " + policy.place.text();
    if (exported.contains(offer.policy))
      all.push_back({offer.policy, offer.consumer,
                     "its share of the " + amount_words(policy, exported[offer.policy]) + " of " + where +
                         " is less than one"});
    else if (!policy.names_hosts())
      all.push_back({offer.policy, offer.consumer,
                     "no host that matches RES_SELECT of " + where +
                         " is up, open, with slots and free of other policies"});
  }
  return all;
}

namespace {

std::string at_most(int most) { return "at most " + std::to_string(most); }

// RES_SELECT may find fewer hosts than NHOSTS: what is said holds for all of them.
void check_parts(const ExportPolicy& policy, conf::Problems& problems) {
  const conf::Place place = conf::place_of(policy.places, "DISTRIBUTION", policy.place);
  const auto found = [](const std::string& what, const std::string& more) {
    return "DISTRIBUTION: found " + what + ", expected " + more;
  };
  if (policy.hosts.size() > kMostHosts)
    problems.warning(place, found(std::to_string(policy.hosts.size()) + " hosts of one policy",
                                  at_most(conf::kMostLeasedHosts) + " for each cluster"));
  std::int64_t shares = 0;
  for (const Consumer& consumer : policy.consumers) shares += consumer.shares;
  for (const Consumer& consumer : policy.consumers) {
    const std::int64_t part =
        (policy.names_hosts() ? policy.slots : policy.most_hosts) * consumer.shares / shares;
    const int most = policy.names_hosts() ? conf::kMostLeasedSlots : conf::kMostLeasedHosts;
    if (part > most)
      problems.warning(place,
                       found("cluster " + printable(consumer.cluster) + " with a share of " +
                                 amount_words(policy, part) + (policy.names_hosts() ? " of each host" : ""),
                             at_most(most)));
  }
  const std::int64_t whole = policy.names_hosts()
                                 ? std::int64_t{policy.slots} * static_cast<std::int64_t>(policy.hosts.size())
                                 : policy.most_hosts;
  if (policy.consumers.empty() || whole > kMostChecked) return;
  const auto parts = divide(whole, shares_of(policy.consumers));
  for (std::size_t i = 0; i < policy.consumers.size(); ++i)
    if (parts[i] == 0 && whole > 0)
      problems.warning(place,
                       found("cluster " + printable(policy.consumers[i].cluster) + ", whose share of " +
                                 amount_words(policy, whole) + " is less than one",
                             "more: nothing is exported to it"));
}

// A consumer uses one of its leases on a host.
void check_same_consumer(const ExportPolicy& policy, const ExportPolicy& other, const std::string& host,
                         conf::Problems& problems) {
  for (const Consumer& consumer : policy.consumers)
    if (std::any_of(other.consumers.begin(), other.consumers.end(),
                    [&](const Consumer& one) { return one.cluster == consumer.cluster; }))
      problems.warning(conf::place_of(policy.places, "PER_HOST", policy.place),
                       "PER_HOST: host " + printable(host) + " is exported to cluster " +
                           printable(consumer.cluster) + " by the policy at " + other.place.text() +
                           ", too, expected one policy: it uses the slots of one of them");
}

}  // namespace

void check_exports(const std::vector<ExportPolicy>& policies, const std::vector<ExportHost>& hosts,
                   const IndexTable& indices, conf::Problems& problems) {
  ByName by_name;
  for (const ExportHost& host : hosts) by_name[host.name] = &host;
  std::map<std::string, std::vector<const ExportPolicy*>> named;
  for (const ExportPolicy& policy : policies) {
    if (policy.consumers.empty())
      problems.warning(conf::place_of(policy.places, "DISTRIBUTION", policy.place),
                       "DISTRIBUTION: found no other cluster, expected one that may use what is exported");
    check_parts(policy, problems);
    for (const std::string& host : policy.hosts) {
      for (const ExportPolicy* other : named[host])
        if (policy.shared || other->shared)
          problems.error(conf::place_of(policy.places, "PER_HOST", policy.place),
                         "PER_HOST: host " + printable(host) + " is also in the policy at " +
                             other->place.text() + ", expected one policy beside TYPE=shared");
        else
          check_same_consumer(policy, *other, host, problems);
      named[host].push_back(&policy);
    }
  }
  for (const ExportPolicy& policy : policies) {
    if (policy.names_hosts()) continue;
    const auto bound = select_of(policy, indices);
    const conf::Place place = conf::place_of(policy.places, "RES_SELECT", policy.place);
    if (!bound.select) {
      problems.error(place, "RES_SELECT: " + bound.error->text);
      continue;
    }
    for (const auto& [name, of] : named)
      if (const auto host = by_name.find(name);
          host != by_name.end() && host->second->view && bound.select->matches(*host->second->view))
        problems.error(place, "RES_SELECT: host " + printable(name) + " is also in PER_HOST at " +
                                  of.front()->place.text() + ", expected one policy for each host");
  }
}

namespace {

bool has_host(const ResourceInstance& instance, const std::string& host) {
  return std::find(instance.hosts.begin(), instance.hosts.end(), host) != instance.hosts.end();
}

bool reaches(const Offer& offer, const ResourceInstance& instance) {
  return std::any_of(offer.hosts.begin(), offer.hosts.end(),
                     [&](const LeasedHost& host) { return has_host(instance, host.host); });
}

// The division of one resource among its consumers.
class ResourceDivision {
 public:
  ResourceDivision(const std::vector<Offer>& offers, const std::vector<ResourceInstance>& instances,
                   const std::vector<HeldInstances>& held)
      : offers_(offers), instances_(instances), held_(held) {}

  void add(const std::string& resource, const Consumer& consumer) {
    std::optional<Taker> taker;
    for (const HeldInstances& has : held_)
      if (has.consumer == consumer.cluster && instances_[has.instance].resource == resource)
        for (std::size_t i = 0; i < offers_.size(); ++i)
          if (offers_[i].policy == has.policy && offers_[i].consumer == has.consumer &&
              reaches(offers_[i], instances_[has.instance]) && (!taker || has.has > taker->has))
            taker = {i, has.instance, has.has};
    if (!taker)
      for (std::size_t number = 0; number < instances_.size(); ++number)
        for (std::size_t i = 0; i < offers_.size(); ++i)
          if (instances_[number].resource == resource && offers_[i].consumer == consumer.cluster &&
              reaches(offers_[i], instances_[number]) &&
              (!taker || exportable_of(number) > exportable_of(taker->instance)))
            taker = {i, number, 0};
    if (!taker) return;
    takers_.push_back(*taker);
    shares_.push_back(consumer.shares);
  }

  void give(const std::string& resource, int most, std::vector<std::vector<LeasedResource>>& given) const {
    if (takers_.empty()) return;
    std::map<std::size_t, std::int64_t> left;
    for (const Taker& taker : takers_) left[taker.instance] = exportable_of(taker.instance);
    std::int64_t there = 0;
    for (const auto& [instance, amount] : left) there += amount;
    const auto parts = divide(std::min<std::int64_t>(there, most), shares_);
    std::vector<std::int64_t> whole_parts;
    for (std::size_t i = 0; i < takers_.size(); ++i) {
      const Taker& taker = takers_[i];
      std::int64_t part = std::min(parts[i], left[taker.instance]);
      left[taker.instance] -= part;
      if (instances_[taker.instance].dynamic && taker.has > part) {
        if (whole_parts.empty()) whole_parts = divide(most, shares_);
        part = std::max(part, std::min<std::int64_t>(taker.has, whole_parts[i]));
      }
      if (part <= 0) continue;
      LeasedResource& to = given[taker.offer].emplace_back();
      to.name = resource;
      to.instances = static_cast<int>(part);
      for (const LeasedHost& host : offers_[taker.offer].hosts)
        if (has_host(instances_[taker.instance], host.host)) to.hosts.push_back(host.host);
    }
  }

 private:
  struct Taker {
    std::size_t offer = 0, instance = 0;
    int has = 0;
  };
  // What jobs of the provider reserve of a static resource is exported when they end. A value that changes tells what is left.
  std::int64_t exportable_of(std::size_t number) const {
    const double there = instances_[number].there;
    return there > 0 ? static_cast<std::int64_t>(std::min(there + kDust, double{kMostInstances})) : 0;
  }

  const std::vector<Offer>& offers_;
  const std::vector<ResourceInstance>& instances_;
  const std::vector<HeldInstances>& held_;
  std::vector<Taker> takers_;
  std::vector<std::int64_t> shares_;
};

}  // namespace

std::vector<std::vector<LeasedResource>> offered_resources(
    const std::vector<conf::SharedResourceExport>& exports, std::string_view own,
    const std::vector<Offer>& offers, const std::vector<ResourceInstance>& instances,
    const std::vector<HeldInstances>& held) {
  std::vector<std::vector<LeasedResource>> given(offers.size());
  std::set<std::string> divided;
  for (const conf::SharedResourceExport& row : exports) {
    if (!divided.insert(row.name).second) continue;
    ResourceDivision division(offers, instances, held);
    for (const Consumer& consumer : consumers_of(row.distribution, own)) division.add(row.name, consumer);
    division.give(row.name, std::min(row.instances, kMostInstances), given);
  }
  return given;
}

}  // namespace rollcall::sched::lease
