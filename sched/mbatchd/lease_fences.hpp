// LeaseFences: names the grants of our leases to the RES of our hosts, and keeps what those answer (sched/policy/lease/host_grants.hpp).
// LeaseOut owns it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "sched/policy/lease/host_grants.hpp"

namespace rollcall::mbatchd {

class LeaseFences {
 public:
  // False: the host's RES keeps no numbers of leases.
  using Name = std::function<bool(const std::string& host, const sched::lease::GrantQuestion&)>;
  using ByHost = std::map<std::string, sched::lease::GrantNumbers>;
  explicit LeaseFences(Name name) : name_(std::move(name)) {}

  void came(const std::string& host, const sched::lease::GrantNumbers& leases, bool unknown_jobs);
  void gone(const std::string& host);
  void wants(const std::string& host, std::uint64_t lease) { hosts_[host].wants(lease); }
  // Tells what is still to be told. All leases, of each host that has slots of one.
  void ask(const ByHost& leases);
  // Some host has jobs under grants that the Book does not know yet.
  bool asks_again() const;
  void ask_again();
  // False: nothing to be learned from it.
  bool answered(const std::string& host, const sched::lease::GrantsOnHost& answer,
                const std::function<bool(const sched::Attempt&)>& knows);

  bool heard(const std::string& host) const;
  // Hosts with jobs under grants that the Book does not know.
  const std::set<std::string>& with_unknown_jobs() const { return with_unknown_jobs_; }
  sched::lease::GrantNumber on_disk(const std::string& host, std::uint64_t lease) const;

 private:
  void note_unknown_jobs(const std::string& host, const sched::lease::HostGrants& here);
  void ask(const std::string& host, sched::lease::HostGrants& here, const sched::lease::GrantNumbers& leases);

  const Name name_;
  std::map<std::string, sched::lease::HostGrants> hosts_;
  std::set<std::string> with_unknown_jobs_;
};

}  // namespace rollcall::mbatchd
