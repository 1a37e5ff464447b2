// Preemption for limits that leave preempted jobs out: MAX_JOBS of a user, and with PREEMPT_FOR others (preemption.hpp). Such a
// limit counts a job no more once it is preempted, so a user who has reached it may preempt jobs of lower queues that it counts.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "sched/policy/cycle/preemption_draft.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::cycle {

// What the least slots of the draft's job would count: on the host, or (kNoHost) for limits that count all hosts together.
Preemption::Shares Preemption::wanted_on(const Draft& draft, HostNumber host) const {
  Shares wanted;
  for (const Charge charge : draft.look.entry->compiled->charges) {
    const LimitRule& rule = state_.rules().limits[charge.rule];
    const bool of_hosts = rule.per_host || rule.hosts;
    if (!charge.running_only || of_hosts != (host != kNoHost)) continue;
    if (rule.hosts && !(*rule.hosts)[host]) continue;
    wanted.push_back({charge, rule.per_host ? host : kNoHost, static_cast<double>(draft.demand().min_slots)});
  }
  return wanted;
}

// Those that have no room.
Preemption::Shares Preemption::full(Shares wanted) const {
  std::erase_if(wanted, [this](const LimitShare& share) { return !state_.full(share); });
  return wanted;
}

bool Preemption::counts_for(const PlacedJob& job, const Shares& full) const {
  if (full.empty() || job.suspended != 0) return false;
  const Shares shares = state_.limits_of(job);
  return std::any_of(shares.begin(), shares.end(), [&full](const LimitShare& share) {
    return std::any_of(full.begin(), full.end(), [&share](const LimitShare& other) {
      return share.charge.tally == other.charge.tally && share.host == other.host;
    });
  });
}

// What all jobs that the demand may preempt count together for limits that it is under too.
Preemption::Shares Preemption::all_count(const HostSearch::Look& look) const {
  const auto& charges = look.entry->compiled->charges;
  const auto counts = [&charges](const LimitShare& share) {
    return std::any_of(charges.begin(), charges.end(),
                       [&share](const Charge& charge) { return charge.tally == share.charge.tally; });
  };
  Shares all;
  if (std::none_of(charges.begin(), charges.end(), [](const Charge& charge) { return charge.running_only; }))
    return all;
  std::unordered_set<JobKey> seen;
  for (const QueueNumber queue : state_.rules().preempts[look.entry->compiled->queue])
    for (const Jobs& jobs : of(queue))
      for (const PlacedJob* job : jobs) {
        if (job->placement.hosts.size() > 1 && !seen.insert(job->key).second) continue;
        for (const LimitShare& share : state_.limits_of(*job))
          if (counts(share)) all.push_back(share);
      }
  return all;
}

// Chooses jobs that the limits count which the job has reached, those on hosts of use to it first, and gives it room if slots are
// free then. They stay chosen while it looks for slots. False: without all of them there is a limit without room.
bool Preemption::take_limits(Draft& draft) {
  const Shares wanted = wanted_on(draft, kNoHost);
  Shares full = this->full(wanted);
  if (full.empty()) return true;
  if (draft.hosts.empty()) start_with_free_hosts(draft);
  std::vector<HostNumber> hosts = draft.cursors.hosts;
  const std::unordered_set<HostNumber> of_use{hosts.begin(), hosts.end()};
  for (HostNumber host = 0; host < state_.rules().hosts.size(); ++host)
    if (!of_use.contains(host)) hosts.push_back(host);
  for (const Source source : draft.sources)
    for (const HostNumber host : hosts) {
      if (full.empty()) break;
      for (const PlacedJob* job : of(source)[host]) {
        if (suspended_.contains(job->key) || draft.chosen.contains(job->key) || !counts_for(*job, full))
          continue;
        add_holder(draft, *job);
        full = this->full(wanted);
      }
    }
  if (!full.empty()) {
    if (draft.told) draft.told->limit = full.front().charge.rule;
    return false;
  }
  draft.base = draft.victims.size();
  draft.next_look = 0;
  enough(draft);
  if (draft.told) draft.told->for_limits = draft.room.has_value();
  draft.next_look = draft.looked_at + 1;
  return true;
}

// The same for a job that goes on. Its slots are free.
bool Preemption::take_limits_of(const PlacedJob& job, Jobs& victims) {
  const Shares wanted = state_.limits_of(job);
  Shares full = this->full(wanted);
  for (const QueueNumber lower : state_.rules().preempts[queue_of(job)])
    for (const Jobs& jobs : of(lower)) {
      if (full.empty()) return true;
      for (const PlacedJob* victim : jobs) {
        const bool chosen = std::find(victims.begin(), victims.end(), victim) != victims.end();
        if (chosen || suspended_.contains(victim->key) || !counts_for(*victim, full)) continue;
        victims.push_back(victim);
        lend(*victim, 1);
        full = this->full(wanted);
      }
    }
  return full.empty();
}

// What is left of the limits of the draft's job, once it has its room.
Preemption::Left Preemption::left_of_limits(const Draft& draft) const {
  Left left;
  const auto& rules = state_.rules().limits;
  for (const Charge charge : draft.look.entry->compiled->charges) {
    if (!charge.running_only) continue;
    const LimitRule& rule = rules[charge.rule];
    if (!rule.per_host) {
      const auto most = state_.most(charge.rule, kNoHost);
      if (!most) continue;
      double& amount = left[{charge.tally, kNoHost}] = *most - state_.taken(charge, kNoHost);
      for (const auto& [tally, taken] : draft.room->taken)
        if (tally == charge.tally) amount -= taken;
      continue;
    }
    for (const SlotsOn& on : draft.room->hosts)
      if (const auto most = state_.most(charge.rule, on.host);
          most && (!rule.hosts || (*rule.hosts)[on.host]))
        left[{charge.tally, on.host}] = *most - state_.taken(charge, on.host) - on.slots;
  }
  return left;
}

// The victim may run: the limits have room for it too.
bool Preemption::within_limits(const PlacedJob& victim, const Left& left) const {
  if (victim.suspended != 0) return true;
  const Shares shares = state_.limits_of(victim);
  return std::all_of(shares.begin(), shares.end(), [&left](const LimitShare& share) {
    const auto found = left.find({share.charge.tally, share.host});
    return found == left.end() || found->second + kDust >= share.amount;
  });
}

void Preemption::take_off(const PlacedJob& victim, Left& left) const {
  if (victim.suspended != 0) return;
  for (const LimitShare& share : state_.limits_of(victim))
    if (const auto found = left.find({share.charge.tally, share.host}); found != left.end())
      found->second -= share.amount;
}

// What the preemptor does not count of what its victims counted is free in the next cycle. True: there is some.
bool Preemption::settle_limits(DemandNumber demand, const NumberedPlacement& placement, const Jobs& victims) {
  std::map<std::pair<TallyNumber, HostNumber>, LimitShare> lent;
  for (const PlacedJob* victim : victims) {
    if (victim->suspended != 0) continue;
    for (const LimitShare& share : state_.limits_of(*victim)) {
      const LimitShare none{share.charge, share.host, 0};
      lent.try_emplace({share.charge.tally, share.host}, none).first->second.amount += share.amount;
    }
  }
  if (lent.empty()) return false;
  PlacedJob preemptor;
  preemptor.demand = demand;
  preemptor.placement = placement;
  for (const LimitShare& share : state_.limits_of(preemptor))
    if (const auto found = lent.find({share.charge.tally, share.host}); found != lent.end())
      found->second.amount -= share.amount;
  bool left = false;
  for (const auto& [place, share] : lent) {
    if (share.amount <= kDust) continue;
    state_.count(share, 1);
    left = true;
  }
  return left;
}

}  // namespace rollcall::sched::cycle
