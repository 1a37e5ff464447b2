// LeaseWorld: instances of a shared resource of all hosts, which every other job holds.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

std::vector<std::string> LeaseWorld::host_names() const {
  std::vector<std::string> names;
  for (const auto& [host, slots] : slots_) names.push_back(host);
  return names;
}

std::vector<LeasedResource> LeaseWorld::lends(int instances) const {
  if (licences_ == Licences::none || instances == 0) return {};
  return {{"lic", instances, host_names()}};
}

// None: by all leases.
int LeaseWorld::licences_used(const Master& master, std::optional<std::uint64_t> lease) const {
  return static_cast<int>(
      std::count_if(master.disk.attempts.begin(), master.disk.attempts.end(), [&](const auto& attempt) {
        return holds(attempt.first) && !attempt.second.over && (!lease || attempt.second.lease == *lease);
      }));
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

ResourceInstance LeaseWorld::licence_instance(const Master& master) const {
  ResourceInstance instance;
  instance.resource = "lic";
  instance.hosts = host_names();
  instance.dynamic = licences_ == Licences::reported;
  instance.there = told_free();
  if (fault_ == Fault::reservations_are_taken_as_checked_out) instance.there += licences_used(master);
  if (fault_ != Fault::local_instances_are_not_counted)
    for (const auto& [job, host] : master.disk.locals) instance.own += holds(job) ? 1 : 0;
  return instance;
}

ResourcesNow LeaseWorld::licences_now(const Master& master, const LeaseOfPolicy& of) const {
  if (licences_ == Licences::none) return {};
  std::vector<const LeaseOfPolicy*> all;
  HeldByAttempts held;
  for (const LeaseOfPolicy* each : all_leases(master)) {
    const std::uint64_t number = each->lease.id.number;
    held[{number, "lic"}] = licences_used(master, number);
    const bool other =
        number != of.lease.id.number && of.lease.id.number != 0;  // 0: the provider asks itself
    if (!other || fault_ != Fault::instances_of_other_leases_are_not_counted) all.push_back(each);
  }
  if (fault_ == Fault::lent_instances_are_not_counted) all.clear();
  ResourcesNow now = resources_now(of, all, {licence_instance(master)}, own_hosts(master), held);
  if (!all_heard(master) && fault_ != Fault::instances_are_used_before_res_has_reported)
    for (auto& [name, here] : now) here.free = 0;
  return now;
}

// For the provider's own jobs.
int LeaseWorld::licences_free(const Master& master) const {
  LeaseOfPolicy asks;
  asks.lease.resources.push_back({{"lic", 0, host_names()}, 0, false});
  return licences_now(master, asks).at("lic").free;
}

int LeaseWorld::lent_licences() const {
  int lent = 0;
  for (const auto& [number, of] : real_.disk.leases)
    for (const LentResource& resource : of.lease.resources) lent += resource.has.instances;
  return lent;
}

bool LeaseWorld::all_heard(const Master& master) const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [&](const auto& host) { return master.heard.contains(host.first); });
}

bool LeaseWorld::may_hold(const Master& master, const LeaseOfPolicy& of, int attempt) const {
  if (licences_ == Licences::none || !holds(attempt) || fault_ == Fault::start_beyond_the_instances_is_passed)
    return true;
  const auto& resources = of.lease.resources;
  return std::any_of(resources.begin(), resources.end(), [&](const LentResource& resource) {
    return !has_left(of.lease, resource) &&
           licences_used(master, of.lease.id.number) < resource.has.instances;
  });
}

bool LeaseWorld::consumer_may_hold(const ConsumerSide& consumer, const ConsumerLease& lease,
                                   int attempt) const {
  if (!holds(attempt)) return true;
  // This consumer counts badly where the provider must notice it.
  if (fault_ == Fault::start_beyond_the_instances_is_passed) return true;
  const auto held = std::count_if(consumer.attempts.begin(), consumer.attempts.end(), [&](const auto& one) {
    return holds(one.first) && one.second.lease == lease.id.number;
  });
  return std::any_of(lease.resources.begin(), lease.resources.end(),
                     [&](const LeasedResource& resource) { return held < resource.instances; });
}

void LeaseWorld::kill_holders(Master& master, std::uint64_t lease, int instances) {
  for (auto attempt = master.disk.attempts.rbegin(); attempt != master.disk.attempts.rend() && instances > 0;
       ++attempt) {
    if (!holds(attempt->first) || attempt->second.over || attempt->second.lease != lease) continue;
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
