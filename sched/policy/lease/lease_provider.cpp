#include <algorithm>
#include <set>
#include <utility>

#include "sched/policy/lease/lease_life.hpp"

namespace rollcall::sched::lease {
namespace {

// Jobs of the provider may be on the slots that the consumer is still to have.
bool is_whole(const LentHost& host) { return host.has.whole && host.has.slots >= host.wanted; }

// The policy has the host. A host of a shared lease is in it also while the consumer is to have no slot of it.
bool is_exported(const LentHost& host) { return host.wanted > 0 || !host.kills; }

// One step of one lease.
class ProviderStep {
 public:
  ProviderStep(ProviderLease& lease, const HostsNow& now, std::uint64_t term, const ResourcesNow& resources)
      : lease_(lease), now_(now), resources_now_(resources), term_(term) {
    for (const LentHost& host : lease_.hosts)
      if (has_left(lease_, host)) left_.insert(host.has.host);
    for (const LentResource& resource : lease_.resources)
      if (has_left(lease_, resource)) left_resources_.insert(resource.has.name);
  }

  ProviderEffects effects;

  void operator()(const event::Exported& event) {
    lease_.withdrawn = lease_.withdrawn || event.withdrawn;
    if (lease_.withdrawn)
      left_.clear(), left_resources_.clear();  // it is over when nothing runs there any more
    const auto before = exported();
    for (LentHost& host : lease_.hosts) host.wanted = 0, host.kills = true;
    for (LentResource& resource : lease_.resources) resource.wanted = 0, resource.kills = true;
    if (!lease_.withdrawn) {
      for (const LeasedHost& host : event.hosts) want(host);
      for (const LeasedResource& resource : event.resources) want(resource);
    }
    std::erase_if(lease_.hosts, [](const LentHost& host) { return is_gone(host); });
    std::erase_if(lease_.resources, [](const LentResource& resource) { return is_gone(resource); });
    differs_ = differs_ || exported() != before;  // the consumer is told of hosts without slots, too
    take_or_grow();
  }
  void operator()(const event::Divided& event) {
    for (LentHost& host : lease_.hosts)
      if (const auto to = event.consumer_has.find(host.has.host);
          to != event.consumer_has.end() && !host.kills)
        host.wanted = to->second;
    take_or_grow();
  }
  void operator()(const event::Asked&) {
    if (lease_.phase == Phase::offered) lease_.phase = Phase::requested;
    advance();
  }
  void operator()(const event::Acknowledged& event) {
    for (LentHost& host : lease_.hosts) {
      const auto limit = event.limits.find(host.has.host);
      host.limit = limit == event.limits.end() ? std::nullopt : std::optional<int>(limit->second);
    }
    if (event.number > lease_.number) return exceed(event.number);
    lease_.acknowledged = std::max(lease_.acknowledged, event.number);
    if (event.number == lease_.number)
      for (LentHost& host : lease_.hosts) {
        const auto uses = event.uses.find(host.has.host);
        host.told = uses == event.uses.end() ? 0 : std::clamp(uses->second, 0, host.has.slots);
      }
    advance();
  }
  void operator()(const event::Changed&) {
    take_or_grow();
    if (!taking()) kill_what_has_left();
  }
  void operator()(const event::OnDisk& event) {
    if (event.number > lease_.number) exceed(event.number);
  }
  // What it said last of slots that it uses does not count any more. Jobs that are here do.
  void operator()(const event::WrittenOff&) {
    for (LentHost& host : lease_.hosts) host.told = 0;
    take_or_grow();
  }

 private:
  std::vector<std::string> exported() const {
    std::vector<std::string> names;
    for (const LentHost& host : lease_.hosts)
      if (is_exported(host)) names.push_back(host.has.host);
    return names;
  }
  HostNow now_of(const LentHost& host) const {
    const auto found = now_.find(host.has.host);
    return found == now_.end() ? HostNow{} : found->second;
  }
  // With jobs of the consumer that are here. A start under an older number that is still to come will be refused.
  int here(const LentHost& host) const { return std::min(now_of(host).used, host.has.slots); }
  // Where RES has the newest number, what the consumer said last does not count: it may be cut off.
  int used(const LentHost& host) const {
    return fenced(host) || is_left(host) ? here(host)
                                         : std::max(here(host), std::min(host.told, host.has.slots));
  }
  bool is_left(const LentHost& host) const { return left_.contains(host.has.host); }
  bool is_left(const LentResource& resource) const { return left_resources_.contains(resource.has.name); }
  bool fenced(const LentHost& host) const { return now_of(host).fenced == lease_.number; }
  // The consumer starts nothing under an older number any more.
  bool consumer_settled() const { return lease_.acknowledged == lease_.number || lease_.written_off; }
  bool settled(const LentHost& host) const { return consumer_settled() || fenced(host); }
  bool taking() const { return lease_.phase == Phase::inactive || lease_.phase == Phase::recalling; }
  bool any_slots() const {
    return std::any_of(lease_.hosts.begin(), lease_.hosts.end(),
                       [this](const LentHost& host) { return host.has.slots > 0 && !is_left(host); });
  }
  bool too_many(const LentHost& host) const { return host.has.slots > host.wanted && !is_left(host); }
  bool too_many(const LentResource& one) const { return one.has.instances > one.wanted && !is_left(one); }
  bool too_many() const {
    const auto more = [this](const auto& one) { return too_many(one); };
    return std::any_of(lease_.hosts.begin(), lease_.hosts.end(), more) ||
           std::any_of(lease_.resources.begin(), lease_.resources.end(), more);
  }
  bool kills_any() const {
    return std::any_of(lease_.hosts.begin(), lease_.hosts.end(),
                       [this](const LentHost& host) {
                         return host.kills && here(host) > host.wanted && !is_left(host);
                       }) ||
           std::any_of(lease_.resources.begin(), lease_.resources.end(), [this](const LentResource& one) {
             return one.kills && used(one) > one.wanted && !is_left(one);
           });
  }
  // True if only whole hosts are still being taken back, and the lease keeps at least one other.
  bool rest_goes_on() const {
    const auto may_leave = [](const auto& one) { return one.wanted == 0 && one.kills; };
    return !lease_.withdrawn &&
           std::any_of(lease_.hosts.begin(), lease_.hosts.end(),
                       [](const LentHost& host) { return host.wanted > 0; }) &&
           std::all_of(
               lease_.hosts.begin(), lease_.hosts.end(),
               [&](const LentHost& host) { return !too_many(host) || (may_leave(host) && settled(host)); }) &&
           std::all_of(lease_.resources.begin(), lease_.resources.end(), [&](const LentResource& one) {
             return !too_many(one) || (may_leave(one) && all_settled());
           });
  }

  ResourceNow now_of(const LentResource& resource) const {
    const auto found = resources_now_.find(resource.has.name);
    return found == resources_now_.end() ? ResourceNow{} : found->second;
  }
  int used(const LentResource& resource) const {
    return std::min(now_of(resource).used, resource.has.instances);
  }
  // A job with instances may be on any host of the lease.
  bool all_settled() const {
    return std::all_of(lease_.hosts.begin(), lease_.hosts.end(),
                       [this](const LentHost& host) { return settled(host); }) &&
           (consumer_settled() || !lease_.hosts.empty());
  }
  static bool is_gone(const LentHost& host) { return host.has.slots == 0 && host.wanted == 0 && host.kills; }
  static bool is_gone(const LentResource& resource) {
    return resource.has.instances == 0 && resource.wanted == 0;
  }
  void want(const LeasedResource& asked) {
    const auto same = std::find_if(lease_.resources.begin(), lease_.resources.end(),
                                   [&](const LentResource& one) { return one.has.name == asked.name; });
    LentResource& resource = same != lease_.resources.end() ? *same : lease_.resources.emplace_back();
    const int instances = resource.has.instances;
    const bool came_back = asked.instances > 0 && left_resources_.erase(asked.name) > 0;
    differs_ = differs_ || came_back || (instances > 0 && resource.has.hosts != asked.hosts);
    resource.has = asked;
    resource.has.instances = instances;
    resource.wanted = asked.instances;
    resource.kills = asked.instances < instances;
  }

  void want(const LeasedHost& asked) {
    const auto same = std::find_if(lease_.hosts.begin(), lease_.hosts.end(),
                                   [&](const LentHost& host) { return host.has.host == asked.host; });
    LentHost& host = same != lease_.hosts.end() ? *same : lease_.hosts.emplace_back();
    const int slots = host.has.slots;
    const bool was_whole = is_whole(host);
    const bool came_back = left_.erase(asked.host) > 0;
    differs_ = differs_ || came_back ||
               (slots > 0 && (host.has.memory_mb != asked.memory_mb || host.has.swap_mb != asked.swap_mb));
    host.has = asked;
    host.has.slots = slots;
    host.wanted = asked.slots;
    host.kills = asked.slots > 0 && asked.slots < slots;  // 0: a division has taken all of them
    differs_ = differs_ || (slots > 0 && is_whole(host) != was_whole);
  }

  // Of this term or a later one it was never told: a lie, or a store that was put back. Else another master told it, and the consumer
  // and RES wait for a larger one.
  void exceed(const GrantNumber& others) {
    if (others.term >= term_) return;
    become(lease_.phase);
    if (taking()) ask_for_slots();
  }
  void become(Phase phase) {
    lease_.phase = phase;
    lease_.number = {term_, lease_.number.counter + 1};
    effects.emplace_back(effect::Tell{});
  }
  // At most once for one event.
  void ask_for_slots() {
    if (std::exchange(asked_, true)) return;
    for (const LentHost& host : lease_.hosts) {
      if (host.has.slots > host.wanted && !settled(host))
        effects.emplace_back(effect::Fence{host.has.host, lease_.number});
      if (host.kills && here(host) > host.wanted)
        effects.emplace_back(effect::Kill{host.has.host, here(host) - host.wanted});
    }
    ask_for_instances();
  }
  void ask_for_instances() {
    bool taken = false;
    for (const LentResource& resource : lease_.resources) {
      taken = taken || resource.has.instances > resource.wanted;
      if (resource.kills && used(resource) > resource.wanted)
        effects.emplace_back(effect::KillHolders{resource.has.name, used(resource) - resource.wanted});
    }
    if (!taken) return;
    for (const LentHost& host : lease_.hosts)
      if (host.has.slots <= host.wanted && !settled(host))  // others are named already
        effects.emplace_back(effect::Fence{host.has.host, lease_.number});
  }
  // Those that were ordered before may not know it: RES was away, or another cluster was asked first.
  void kill_what_has_left() {
    for (const LentHost& host : lease_.hosts)
      if (is_left(host) && used(host) > 0) effects.emplace_back(effect::Kill{host.has.host, used(host)});
    for (const LentResource& one : lease_.resources)
      if (is_left(one) && used(one) > 0) effects.emplace_back(effect::KillHolders{one.has.name, used(one)});
  }
  // Puts free slots into the consumer's hand. The caller raises the number.
  bool grow() {
    bool grown = false;
    for (LentHost& host : lease_.hosts) {
      const int more = std::min(host.wanted - host.has.slots, now_of(host).free);
      if (more <= 0) continue;
      host.has.slots += more;
      grown = true;
    }
    for (LentResource& resource : lease_.resources) {
      if (!any_slots()) break;
      const int more = std::min(resource.wanted - resource.has.instances, now_of(resource).free);
      if (more <= 0) continue;
      resource.has.instances += more;
      grown = true;
    }
    return grown;
  }
  void take_idle_slots() {
    for (LentHost& host : lease_.hosts) {
      if (host.has.slots <= host.wanted || !settled(host)) continue;
      const int keeps = std::max(host.wanted, used(host));
      if (host.has.slots > keeps) effects.emplace_back(effect::Freed{host.has.host, host.has.slots - keeps});
      host.has.slots = keeps;
      if (!host.kills) host.wanted = keeps;  // used slots of a shared lease stay
    }
    if (all_settled())
      for (LentResource& resource : lease_.resources)
        resource.has.instances = std::min(resource.has.instances, std::max(resource.wanted, used(resource)));
  }
  // What jobs hold on hosts that have left is free when they are over. It is in nobody's hand, so no number is raised.
  void free_left() {
    for (LentHost& host : lease_.hosts) {
      if (!is_left(host) || host.has.slots == used(host)) continue;
      effects.emplace_back(effect::Freed{host.has.host, host.has.slots - used(host)});
      host.has.slots = used(host);
    }
    std::erase_if(lease_.hosts,
                  [this](const LentHost& host) { return is_left(host) && host.has.slots == 0; });
    for (LentResource& resource : lease_.resources)
      if (is_left(resource)) resource.has.instances = used(resource);
    std::erase_if(lease_.resources, [](const LentResource& resource) { return is_gone(resource); });
  }
  void after_taking() {
    std::erase_if(lease_.hosts, [](const LentHost& host) { return is_gone(host); });
    for (LentHost& host : lease_.hosts) {
      if (too_many(host)) left_.insert(host.has.host);
      host.kills = is_left(host);
    }
    std::erase_if(lease_.resources, [](const LentResource& resource) { return is_gone(resource); });
    for (LentResource& resource : lease_.resources) {
      if (too_many(resource)) left_resources_.insert(resource.has.name);
      resource.kills = is_left(resource);
      if (!any_slots()) resource.has.instances = used(resource);  // of jobs on hosts that have left
    }
    grow();
    become(lease_.withdrawn ? Phase::returned : any_slots() ? Phase::active : Phase::requested);
  }

  void begin_taking() {
    become(kills_any() ? Phase::recalling : Phase::inactive);
    ask_for_slots();
    advance();  // where there is nothing to wait for
  }
  // Slots that the lease loses while it already loses others are asked for too.
  void take_or_grow() {
    advance();
    if (taking()) ask_for_slots();
  }
  void advance() {
    switch (lease_.phase) {
      case Phase::offered:
        if (lease_.withdrawn) become(Phase::returned);
        return;
      case Phase::requested:
        if (too_many()) return begin_taking();  // withdrawn, with jobs on hosts that had left
        if (lease_.withdrawn) return become(Phase::returned);
        free_left();
        grow();
        if (any_slots())
          become(Phase::active);
        else if (lease_.number != GrantNumber{} && std::exchange(differs_, false))
          become(Phase::requested);
        return;
      case Phase::active:
        if (lease_.withdrawn || too_many()) return begin_taking();
        free_left();
        if (grow() || std::exchange(differs_, false)) become(Phase::active);
        return;
      case Phase::inactive:
      case Phase::recalling:
        take_idle_slots();
        if (too_many() && !rest_goes_on()) {
          if (kills_any() && lease_.phase == Phase::inactive) become(Phase::recalling), ask_for_slots();
          return;
        }
        return after_taking();
      case Phase::returned:
        if (consumer_settled()) effects.emplace_back(effect::Forget{});
        return;
    }
  }

  ProviderLease& lease_;
  const HostsNow& now_;
  const ResourcesNow& resources_now_;
  const std::uint64_t term_;
  std::set<std::string> left_, left_resources_;  // has_left(), at the beginning or since
  bool asked_ = false;
  bool differs_ = false;  // what the consumer has stays, and is told with other memory or hosts
};

bool may_have_left(const ProviderLease& lease) {
  return !lease.withdrawn && (lease.phase == Phase::active || lease.phase == Phase::requested);
}

}  // namespace

// A lease that has more than it is to have is not active, but for what has left it.
bool has_left(const ProviderLease& lease, const LentHost& host) {
  return may_have_left(lease) && host.wanted == 0 && host.has.slots > 0;
}
bool has_left(const ProviderLease& lease, const LentResource& resource) {
  return may_have_left(lease) && resource.wanted == 0 && resource.has.instances > 0;
}

std::vector<LeasedHost> told_hosts(const ProviderLease& lease) {
  std::vector<LeasedHost> told;
  for (const LentHost& host : lease.hosts) {
    told.push_back(host.has);
    if (has_left(lease, host)) told.back().slots = 0;
    told.back().whole = is_whole(host);
    told.back().stays = lease.number != GrantNumber{} && !lease.withdrawn && is_exported(host);
  }
  return told;
}
std::vector<LeasedResource> told_resources(const ProviderLease& lease) {
  std::vector<LeasedResource> told;
  for (const LentResource& resource : lease.resources)
    if (!has_left(lease, resource)) told.push_back(resource.has);
  return told;
}

void ProviderLease::forget_what_was_said() {
  acknowledged = {};
  for (LentHost& host : hosts) host.told = 0, host.limit.reset();
}

bool ProviderLease::may_start(const std::string& host, int slots, const GrantNumber& under,
                              std::optional<int> used) const {
  if (!used || phase != Phase::active || under != number || slots <= 0) return false;
  for (const LentHost& lent : hosts)
    if (lent.has.host == host)
      return !has_left(*this, lent) && slots <= lent.has.slots && *used <= lent.has.slots - slots;
  return false;
}

ProviderEffects step(ProviderLease& lease, const ProviderEvent& event, const HostsNow& now,
                     std::uint64_t term, const ResourcesNow& resources) {
  ProviderStep step(lease, now, term, resources);
  std::visit(step, event);
  return std::move(step.effects);
}

}  // namespace rollcall::sched::lease
