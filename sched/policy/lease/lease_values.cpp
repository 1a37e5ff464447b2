#include "sched/policy/lease/lease_values.hpp"

namespace rollcall::sched::lease {

std::string text(const LeaseId& lease) { return lease.provider + "#" + std::to_string(lease.number); }

std::string text(const GrantNumber& grant) {
  return std::to_string(grant.term) + "." + std::to_string(grant.counter);
}

std::string_view text(Phase phase) {
  switch (phase) {
    case Phase::offered:
      return "offered";
    case Phase::requested:
      return "requested";
    case Phase::active:
      return "active";
    case Phase::recalling:
      return "recalling";
    case Phase::inactive:
      return "inactive";
    case Phase::returned:
      return "returned";
  }
  return "?";
}

std::vector<BorrowedHost> borrowed_hosts(const Grant& grant, bool placeable) {
  std::vector<BorrowedHost> hosts;
  hosts.reserve(grant.hosts.size());
  for (const LeasedHost& host : grant.hosts)
    hosts.push_back(
        {HostId(host.host + "@" + grant.lease.provider), grant.lease, grant.number, host, placeable});
  return hosts;
}

}  // namespace rollcall::sched::lease
