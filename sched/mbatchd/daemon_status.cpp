#include "sched/mbatchd/daemon_status.hpp"

#include <algorithm>

namespace rollcall::mbatchd {

std::string status_lines(const Configuration& configuration, const sched::book::JobTable& jobs,
                         const sched::book::HostLedger& hosts, const Engine& engine,
                         const Committer& committer, bool load_known) {
  std::size_t connected = 0;
  std::string left, not_ours;
  for (const auto& id : configuration.rules->hosts) {
    const std::string& host = id.text();
    if (!hosts.not_ours(host).empty()) not_ours += (not_ours.empty() ? "" : " ") + host;
    connected += engine.reaches(host) ? 1 : 0;
    if (!hosts.left_behind(host).empty()) left += (left.empty() ? "" : " ") + host;
  }
  // Jobs that wait in other clusters have a place there.
  const auto& placed = jobs.with_status(wire::STATUS_RUN);
  const auto elsewhere =
      static_cast<std::size_t>(std::count_if(placed.begin(), placed.end(), [&jobs](sched::JobKey key) {
        return sched::waits_elsewhere(jobs.find(key)->record);
      }));
  const std::size_t waiting = jobs.with_status(wire::STATUS_PEND).size() + elsewhere;
  return "hosts: " + std::to_string(configuration.rules->hosts.size()) +
         "\nhosts with RES: " + std::to_string(connected) + "\njobs: " + std::to_string(jobs.size()) +
         "\npending: " + std::to_string(waiting) + "\nrunning: " + std::to_string(placed.size() - elsewhere) +
         "\nterm: " + std::to_string(committer.store().term()) +
         "\nstore: " + (committer.failing() ? "fails" : "ok") +
         "\nload information: " + (load_known ? "available" : "unavailable") +
         (left.empty() ? "" : "\nfiles left behind on: " + left) +
         (not_ours.empty() ? "" : "\nhosts with orders of another store: " + not_ours) +
         (configuration.instead_of.empty() ? "" : "\nfiles: " + configuration.instead_of);
}

}  // namespace rollcall::mbatchd
