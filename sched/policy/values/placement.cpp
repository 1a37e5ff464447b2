#include "sched/policy/values/placement.hpp"

#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched {

Placement placement_of(const wire::JobRecord& record) {
  Placement placement;
  for (const auto& host : record.hosts())
    placement.hosts.push_back({HostId(host.name()), static_cast<int>(host.slots())});
  for (const auto& kept : record.reserved())
    placement.reservations.push_back(
        {kept.resource(), HostId(kept.host()), kept.amount(), {kept.until_us()}, kept.decay()});
  for (const auto& on : devices_of(record))
    placement.devices.push_back({HostId(on.host()), {on.devices().begin(), on.devices().end()}});
  placement.exclusive = record.exclusive_hosts();
  if (record.cpu_factor() > 0) placement.cpu_factor = record.cpu_factor();
  return placement;
}

void put(const Placement& placement, wire::JobRecord& record) {
  record.clear_hosts();
  for (const auto& [id, slots] : placement.hosts) {
    wire::ExecHost& host = *record.add_hosts();
    host.set_name(id.text());
    host.set_slots(static_cast<std::uint32_t>(slots));
  }
  record.clear_reserved();
  for (const auto& [resource, host, amount, until, decay] : placement.reservations) {
    wire::Reserved& kept = *record.add_reserved();
    kept.set_resource(resource);
    kept.set_host(host.text());
    kept.set_amount(amount);
    kept.set_until_us(until.us);
    kept.set_decay(decay);
  }
  record.clear_gpu_devices();
  for (const auto& [host, numbers] : placement.devices) {
    wire::DevicesOn& on = *record.add_gpu_devices();
    on.set_host(host.text());
    on.mutable_devices()->Assign(numbers.begin(), numbers.end());
  }
  record.set_exclusive_hosts(placement.exclusive);
  record.set_cpu_factor(placement.cpu_factor);
}

}  // namespace rollcall::sched
