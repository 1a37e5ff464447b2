// Preemption for shared resources: PREEMPTABLE_RESOURCES (preemption.hpp). Without that parameter nothing here does anything.
#include <algorithm>
#include <cmath>
#include <set>

#include "sched/policy/cycle/preemption_draft.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::cycle {
namespace {

// The most of a resource that the least slots of a job may take.
double most_of(const Demand& demand, const Take& take) {
  return take.per == PlacementRules::Per::job ? take.amount : take.amount * demand.min_slots;
}

std::set<ResourceId> reserved_by(const Compiled& compiled) {
  std::set<ResourceId> reserved;
  for (const Alternative& alternative : compiled.alternatives)
    for (const Take& take : alternative.takes) reserved.insert(take.resource);
  return reserved;
}

}  // namespace

// Instances with less than the job may take of them, and that amount. An unknown value is not less.
Preemption::Amounts Preemption::lacking(const Demand& demand, const Compiled& compiled) const {
  const PlacementRules& rules = state_.rules();
  Amounts lacking;
  if (rules.preemptable_resources.empty()) return lacking;
  for (const Alternative& alternative : compiled.alternatives)
    for (const Take& take : alternative.takes) {
      if (!take.shared || !rules.preemptable_resources[take.resource]) continue;
      for (std::uint32_t instance = 0; instance < rules.shared.size(); ++instance)
        if (rules.shared[instance].resource == take.resource &&
            state_.shared_left(instance) + kDust < most_of(demand, take))
          lacking[instance] = std::max(lacking[instance], most_of(demand, take));
    }
  return lacking;
}

// What all jobs that the demand may preempt give back together of resources that it reserves: its select may ask for them too.
Preemption::Amounts Preemption::all_give_back(const HostSearch::Look& look) const {
  Amounts all;
  const auto wanted = reserved_by(*look.entry->compiled);
  if (state_.rules().preemptable_resources.empty() || wanted.empty()) return all;
  std::set<JobKey> seen;
  for (const Source source : sources_of(look.entry->compiled->queue))
    for (const Jobs& jobs : of(source))
      for (const PlacedJob* job : jobs)
        if (seen.insert(job->key).second)
          for (const auto& [instance, amount] : state_.gives_back(*job))
            if (wanted.contains(state_.rules().shared[instance].resource)) all[instance] += amount;
  return all;
}

bool Preemption::holds(const PlacedJob& job, const Amounts& lacking) const {
  const auto amounts = state_.gives_back(job);
  return std::any_of(amounts.begin(), amounts.end(), [&](const auto& held) {
    const auto found = lacking.find(held.first);
    return found != lacking.end() && state_.shared_left(held.first) + kDust < found->second;
  });
}

bool Preemption::has_all(const Amounts& lacking) const { return missing(lacking).empty(); }

// Resources of which no instance has enough now.
std::vector<ResourceId> Preemption::missing(const Amounts& lacking) const {
  std::map<ResourceId, bool> enough;
  for (const auto& [instance, amount] : lacking)
    enough[state_.rules().shared[instance].resource] |= state_.shared_left(instance) + kDust >= amount;
  std::vector<ResourceId> missing;
  for (const auto& [resource, there_is] : enough)
    if (!there_is) missing.push_back(resource);
  return missing;
}

void Preemption::start_with_free_hosts(Draft& draft) const {
  draft.hosts = search_.free_hosts(draft.look);
  const auto& excluded = draft.job.excluded;
  std::erase_if(draft.hosts, [&excluded](HostNumber host) {
    return std::find(excluded.begin(), excluded.end(), host) != excluded.end();
  });
  draft.in = {draft.hosts.begin(), draft.hosts.end()};
}

// Chooses jobs that hold what the job lacks, and gives it room if slots are free then. They stay chosen while it looks for slots.
void Preemption::take_resources(Draft& draft) {
  const auto lacking = this->lacking(draft.demand(), *draft.look.entry->compiled);
  if (lacking.empty()) return;
  const auto all = all_give_back(draft.look);
  for (const auto& [instance, amount] : all) state_.lend_shared(instance, amount);
  start_with_free_hosts(draft);
  for (const auto& [instance, amount] : all) state_.lend_shared(instance, -amount);
  if (!add_holders(draft, lacking) && draft.told) draft.told->missing = missing(lacking);
  draft.base = draft.victims.size();
  draft.next_look = 0;
  if (draft.base > 0) enough(draft);
  if (draft.told) draft.told->for_resources = draft.room.has_value();
  draft.next_look = draft.looked_at + 1;
}

// True: of each resource there is enough.
bool Preemption::add_holders(Draft& draft, const Amounts& lacking) {
  for (const Source source : draft.sources)
    for (const Jobs& jobs : of(source))
      for (const PlacedJob* job : jobs) {
        if (suspended_.contains(job->key) || draft.chosen.contains(job->key) || !holds(*job, lacking))
          continue;
        add_holder(draft, *job);
        if (has_all(lacking)) return true;
      }
  return false;
}

void Preemption::add_holder(Draft& draft, const PlacedJob& job) {
  draft.chosen.insert(job.key);
  draft.victims.push_back(&job);
  lend(job, 1);
  const auto& excluded = draft.job.excluded;
  for (const SlotsOn& on : job.placement.hosts)
    if (std::find(excluded.begin(), excluded.end(), on.host) == excluded.end() &&
        search_.suits(*draft.look.entry, on.host).slots > 0 && draft.in.insert(on.host).second)
      draft.hosts.push_back(on.host);
}

// What is left of the resources of the draft's victims, once the job has taken its own.
Preemption::Amounts Preemption::left_over(const Draft& draft) const {
  Amounts left;
  for (const PlacedJob* victim : draft.victims)
    for (const auto& [instance, amount] : state_.gives_back(*victim))
      left[instance] = state_.shared_left(instance);
  for (const auto& [instance, amount] : draft.room->shared)
    if (const auto found = left.find(instance); found != left.end()) found->second -= amount;
  return left;
}

bool Preemption::enough_without(const PlacedJob& victim, const Amounts& left) const {
  const auto amounts = state_.gives_back(victim);
  return std::all_of(amounts.begin(), amounts.end(),
                     [&left](const auto& held) { return left.at(held.first) + kDust >= held.second; });
}

// What the preemptor did not take of its victims' resources is free in the next cycle. True: there is some.
bool Preemption::settle_resources(const NumberedPlacement& placement, const Jobs& victims) {
  Amounts lent;
  for (const PlacedJob* victim : victims)
    for (const auto& [instance, amount] : state_.gives_back(*victim)) lent[instance] += amount;
  if (lent.empty()) return false;
  for (const Reservation& reservation : placement.reservations)
    if (const auto instance = state_.rules().instance_of(reservation.resource, reservation.host); instance)
      if (const auto found = lent.find(*instance); found != lent.end()) found->second -= reservation.amount;
  bool left = false;
  for (const auto& [instance, amount] : lent) {
    if (amount <= kDust) continue;
    state_.lend_shared(instance, -amount);
    left = true;
  }
  return left;
}

}  // namespace rollcall::sched::cycle
