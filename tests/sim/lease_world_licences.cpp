// LeaseWorld: instances of a shared resource of both hosts, which every other job holds.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

std::vector<LeasedResource> LeaseWorld::lends(int instances) const {
  if (licences_ == Licences::none || instances == 0) return {};
  return {{"lic", instances, {"a", "b"}}};
}

int LeaseWorld::licences_used(const Master& master) const {
  return static_cast<int>(
      std::count_if(master.disk.attempts.begin(), master.disk.attempts.end(),
                    [](const auto& attempt) { return holds(attempt.first) && !attempt.second.over; }));
}

std::set<std::pair<std::string, int>> LeaseWorld::running_holders() const {
  std::set<std::pair<std::string, int>> running;
  for (const auto& [host, res] : res_) {
    for (const int attempt : res.running)
      if (holds(attempt)) running.emplace(host, attempt);
    for (const int job : res.locals)
      if (holds(job)) running.emplace(host, -job);
  }
  return running;
}

// On the licence server: a licence comes back when its job ends. The elim asks now and then.
void LeaseWorld::check_out_or_tell() {
  if (licences_ != Licences::reported) return;
  const auto running = running_holders();
  std::erase_if(checked_out_, [&](const auto& one) { return !running.contains(one); });
  for (const auto& one : running)
    if (!unreliable_ || one_in(6)) checked_out_.insert(one);
  if (!unreliable_ || one_in(4)) reported_ = kLicences - static_cast<int>(checked_out_.size());
}

int LeaseWorld::told_free() const { return licences_ == Licences::reported ? reported_ : kLicences; }

int LeaseWorld::licences_free(const Master& master) const {
  if (!all_heard(master) && fault_ != Fault::instances_are_used_before_res_has_reported) return 0;
  const std::vector<std::string> both{"a", "b"};
  ResourceInstance instance;
  instance.resource = "lic";
  instance.hosts = both;
  instance.dynamic = licences_ == Licences::reported;
  instance.there = told_free();
  const double used = licences_used(master);
  if (fault_ == Fault::reservations_are_taken_as_checked_out) instance.there += used;
  if (fault_ != Fault::local_instances_are_not_counted)
    for (const auto& [job, host] : master.disk.locals) instance.own += holds(job) ? 1 : 0;
  LeaseOfPolicy lent, asks;
  if (master.disk.lease) lent.lease = *master.disk.lease;
  asks.lease.resources.push_back({{"lic", 0, both}, 0, false});
  std::map<std::string, OwnHost> own;
  for (const auto& [host, slots] : slots_) own[host].known = true;
  std::vector<const LeaseOfPolicy*> all{&lent};
  if (fault_ == Fault::lent_instances_are_not_counted) all.clear();
  const auto now = sched::lease::resources_now(asks, all, {instance}, own, {{{kLease, "lic"}, used}});
  return now.at("lic").free;
}

int LeaseWorld::lent_licences() const {
  return real_.disk.lease && !real_.disk.lease->resources.empty()
             ? real_.disk.lease->resources.front().has.instances
             : 0;
}

ResourcesNow LeaseWorld::resources_now_of(const Master& master) const {
  if (licences_ == Licences::none) return {};
  return {{"lic", {licences_used(master), licences_free(master)}}};
}

bool LeaseWorld::all_heard(const Master& master) const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [&](const auto& host) { return master.heard.contains(host.first); });
}

bool LeaseWorld::may_hold(const Master& master, int attempt) const {
  if (licences_ == Licences::none || !holds(attempt) || fault_ == Fault::start_beyond_the_instances_is_passed)
    return true;
  const auto& resources = master.disk.lease->resources;
  return std::any_of(resources.begin(), resources.end(), [&](const LentResource& resource) {
    return !has_left(*master.disk.lease, resource) && licences_used(master) < resource.has.instances;
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
  if (licences_ == Licences::none || !broken.empty()) return;
  if (const auto held = running_holders().size(); held > kLicences)
    broken = std::to_string(held) + " jobs hold " + std::to_string(kLicences) + " licences";
}

}  // namespace rollcall::sched::lease
