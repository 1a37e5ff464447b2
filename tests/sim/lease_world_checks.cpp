// LeaseWorld: what must hold, and what is told of a world in which it did not.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

void LeaseWorld::check() {
  if (!broken.empty()) return;
  for (const auto& [host, slots] : slots_) {
    const auto run = res_[host].running.size() + res_[host].locals.size();
    if (run > static_cast<std::size_t>(slots))
      broken =
          "host " + host + " runs " + std::to_string(run) + " jobs on " + std::to_string(slots) + " slots";
  }
  check_licences();
}

std::string LeaseWorld::text() const {
  std::string all = "provider term " + std::to_string(real_.term);
  if (real_.disk.lease) {
    all += " " + std::string(lease::text(real_.disk.lease->phase)) + " " +
           lease::text(real_.disk.lease->number) + " acknowledged " +
           lease::text(real_.disk.lease->acknowledged);
    for (const LentHost& host : real_.disk.lease->hosts)
      all += " " + host.has.host + ":" + std::to_string(host.has.slots) + "/" + std::to_string(host.wanted) +
             (host.kills ? "!" : "") + " told " + std::to_string(host.told);
    for (const LentResource& resource : real_.disk.lease->resources)
      all += " " + resource.has.name + ":" + std::to_string(resource.has.instances) + "/" +
             std::to_string(resource.wanted) + (resource.kills ? "!" : "");
  }
  for (const auto& [number, attempt] : real_.disk.attempts)
    if (!attempt.over) all += " has " + std::to_string(number) + "@" + attempt.host;
  all += "; consumer term " + std::to_string(consumer_disk_.term);
  if (consumer_disk_.lease)
    all += " " + std::string(lease::text(consumer_disk_.lease->phase)) + " " +
           lease::text(consumer_disk_.lease->number);
  for (const auto& [number, attempt] : consumer_disk_.attempts)
    all += (attempt.accepted ? " has " : " said ") + std::to_string(number) + "@" + attempt.host;
  for (const auto& [host, res] : res_)
    all += "; " + host + " runs " + std::to_string(res.running.size()) + " term " + std::to_string(res.term);
  return all;
}

bool LeaseWorld::agree() const {
  if (!real_.disk.lease || !consumer_disk_.lease) return gone();
  if (told_resources(*real_.disk.lease) != consumer_disk_.lease->resources) return false;
  return real_.disk.lease->number == consumer_disk_.lease->number &&
         told_hosts(*real_.disk.lease) == consumer_disk_.lease->hosts &&
         real_.disk.lease->phase == consumer_disk_.lease->phase;
}

std::string LeaseWorld::wrong_end(int slots) const {
  if (!agree()) return "the sides do not agree";
  if (!real_.disk.lease) return "there is no lease";
  const ProviderLease& lease = *real_.disk.lease;
  if (lease.phase != Phase::active) return "the lease is " + std::string(lease::text(lease.phase));
  if (lease.acknowledged != lease.number) return "the consumer has not acknowledged the number";
  int all = 0;
  for (const LentHost& host : lease.hosts) {
    all += host.has.slots;
    if (host.has.slots != host.wanted || host.kills || host.has.slots > slots_.at(host.has.host))
      return "host " + host.has.host + " has other slots than it is to have";
  }
  if (all != slots) return "the lease has " + std::to_string(all) + " slots";
  for (const LentResource& resource : lease.resources)
    if (resource.has.instances != resource.wanted || resource.kills)
      return resource.has.name + " has other instances than it is to have";
  const auto runs = [](const auto& attempt) { return !attempt.second.over; };
  if (!consumer_disk_.attempts.empty() || !real_.disk.locals.empty() ||
      std::any_of(real_.disk.attempts.begin(), real_.disk.attempts.end(), runs))
    return "a job that is over is not known to be";
  return "";
}

}  // namespace rollcall::sched::lease
