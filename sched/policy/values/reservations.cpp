#include "sched/policy/values/reservations.hpp"

#include "common/conf/row_reader.hpp"

namespace rollcall::sched {

std::vector<ReservePer> reserve_methods(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                                        const std::vector<bool>& shared) {
  const bool per_slot = lsb.params.reserve_per_task;
  const auto& indices = cluster.indices;
  std::vector<ReservePer> methods(indices.size(), per_slot ? ReservePer::slot : ReservePer::host);
  for (const auto& mapping : cluster.cluster.resource_map)
    for (const auto& row : mapping.instances)
      if (const auto id = indices.find(mapping.resource);
          id && !per_slot && row.kind == conf::ResourceInstance::Kind::shared)
        methods[*id] = ReservePer::job;
  for (std::size_t id = 0; id < shared.size(); ++id)
    if (shared[id] && !per_slot) methods[id] = ReservePer::job;
  for (const auto& method : lsb.resources.reservation_methods) {
    const auto id = indices.find(method.resource);
    if (!id || method.method.empty()) continue;
    methods[*id] = method.method == "PER_JOB"    ? ReservePer::job
                   : method.method == "PER_HOST" ? ReservePer::host
                                                 : ReservePer::slot;
  }
  return methods;
}

std::vector<wire::Reserved> reserved_rows(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                                          const resreq::ResReq& resreq, const wire::JobRecord& record,
                                          const std::string& per_task) {
  std::vector<wire::Reserved> rows;
  if (!resreq.rusage) return rows;
  const auto methods = reserve_methods(cluster, lsb);
  for (const auto& host : record.hosts())
    for (const auto& string : resreq.rusage->alternatives.front().strings)
      for (const auto& usage : string.usages) {
        const auto id = cluster.indices.find(usage.name);
        if (!id || !usage.value) continue;
        const double amount =
            reserved_amount(usage.name == per_task ? ReservePer::slot : methods[*id], usage.value->value,
                            static_cast<int>(host.slots()), &host == &record.hosts(0));
        if (amount <= 0) continue;
        wire::Reserved& row = rows.emplace_back();
        row.set_resource(cluster.indices.at(*id).name);
        row.set_host(host.name());
        row.set_amount(amount);
        if (string.duration.value_or(0) == 0) continue;
        row.set_until_us(record.start_us() + *string.duration * std::int64_t{1'000'000});
        row.set_decay(string.decay.value_or(false));
      }
  return rows;
}

}  // namespace rollcall::sched
