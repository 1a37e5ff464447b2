#include "sched/policy/answers/lease_rows.hpp"

#include <algorithm>

namespace rollcall::sched::answers {
namespace {

void set_counts(wire::BatchReply::Counts& to, const lease::SlotCounts& counts) {
  const auto count = [](int value) { return static_cast<std::uint32_t>(std::max(value, 0)); };
  to.set_jobs(count(counts.jobs));
  to.set_running(count(counts.running));
  to.set_ssusp(count(counts.ssusp));
  to.set_ususp(count(counts.ususp));
  to.set_reserved(count(counts.reserved));
}

template <class Names>
bool asked_for(const Names& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// The lease with one of its resources, and the hosts that have it.
lease::LeaseReport with_one(lease::LeaseReport lease, const lease::ReportedResource& resource) {
  const auto& has = resource.has.hosts;
  std::erase_if(lease.hosts,
                [&](const auto& host) { return std::find(has.begin(), has.end(), host.host) == has.end(); });
  lease.resources = {resource};
  return lease;
}

}  // namespace

wire::BatchReply::LeaseRow lease_row(const lease::LeaseReport& lease, bool whole) {
  wire::BatchReply::LeaseRow row;
  if (lease.id.number != 0) row.set_lease(lease::text(lease.id));
  row.set_cluster(lease.cluster);
  row.set_imports(lease.imports);
  row.set_status(std::string(lease::status(lease)));
  if (lease.id.number != 0) row.set_state(std::string(lease::text(lease.phase)));
  if (lease.number != lease::GrantNumber{}) row.set_grant(lease::text(lease.number));
  row.set_shared(lease.shared);
  row.set_reason(lease.reason);
  if (!whole) return row;
  for (const lease::ReportedHost& host : lease.hosts) {
    auto& of = *row.add_hosts();
    of.set_host(host.host);
    of.set_exported(host.exported);
    of.set_slots(host.has.slots);
    set_counts(*of.mutable_counts(), host.counts);
    if (host.has.memory_mb) of.set_memory_mb(*host.has.memory_mb);
    if (host.has.swap_mb) of.set_swap_mb(*host.has.swap_mb);
    of.set_whole(host.has.whole);
  }
  for (const lease::ReportedResource& resource : lease.resources) {
    auto& of = *row.add_resources();
    of.set_resource(resource.has.name);
    of.set_instances(resource.has.instances);
    of.set_used(resource.used);
  }
  return row;
}

void count(lease::SlotCounts& counts, wire::JobStatus status, int slots) {
  counts.jobs += slots;
  if (status == wire::STATUS_SSUSP)
    counts.ssusp += slots;
  else if (status == wire::STATUS_USUSP)
    counts.ususp += slots;
  else
    counts.running += slots;
}

wire::BatchReply::Leases exported_leases(const std::vector<lease::LeaseReport>& leases,
                                         const wire::AskBatchHosts& ask) {
  wire::BatchReply::Leases answer;
  for (lease::LeaseReport lease : leases) {
    if (lease.imports) continue;
    std::erase_if(lease.hosts, [&](const auto& host) { return !asked_for(ask.hosts(), host.host); });
    std::erase_if(lease.resources,
                  [&](const auto& resource) { return !asked_for(ask.resources(), resource.has.name); });
    if (!ask.hosts().empty() && lease.hosts.empty()) continue;
    if (!ask.resources().empty() && lease.resources.empty()) continue;
    if (!ask.shared())
      *answer.add_rows() = lease_row(lease, true);
    else
      for (const auto& resource : lease.resources)
        *answer.add_rows() = lease_row(with_one(lease, resource), true);
  }
  return answer;
}

}  // namespace rollcall::sched::answers
