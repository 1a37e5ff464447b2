// LeaseWorld: what must hold, and what is told of a world in which it did not.
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

}  // namespace rollcall::sched::lease
