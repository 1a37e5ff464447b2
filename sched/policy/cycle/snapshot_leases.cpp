// Snapshot: what leases take of hosts of ours, and what they give us: memory of borrowed hosts, instances of shared resources.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/snapshot.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::cycle {

void Snapshot::set_lent(HostNumber host, const LentOfHost& lent) {
  lent_[host].what = lent;
  hold_back_lent(host);
}

int own_slots(const HostValues& values) {
  if (values.row == nullptr || values.row->slots_of_cpus) return values.cpus;
  return values.row->slots.value_or(values.cpus);
}

int Snapshot::not_taken(HostNumber host) const {
  if (rules_->borrowed(host) || !lent_[host].what.whole) return 0;
  return std::max(0, own_slots(values_[host]) - lent_[host].what.in_hand);
}

// What consumers' jobs use is gone from what the host has free already.
void Snapshot::hold_back_lent(HostNumber host) {
  const Lent& here = lent_[host];
  values_[host].numbers[mem] = left_of(here.told_mem, here.what.mem_mb);
  values_[host].numbers[swp] = left_of(here.told_swp, here.what.swp_mb);
}

double Snapshot::told_free(HostNumber host, ResourceId index) const {
  return index == mem ? lent_[host].told_mem : lent_[host].told_swp;
}

void Snapshot::set_share(HostNumber host, const BorrowedShare& share) {
  borrowed(host)->share = share;
  limit_memory(host);
}

const BorrowedShare* Snapshot::share(HostNumber host) const {
  if (!rules_->borrowed(host)) return nullptr;
  const auto& share = borrowed_[host - rules_->own_hosts].share;
  return share ? &*share : nullptr;
}

// The exported amount is all that our jobs may have. What they use of it is gone from it, as it is from what the host has free;
// reservations come on top of that, as on every host.
void Snapshot::limit_memory(HostNumber host) {
  const Borrowed& here = *borrowed(host);
  const auto limited = [](double free, const std::optional<double>& exported, double used) {
    return exported ? std::fmin(free, std::max(0.0, *exported - used)) : free;
  };
  auto& numbers = values_[host].numbers;
  numbers[mem] = limited(here.told_mem, here.share ? here.share->mem_mb : std::nullopt, here.used_mem);
  numbers[swp] = limited(here.told_swp, here.share ? here.share->swp_mb : std::nullopt, here.used_swp);
}

// A job's usage is known for all its hosts together: each counts by its slots.
void Snapshot::count_used(const PlacedJob& job, int sign) {
  if (rules_->hosts.size() == rules_->own_hosts || (job.used_mem <= 0 && job.used_swp <= 0)) return;
  int all = 0;
  for (const SlotsOn& on : job.placement.hosts) all += on.slots;
  for (const SlotsOn& on : job.placement.hosts) {
    Borrowed* const here = borrowed(on.host);
    if (here == nullptr || all == 0) continue;
    here->used_mem = std::max(0.0, here->used_mem + sign * job.used_mem * on.slots / all);
    here->used_swp = std::max(0.0, here->used_swp + sign * job.used_swp * on.slots / all);
    limit_memory(on.host);
  }
}

// Instances of ours keep their places; those of leases are counted anew. A resource of which only a lease has instances was none that
// a demand could take: demands that name it are compiled again.
void Snapshot::take_borrowed_instances(const PlacementRules& before) {
  if (before.shared.size() == before.own_shared && rules_->shared.size() == rules_->own_shared) return;
  const std::size_t own = rules_->own_shared, count = rules_->shared.size();
  shared_numbers_.resize(own), shared_words_.resize(own);
  shared_numbers_.resize(count, std::numeric_limits<double>::quiet_NaN());
  shared_words_.resize(count);
  auto& reserved = tallies_->reserved_shared;
  reserved.resize(own), reserved.resize(count, 0);
  for (const auto& [key, job] : placed_)
    for (const Reservation& reservation : job.placement.reservations)
      if (rules_->borrowed(reservation.host) && rules_->shared_resource(reservation.resource) &&
          !ends(reservation))
        if (const auto instance = rules_->instance_of(reservation.resource, reservation.host))
          reserved[*instance] += held(*rules_, job, reservation, {});
  for (ResourceId id = 0; id < rules_->shared_resources.size(); ++id) {
    if (!rules_->shared_resource(id) || before.shared_resource(id)) continue;
    tallies_->reserved.erase(id);
    for (DemandEntry& entry : demands_) {
      if (!entry.live || entry.demand.resreq.find(rules_->indices().at(id).name) == std::string::npos)
        continue;
      entry.compiled = compiler_->compile(entry.demand, *tallies_);
      entry.serial = ++last_serial_;
    }
  }
}

}  // namespace rollcall::sched::cycle
