#include "sched/mbatchd/lease_fences.hpp"

#include <algorithm>

namespace rollcall::mbatchd {

namespace lease = sched::lease;

void LeaseFences::came(const std::string& host, const lease::GrantNumbers& leases, bool unknown_jobs) {
  lease::HostGrants& here = hosts_[host];
  here.came(unknown_jobs);
  ask(host, here, leases);
  note_unknown_jobs(host, here);
}

void LeaseFences::gone(const std::string& host) {
  if (const auto here = hosts_.find(host); here != hosts_.end()) here->second.gone();
  with_unknown_jobs_.erase(host);
}

void LeaseFences::note_unknown_jobs(const std::string& host, const lease::HostGrants& here) {
  if (here.unknown_jobs())
    with_unknown_jobs_.insert(host);
  else
    with_unknown_jobs_.erase(host);
}

void LeaseFences::ask(const ByHost& leases) {
  static const lease::GrantNumbers kNone;
  for (auto& [host, here] : hosts_) {
    const auto of_it = leases.find(host);
    ask(host, here, of_it == leases.end() ? kNone : of_it->second);
  }
}

void LeaseFences::ask(const std::string& host, lease::HostGrants& here, const lease::GrantNumbers& leases) {
  const auto question = here.next_question(leases);
  if (!question) return;
  if (!name_(host, *question)) here.keeps_no_numbers();
  note_unknown_jobs(host, here);
}

bool LeaseFences::asks_again() const {
  return std::any_of(hosts_.begin(), hosts_.end(), [](const auto& one) { return one.second.asks_again(); });
}

void LeaseFences::ask_again() {
  for (auto& [host, here] : hosts_)
    if (here.asks_again()) here.ask_again();
}

bool LeaseFences::answered(const std::string& host, const lease::GrantsOnHost& answer,
                           const std::function<bool(const sched::Attempt&)>& knows) {
  const auto here = hosts_.find(host);
  if (here == hosts_.end() || !here->second.answered(answer, knows)) return false;
  note_unknown_jobs(host, here->second);
  return true;
}

bool LeaseFences::heard(const std::string& host) const {
  const auto here = hosts_.find(host);
  return here != hosts_.end() && here->second.heard();
}

lease::GrantNumber LeaseFences::on_disk(const std::string& host, std::uint64_t of) const {
  const auto here = hosts_.find(host);
  return here == hosts_.end() ? lease::GrantNumber{} : here->second.on_disk(of);
}

}  // namespace rollcall::mbatchd
