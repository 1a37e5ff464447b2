// Converts jobs of the Book to jobs of the snapshot, and placements back to names; HostStandings (schedule.hpp).
#include <algorithm>

#include "sched/policy/cycle/victims.hpp"
#include "sched/policy/cycle/working_state.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::cycle {

WallTime expected_end(WallTime start, const JobTimes& times) {
  if (times.run_limit_s <= 0) return times.terminate;
  const WallTime end{start.us + times.run_limit_s * 1'000'000};
  return times.terminate.never() ? end : std::min(end, times.terminate);
}

JobTimes times_of(const Job& job, const wire::Limits& effective) {
  return {effective.run_s(), {job.asked->terminate_us()}};
}

Demand demand_of(const Job& job, const std::string& resreq) {
  const wire::Submission& asked = *job.asked;
  Demand demand;
  demand.queue = job.record.queue();
  demand.user = asked.user();
  demand.project = asked.project();
  demand.user_group = asked.user_group();
  demand.application = asked.application();
  demand.min_slots = std::max<int>(1, static_cast<int>(asked.min_slots()));
  demand.max_slots = std::max<int>(demand.min_slots, static_cast<int>(asked.max_slots()));
  demand.resreq = resreq;
  demand.gpus_per_task = gpu_request(asked.gpu()).per_task;
  for (const auto& host : asked.asked_hosts()) {
    const HostId asked_for(host.name());
    demand.asked_hosts.push_back({std::string(asked_for.host()), std::string(asked_for.cluster()),
                                  host.preference(), host.first_execution(), host.excluded()});
  }
  demand.exclusive = asked.exclusive();
  demand.whole_hosts = asked.nodes() > 0;
  demand.begin = {asked.begin_us()};
  demand.array = asked.array_slots() > 0 ? job.record.key().id() : 0;
  demand.array_slots = static_cast<int>(asked.array_slots());
  demand.from_type = asked.from_type();
  return demand;
}

PlacedJob placed_of(const PlacementRules& rules, const Job& job, DemandNumber demand, const JobTimes& times,
                    const conf::PreemptionLimits& preemption) {
  const wire::JobRecord& record = job.record;
  PlacedJob placed;
  placed.key = job.key();
  placed.demand = demand;
  placed.placement = by_number(rules, placement_of(record));
  placed.placement.exclusive = record.exclusive_hosts() || job.asked->exclusive();
  placed.started = {record.start_us()};
  placed.status_since = {record.status_us()};
  placed.placement.expected_end = expected_end(placed.started, times);
  placed.rerunnable = job.asked->rerunnable();
  // A job in another cluster has no host of this one: it counts for the limit of its array alone.
  placed.silent =
      record.status() == wire::STATUS_UNKWN || record.status() == wire::STATUS_ZOMBI || is_elsewhere(record);
  placed.suspended = record.suspend_reasons();
  // A record may have a suspended status without reasons.
  if (placed.suspended == 0 && record.status() == wire::STATUS_USUSP) placed.suspended = wire::SUSPEND_USER;
  if (placed.suspended == 0 && record.status() == wire::STATUS_SSUSP) placed.suspended = wire::SUSPEND_LOAD;
  set_preemptable(preemption, {record.preemptions(), record.preempted_for_us()}, times, placed);
  placed.used_mem = static_cast<double>(record.usage().memory_kb()) / 1024;
  placed.used_swp = static_cast<double>(record.usage().swap_kb()) / 1024;
  return placed;
}

PendingJob pending_of(const PlacementRules& rules, const Job& job, DemandNumber demand, Hold hold,
                      const JobTimes& times, const conf::PreemptionLimits& preemption) {
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
  pending.preempt_delay_s = preemption.delay_s.value_or(0);
  for (const auto& name : record.excluded_hosts())
    if (const auto host = rules.host(name)) pending.excluded.push_back(*host);
  return pending;
}

Placement by_name(const PlacementRules& rules, const NumberedPlacement& placement) {
  Placement named;
  for (const auto& [host, slots] : placement.hosts) named.hosts.push_back({rules.hosts[host], slots});
  for (const auto& [resource, host, amount, until, decay] : placement.reservations)
    named.reservations.push_back(
        {rules.indices().at(resource).name, rules.hosts[host], amount, until, decay});
  for (const auto& [host, numbers] : placement.devices) named.devices.push_back({rules.hosts[host], numbers});
  named.exclusive = placement.exclusive;
  named.cpu_factor = placement.cpu_factor;
  named.expected_end = placement.expected_end;
  return named;
}

NumberedPlacement by_number(const PlacementRules& rules, const Placement& placement) {
  NumberedPlacement numbered;
  for (const auto& [id, slots] : placement.hosts)
    if (const auto host = rules.host(id)) numbered.hosts.push_back({*host, slots});
  const HostNumber first = numbered.hosts.empty() ? kNoHost : numbered.hosts[0].host;
  for (const auto& [name, on, amount, until, decay] : placement.reservations) {
    const auto resource = rules.indices().find(name);
    const auto host = on.empty() ? std::optional(first) : rules.host(on);
    if (resource && host && *host != kNoHost)
      numbered.reservations.push_back({*resource, *host, amount, until, decay});
  }
  for (const auto& [id, numbers] : placement.devices)
    if (const auto host = rules.host(id)) numbered.devices.push_back({*host, numbers});
  numbered.exclusive = placement.exclusive;
  numbered.cpu_factor = placement.cpu_factor;
  numbered.expected_end = placement.expected_end;
  return numbered;
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
