// Jobs as the snapshot has them, from the Book's records and back; and what hosts stand at (schedule.hpp).
#include <algorithm>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

WallTime expected_end(WallTime start, const JobTimes& times) {
  if (times.run_limit_s <= 0) return times.terminate;
  const WallTime end{start.us + times.run_limit_s * 1'000'000};
  return times.terminate.never() ? end : std::min(end, times.terminate);
}

JobTimes times_of(const Job& job, const wire::Limits& effective) {
  return {effective.run_s(), {job.asked->terminate_us()}};
}

PlacedJob placed_of(const SchedulingRules& rules, const Job& job, DemandNumber demand,
                    const JobTimes& times) {
  const wire::JobRecord& record = job.record;
  PlacedJob placed;
  placed.key = job.key();
  placed.demand = demand;
  for (const auto& host : record.hosts())
    if (const auto number = rules.host(host.name()))
      placed.hosts.push_back({*number, static_cast<int>(host.slots())});
  const HostNumber first = placed.hosts.empty() ? kNoHost : placed.hosts[0].host;
  for (const auto& reserved : record.reserved()) {
    const auto resource = rules.indices().find(reserved.resource());
    const auto host = reserved.host().empty() ? std::optional(first) : rules.host(reserved.host());
    if (resource && host && *host != kNoHost)
      placed.reservations.push_back(
          {*resource, *host, reserved.amount(), {reserved.until_us()}, reserved.decay()});
  }
  placed.started = {record.start_us()};
  placed.status_since = {record.status_us()};
  placed.expected_end = expected_end(placed.started, times);
  placed.exclusive = record.exclusive_hosts() || job.asked->exclusive();
  placed.rerunnable = job.asked->rerunnable();
  placed.suspended = record.suspend_reasons();
  // A record may say that it is suspended and not why.
  if (placed.suspended == 0 && record.status() == wire::STATUS_USUSP) placed.suspended = wire::SUSPEND_USER;
  if (placed.suspended == 0 && record.status() == wire::STATUS_SSUSP) placed.suspended = wire::SUSPEND_LOAD;
  placed.used_mem = static_cast<double>(record.usage().memory_kb()) / 1024;
  placed.used_swp = static_cast<double>(record.usage().swap_kb()) / 1024;
  return placed;
}

PendingJob pending_of(const SchedulingRules& rules, const Job& job, DemandNumber demand, Hold hold,
                      const JobTimes& times) {
  const wire::JobRecord& record = job.record;
  PendingJob pending;
  pending.key = job.key();
  pending.demand = demand;
  pending.order = record.order();
  pending.submitted = {std::max(record.submit_us(), record.status_us())};
  pending.hold = hold;
  pending.paused_until = {record.paused_until_us()};
  pending.requeued = record.requeues() > 0;
  pending.times = times;
  for (const auto& name : record.excluded_hosts())
    if (const auto host = rules.host(name)) pending.excluded.push_back(*host);
  return pending;
}

wire::Reserved wire_of(const SchedulingRules& rules, const Reservation& reservation) {
  wire::Reserved reserved;
  reserved.set_resource(rules.indices().at(reservation.resource).name);
  reserved.set_host(rules.hosts[reservation.host].name);
  reserved.set_amount(reservation.amount);
  reserved.set_until_us(reservation.until.us);
  reserved.set_decay(reservation.decay);
  return reserved;
}

HostStandings::HostStandings(const Snapshot& snapshot, WallTime now)
    : state_(std::make_unique<WorkingState>(snapshot, now)) {}
HostStandings::~HostStandings() = default;

HostStanding HostStandings::of(HostNumber host) const {
  const Snapshot& snapshot = state_->snapshot();
  const BatchRow* row = snapshot.values(host).row;
  const Tallies& tallies = snapshot.tallies();
  const auto slots = snapshot.slots(host);
  HostStanding standing;
  standing.taken_slots = tallies.slots[host];
  standing.full = slots && tallies.slots[host] >= *slots;
  standing.exclusive = tallies.exclusive[host] > 0;
  standing.load_unknown = snapshot.host(host).unavailable;
  if (row != nullptr) {
    standing.window_closed = !state_->open(row->dispatch_windows);
    standing.beyond = state_->all_beyond(host, row->thresholds, false);
  }
  return standing;
}

double HostStandings::reserved(HostNumber host, ResourceId resource) const {
  return state_->reserved(host, resource);
}
double HostStandings::reserved_shared(std::uint32_t instance) const {
  return state_->reserved_shared(instance);
}

}  // namespace rollcall::sched::cycle
