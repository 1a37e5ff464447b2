// LeaseWorld: instances of a shared resource of both hosts, which every other job holds.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

std::vector<LeasedResource> LeaseWorld::lends(int instances) const {
  if (!licences_ || instances == 0) return {};
  return {{"lic", instances, {"a", "b"}}};
}

int LeaseWorld::licences_used(const Master& master) const {
  return static_cast<int>(
      std::count_if(master.disk.attempts.begin(), master.disk.attempts.end(),
                    [](const auto& attempt) { return holds(attempt.first) && !attempt.second.over; }));
}

int LeaseWorld::licences_free(const Master& master) const {
  int free = kLicences;
  if (fault_ != Fault::local_instances_are_not_counted)
    for (const auto& [job, host] : master.disk.locals) free -= holds(job) ? 1 : 0;
  int lent = licences_used(master);
  if (master.disk.lease)
    for (const LentResource& resource : master.disk.lease->resources)
      lent = std::max(lent, resource.has.instances);
  if (fault_ != Fault::lent_instances_are_not_counted) free -= lent;
  const bool heard = all_heard(master) || fault_ == Fault::instances_are_used_before_res_has_reported;
  return heard ? std::max(free, 0) : 0;
}

ResourcesNow LeaseWorld::resources_now_of(const Master& master) const {
  if (!licences_) return {};
  return {{"lic", {licences_used(master), licences_free(master)}}};
}

bool LeaseWorld::all_heard(const Master& master) const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [&](const auto& host) { return master.heard.contains(host.first); });
}

bool LeaseWorld::may_hold(const Master& master, int attempt) const {
  if (!licences_ || !holds(attempt) || fault_ == Fault::start_beyond_the_instances_is_passed) return true;
  const auto& resources = master.disk.lease->resources;
  return std::any_of(resources.begin(), resources.end(), [&](const LentResource& resource) {
    return licences_used(master) < resource.has.instances;
  });
}

bool LeaseWorld::consumer_may_hold(int attempt) const {
  if (!holds(attempt)) return true;
  // This consumer counts badly where the provider must notice it.
  if (fault_ == Fault::start_beyond_the_instances_is_passed) return true;
  const auto& attempts = consumer_disk_.attempts;
  const auto held =
      std::count_if(attempts.begin(), attempts.end(), [](const auto& one) { return holds(one.first); });
  const auto& resources = consumer_disk_.lease->resources;
  return std::any_of(resources.begin(), resources.end(),
                     [&](const LeasedResource& resource) { return held < resource.instances; });
}

void LeaseWorld::kill_holders(Master& master, int instances) {
  for (auto attempt = master.disk.attempts.rbegin(); attempt != master.disk.attempts.rend() && instances > 0;
       ++attempt) {
    if (!holds(attempt->first) || attempt->second.over) continue;
    say({.kind = Kind::kill, .host = attempt->second.host, .attempt = attempt->first, .term = master.term});
    attempt->second.over = fault_ == Fault::killed_jobs_count_as_over;
    --instances;
  }
}

void LeaseWorld::check_licences() {
  if (!licences_ || !broken.empty()) return;
  int held = 0;
  for (const auto& [host, res] : res_) {
    for (const int attempt : res.running) held += holds(attempt) ? 1 : 0;
    for (const int job : res.locals) held += holds(job) ? 1 : 0;
  }
  if (held > kLicences)
    broken = std::to_string(held) + " jobs hold " + std::to_string(kLicences) + " licences";
}

}  // namespace rollcall::sched::lease
