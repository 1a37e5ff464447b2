// LeaseWorld: what is exported to each consumer, and how shared leases are divided: as LeaseOut of mbatchd does it.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {
namespace {

class AnyHost final : public resreq::HostView {
 public:
  double number(ResourceId) const override { return 0; }
  std::string_view word(ResourceId) const override { return "LINUX"; }
  bool has(ResourceId) const override { return true; }
};
const AnyHost kAnyHost;
const IndexTable kIndices;

constexpr const char* kSelects[] = {"type==any", "type==LINUX"};

}  // namespace

// All hosts as a whole, for all consumers.
ExportPolicy LeaseWorld::whole_policy() const {
  ExportPolicy policy;
  policy.select = kSelects[0];
  policy.most_hosts = static_cast<int>(slots_.size());
  policy.shared = shared();
  for (const ConsumerSide& consumer : consumers_) policy.consumers.push_back({consumer.cluster, 1});
  return policy;
}

// One of two consumers may be left out.
std::vector<Consumer> LeaseWorld::drawn_distribution() {
  std::vector<Consumer> consumers;
  const int left_out = pick(8);
  for (const ConsumerSide& consumer : consumers_)
    if (static_cast<int>(consumer.place) != left_out) consumers.push_back({consumer.cluster, 1 + pick(4)});
  if (one_in(2)) std::reverse(consumers.begin(), consumers.end());
  return consumers;
}

// PER_HOST names one host or both.
ExportPolicy LeaseWorld::drawn_policy(int amount, std::vector<Consumer> consumers) {
  ExportPolicy policy = whole_policy();
  policy.select = kSelects[pick(2)];
  policy.most_hosts = policy.slots = amount;
  policy.consumers = std::move(consumers);
  if (!adds_slots()) return policy;
  const std::string alone = some_host();
  policy.hosts = one_in(2) ? host_names() : std::vector<std::string>{alone};
  return policy;
}

// One policy for both consumers, or one for each. All PER_HOST policies together add kAdded slots to a host at the most.
std::vector<ExportPolicy> LeaseWorld::drawn_policies() {
  const int all = adds_slots() ? kAdded : static_cast<int>(slots_.size());
  std::vector<Consumer> consumers = drawn_distribution();
  const bool one = consumers.size() == 1 || pick(3) > 0;
  if (lends_ == Lends::shared_slots) return drawn_shared_slots(consumers, one);
  if (one) return {drawn_policy(adds_slots() ? all : 1 + pick(all), consumers)};
  const int first = 1 + pick(all - 1);
  std::vector<ExportPolicy> policies{drawn_policy(first, {consumers[0]})};
  policies.push_back(drawn_policy(all - first, {consumers[1]}));
  return policies;
}

// A host is in one policy, and that has one consumer.
std::vector<ExportPolicy> LeaseWorld::drawn_shared_slots(const std::vector<Consumer>& consumers, bool one) {
  if (one) return {drawn_policy(1 + pick(kAdded), {consumers[0]})};
  std::vector<ExportPolicy> policies;
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    policies.push_back(drawn_policy(1 + pick(kAdded), {consumers[i]}));
    policies.back().hosts = {host_names()[i]};
  }
  return policies;
}

void LeaseWorld::change_policy(bool withdrawn) {
  if (several()) {
    policies_ = withdrawn ? std::vector<ExportPolicy>() : drawn_policies();
    conf::SharedResourceExport licences{.name = "lic",
                                        .instances = unreliable_ ? pick(kLicences + 1) : kLicences};
    for (const Consumer& each : drawn_distribution())
      licences.distribution.push_back({each.cluster, static_cast<double>(each.shares)});
    licence_policies_ = {licences};
    return export_all();
  }
  event::Exported exported;
  exported.withdrawn = withdrawn;
  for (const auto& [host, slots] : slots_) {
    const int wanted = unreliable_ ? pick(slots + 1) : slots;
    if (wanted > 0) exported.hosts.push_back({host, wanted, {}, {}, false});
  }
  exported.resources = lends(unreliable_ ? static_cast<int>(exported.hosts.size()) : kLicences);
  decide_all(real_, exported);
}

std::vector<ChosenBefore> LeaseWorld::chosen_before(const std::vector<const LeaseOfPolicy*>& leases,
                                                    const std::vector<std::optional<std::size_t>>& of) const {
  std::vector<ChosenBefore> before(policies_.size());
  for (std::size_t i = 0; i < leases.size(); ++i) {
    if (!of[i] || leases[i]->names_hosts()) continue;
    ChosenBefore& chosen = before[*of[i]];
    chosen.same_policy = chosen.same_policy && leases[i]->terms == policy_terms(policies_[*of[i]]);
    for (const LentHost& host : leases[i]->lease.hosts) {
      if (host.wanted == 0 && (!leases[i]->shared() || host.kills)) continue;
      ChosenHost was{host.has.host, leases[i]->lease.consumer, {}};
      for (const auto& [number, attempt] : real_.disk.attempts)
        if (attempt.lease == leases[i]->lease.id.number && attempt.host == host.has.host && !attempt.over)
          was.last_start = WallTime{number};
      chosen.hosts.push_back(std::move(was));
    }
  }
  return before;
}

LeaseWorld::Exports LeaseWorld::exports_now() const {
  const auto leases = all_leases(real_);
  const auto of = policies_of(leases, policies_);
  std::vector<ExportHost> hosts;
  for (const auto& [host, slots] : slots_) hosts.push_back({host, "LINUX", slots, true, &kAnyHost});
  const auto offered = offers(policies_, hosts, chosen_before(leases, of), kIndices);
  std::vector<ResourceInstance> instances;
  if (licences_ != Licences::none) instances.push_back(licence_instance(real_));
  const auto resources =
      offered_resources(licence_policies_, "east", offered, instances, held_instances(leases, of, instances));
  Exports exports;
  for (std::size_t i = 0; i < offered.size(); ++i) exports.all.push_back({offered[i], resources[i]});
  for (std::size_t i = 0; i < leases.size(); ++i) {
    auto& place = exports.of[leases[i]->lease.id.number];
    for (std::size_t offer = 0; offer < offered.size() && !place; ++offer)
      if (of[i] == offered[offer].policy && offered[offer].consumer == leases[i]->lease.consumer)
        place = offer;
  }
  return exports;
}

// The provider may die in each step: then it exports anew later.
void LeaseWorld::export_all() {
  const std::uint64_t term = real_.term;
  const Exports exports = exports_now();
  std::set<std::size_t> known;
  for (const auto& [number, place] : exports.of) {
    if (real_.term != term) return;
    if (place) known.insert(*place);
    export_known(number, place ? &exports.all[*place] : nullptr);
  }
  for (std::size_t i = 0; i < exports.all.size() && real_.term == term; ++i)
    if (!known.contains(i) && !exports.all[i].offer.hosts.empty()) make_lease(exports.all[i]);
}

void LeaseWorld::export_known(std::uint64_t number, const Export* to) {
  const LeaseOfPolicy& of = real_.disk.leases.at(number);
  const bool untaken = of.lease.phase == Phase::offered;
  if (!to || (untaken && to->offer.hosts.empty())) {
    if (!of.lease.withdrawn) decide(real_, number, event::Exported{{}, {}, true});
    return;
  }
  const auto last = real_.offered.find(number);
  if (of.terms != policy_terms(policies_[to->offer.policy]) || last == real_.offered.end() ||
      last->second != LastOffer{to->offer.hosts, to->resources})
    export_to(number, *to);
}

void LeaseWorld::make_lease(const Export& to) {
  const std::uint64_t number = next_lease_++;
  LeaseOfPolicy& made = real_.disk.leases[number];
  made.lease.id = {"east", number};
  made.lease.consumer = to.offer.consumer;
  const std::uint64_t term = real_.term;
  if (!export_to(number, to) && real_.term == term) real_.disk.leases.erase(number);
}

bool LeaseWorld::export_to(std::uint64_t number, const Export& to) {
  LeaseOfPolicy& of = real_.disk.leases.at(number);
  const LeaseOfPolicy before = of;
  const std::uint64_t term = real_.term;
  of.policy = policy_name(policies_[to.offer.policy]);
  of.terms = policy_terms(policies_[to.offer.policy]);
  of.both_sides.clear();
  if (of.shared())
    for (const LeasedHost& host : to.offer.hosts) of.both_sides[host.host] = host.slots;
  const auto hosts =
      of.shared() ? divided_hosts(of, to.offer.hosts, own_hosts(real_), attempts_of(real_)) : to.offer.hosts;
  if (!decide(real_, number, event::Exported{hosts, to.resources, false})) {
    if (real_.term == term) real_.disk.leases.at(number) = before;
    return false;
  }
  real_.offered[number] = {to.offer.hosts, to.resources};
  return true;
}

// ---------------------------------------------------------------- shared leases

void LeaseWorld::divide() {
  for (const std::uint64_t number : numbers(real_.disk.leases))
    if (real_.disk.leases.contains(number)) divide(number);
}

void LeaseWorld::divide(std::uint64_t number) {
  const LeaseOfPolicy& of = real_.disk.leases.at(number);
  if (!of.shared() || of.lease.withdrawn || of.both_sides.empty()) return;
  if (of.lease.phase != Phase::offered && of.lease.phase != Phase::requested &&
      of.lease.phase != Phase::active)
    return;
  const auto hosts = shared_hosts(of, own_hosts(real_), attempts_of(real_));
  std::vector<int> has;
  if (of.lease.phase != Phase::active) {
    if (std::any_of(of.lease.hosts.begin(), of.lease.hosts.end(),
                    [](const LentHost& host) { return host.wanted > 0; }))
      return;
    has = reserve_one(hosts);
  } else {
    const Division division = reclaim(hosts);
    if (division.to == Division::To::nobody) return;
    has = division.consumer_has;
  }
  event::Divided divided;
  for (std::size_t i = 0; i < hosts.size(); ++i) divided.consumer_has[of.lease.hosts[i].has.host] = has[i];
  decide(real_, number, divided);
}

}  // namespace rollcall::sched::lease
