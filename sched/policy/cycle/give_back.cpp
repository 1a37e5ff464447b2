// The one way in which a host gets more room within a cycle: jobs that are preempted, and those that go on (working_state.hpp,
// docs/cycle-memory.md).
#include <algorithm>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

// What the host counts for in all_free_.
long long WorkingState::open_slots(HostNumber host) const {
  return obstacles_[host] == Obstacle::none && exclusive_[host] == 0 ? std::max(0, free_slots_[host]) : 0;
}

void WorkingState::lend(HostNumber host, Room room, int sign) {
  all_free_ -= open_slots(host);
  free_slots_[host] += sign * room.slots;
  jobs_[host] -= sign * room.jobs;
  exclusive_[host] -= sign * room.exclusive;
  all_free_ += open_slots(host);
}

WorkingState::Room WorkingState::room_of(const PlacedJob& job, int slots) const {
  if (!rules().preempts_exclusive) return {slots, 0, 0};
  return {slots, 1, job.placement.exclusive ? 1 : 0};
}

std::vector<std::pair<std::uint32_t, double>> WorkingState::gives_back(const PlacedJob& job) const {
  std::vector<std::pair<std::uint32_t, double>> amounts;
  if (rules().preemptable_resources.empty()) return amounts;
  for (const Reservation& reservation : job.placement.reservations) {
    // The provider of a borrowed host counts them until the attempt is over.
    if (!rules().preemptable_resources[reservation.resource] || rules().borrowed(reservation.host)) continue;
    const auto instance = rules().instance_of(reservation.resource, reservation.host);
    const double amount = held(rules(), job, reservation, now_);
    if (instance && amount > 0) amounts.emplace_back(*instance, amount);
  }
  return amounts;
}

std::vector<LimitShare> WorkingState::limits_of(const PlacedJob& job) const {
  std::vector<LimitShare> shares;
  for (const Charge charge : snapshot_->demands()[job.demand].compiled->charges) {
    if (!charge.running_only) continue;
    const LimitRule& rule = rules().limits[charge.rule];
    const auto add = [&](HostNumber host) {
      if (const double amount = counted(rule, job, host); amount > 0)
        shares.push_back({charge, host, amount});
    };
    if (!rule.per_host) add(kNoHost);
    if (rule.per_host)
      for (const SlotsOn& on : job.placement.hosts) add(on.host);
  }
  return shares;
}

bool WorkingState::full(const LimitShare& share) const {
  const auto most = this->most(share.charge.rule, share.host);
  return most && taken(share.charge, share.host) + share.amount > *most + kDust;
}

void WorkingState::count(const LimitShare& share, int sign) {
  if (share.host == kNoHost)
    taken_[share.charge.tally] += sign * share.amount;
  else
    more_on_host_[on_host(share.charge.tally, share.host)] += sign * share.amount;
}

// USE_SUSP_SLOTS=N: the slots of a preempted job are free for jobs of higher queues, and kept from those that its own could preempt.
void WorkingState::keep(const PlacedJob& job, int sign) {
  const QueueNumber queue = snapshot_->demands()[job.demand].compiled->queue;
  if (rules().lsb->params.use_suspended_slots || queue == kNoQueue) return;
  kept_.resize(rules().queues.size());
  for (const QueueNumber lower : rules().preempts[queue]) {
    if (kept_[lower].empty()) kept_[lower].assign(rules().hosts.size(), 0);
    for (const SlotsOn& on : job.placement.hosts) kept_[lower][on.host] += sign * on.slots;
  }
}

// A job of -x goes on beside no other running job, and no job goes on beside one of -x.
bool WorkingState::alone_enough(const PlacedJob& job) const {
  const auto& hosts = job.placement.hosts;
  const int itself = rules().preempts_exclusive ? 0 : 1;  // whether jobs_ counts preempted jobs
  return std::all_of(hosts.begin(), hosts.end(), [&](const SlotsOn& on) {
    return exclusive_[on.host] == 0 && (!job.placement.exclusive || jobs_[on.host] <= itself);
  });
}

int WorkingState::slots_to_go_on(HostNumber host) const {
  return has_unknown_jobs(host) ? 0 : free_slots_[host] + snapshot_->not_taken(host);
}

bool WorkingState::run_again(const PlacedJob& job) {
  const auto& hosts = job.placement.hosts;
  if (std::any_of(hosts.begin(), hosts.end(),
                  [this](const SlotsOn& on) { return slots_to_go_on(on.host) < on.slots; }))
    return false;
  if (!alone_enough(job)) return false;
  const auto shares = limits_of(job);
  if (std::any_of(shares.begin(), shares.end(), [this](const LimitShare& share) { return full(share); }))
    return false;
  const bool runs = (job.suspended & ~wire::SUSPEND_PREEMPT) == 0;
  if (runs && !take_back(job)) return false;
  keep(job, -1);
  for (const SlotsOn& on : hosts) {
    Room room = room_of(job, on.slots);
    if (job.placement.exclusive) {
      room.exclusive = 1;
      room.slots = std::max(on.slots, free_slots_[on.host]);  // rankings made before this hold the host
    }
    lend(on.host, room, -1);
  }
  for (const LimitShare& share : shares) count(share, 1);
  return true;
}

bool WorkingState::take_back(const PlacedJob& job) {
  std::vector<std::pair<std::uint32_t, double>> wanted;
  PlacedJob running = job;
  running.suspended = 0;
  for (const Reservation& reservation : job.placement.reservations) {
    if (!rules().shared_resource(reservation.resource)) continue;
    const double more = held(rules(), running, reservation, now_) - held(rules(), job, reservation, now_);
    const auto instance = rules().instance_of(reservation.resource, reservation.host);
    if (more <= 0 || !instance) continue;
    double before = 0;
    for (const auto& [number, amount] : wanted)
      if (number == *instance) before += amount;
    if (!(shared_left(*instance) - before + kDust >= more)) return false;
    wanted.emplace_back(*instance, more);
  }
  for (const auto& [instance, amount] : wanted) reserved_shared_[instance] += amount;
  return true;
}

}  // namespace rollcall::sched::cycle
