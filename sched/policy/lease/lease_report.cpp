#include "sched/policy/lease/lease_report.hpp"

#include <algorithm>

namespace rollcall::sched::lease {

std::string_view status(const LeaseReport& lease) {
  if (!lease.connected) return "disc";
  switch (lease.phase) {
    case Phase::active:
    case Phase::recalling:
    case Phase::inactive:
      return "ok";
    case Phase::offered:
    case Phase::requested:
    case Phase::returned:
      break;
  }
  return "conn";
}

bool exports_slots(const LeaseReport& lease) {
  return std::any_of(lease.hosts.begin(), lease.hosts.end(),
                     [](const ReportedHost& host) { return host.exported > 0; });
}

std::string awaited_reason(int slots, const std::string& provider) {
  if (slots <= 0) return "";
  return std::to_string(slots) + (slots == 1 ? " slot comes" : " slots come") + " when jobs of cluster " +
         provider + " that run there end";
}

std::string taking_reason(const ProviderLease& lease, const HostsNow& now) {
  const bool taking = lease.phase == Phase::recalling || lease.phase == Phase::inactive;
  const bool answered = lease.acknowledged == lease.number || lease.written_off;
  std::string with_jobs, silent, left;
  for (const LentHost& host : lease.hosts) {
    if (has_left(lease, host)) left += (left.empty() ? "" : ", ") + host.has.host;
    if (!taking || host.has.slots <= host.wanted) continue;
    const auto found = now.find(host.has.host);
    const HostNow here = found == now.end() ? HostNow{} : found->second;
    if (host.kills && here.used > host.wanted)
      with_jobs += (with_jobs.empty() ? "" : ", ") + host.has.host;
    else if (!answered && here.fenced != lease.number)
      silent += (silent.empty() ? "" : ", ") + host.has.host;
  }
  if (!with_jobs.empty()) return "waits for its jobs on " + with_jobs + " to end: slots are taken back";
  if (!silent.empty())
    return "waits for cluster " + lease.consumer + ", or RES of " + silent + ": slots are taken back";
  if (!left.empty()) return "its jobs on " + left + " are being ended: the host is no longer exported";
  return "";
}

}  // namespace rollcall::sched::lease
