// LeaseWorld: what must hold, and what is told of a world in which it did not.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {
namespace {

int slots_of(const ProviderLease& lease) {
  int slots = 0;
  for (const LentHost& host : lease.hosts) slots += host.has.slots;
  return slots;
}

std::string line_of(const ProviderLease& lease) {
  std::string line = " " + lease::text(lease.id) + " of " + lease.consumer + " " +
                     std::string(lease::text(lease.phase)) + (lease.withdrawn ? " withdrawn " : " ") +
                     lease::text(lease.number) + " acknowledged " + lease::text(lease.acknowledged);
  for (const LentHost& host : lease.hosts)
    line += " " + host.has.host + ":" + std::to_string(host.has.slots) + "/" + std::to_string(host.wanted) +
            (host.kills ? "!" : "") + " told " + std::to_string(host.told);
  for (const LentResource& resource : lease.resources)
    line += " " + resource.has.name + ":" + std::to_string(resource.has.instances) + "/" +
            std::to_string(resource.wanted) + (resource.kills ? "!" : "");
  return line;
}

}  // namespace

void LeaseWorld::check() {
  if (!broken.empty()) return;
  check_slots();
  check_licences();
}

// Slots of PER_HOST without TYPE=shared are the consumers' alone, and the provider's own are its own.
void LeaseWorld::check_slots() {
  for (const auto& [host, own] : slots_) {
    const int of_consumers = static_cast<int>(res_[host].running.size());
    const int of_provider = static_cast<int>(res_[host].locals.size());
    if (lends_ == Lends::slots_per_host) {
      check_jobs(host, of_consumers, kAdded);
      check_jobs(host, of_provider, own);
    } else {
      check_jobs(host, of_consumers + of_provider, most_slots(host));
    }
  }
  if (several() && broken.empty()) check_lent_slots();
}

void LeaseWorld::check_jobs(const std::string& host, int run, int slots) {
  if (run > slots && broken.empty())
    broken = "host " + host + " runs " + std::to_string(run) + " jobs on " + std::to_string(slots) + " slots";
}

// Slots in the hands of two consumers, whether jobs run there or not.
void LeaseWorld::check_lent_slots() {
  std::map<std::string, int> lent;
  for (const auto& [number, of] : provider_disk_.leases)
    for (const LentHost& host : of.lease.hosts) lent[host.has.host] += host.has.slots;
  for (const auto& [host, slots] : lent)
    if (const int most = adds_slots() ? kAdded : slots_.at(host); slots > most)
      broken =
          std::to_string(slots) + " slots of host " + host + " are lent, which has " + std::to_string(most);
}

std::string LeaseWorld::text() const {
  std::string all = "provider term " + std::to_string(real_.term);
  for (const auto& [number, of] : real_.disk.leases) all += line_of(of.lease) + ";";
  for (const auto& [number, attempt] : real_.disk.attempts)
    if (!attempt.over) all += " has " + std::to_string(number) + "@" + attempt.host;
  for (const auto& [number, host] : real_.disk.locals)
    all += " has its own " + std::to_string(number) + "@" + host;
  for (const ConsumerSide& consumer : consumers_) {
    all += "; " + consumer.cluster + " term " + std::to_string(consumer.term);
    for (const auto& [number, lease] : consumer.leases) {
      all += " " + lease::text(lease.id) + " " + std::string(lease::text(lease.phase)) + " " +
             lease::text(lease.number);
      for (const LeasedHost& host : lease.hosts)
        all += " " + host.host + ":" + std::to_string(host.slots) + (host.whole ? "*" : "");
      for (const LeasedResource& resource : lease.resources)
        all += " " + resource.name + ":" + std::to_string(resource.instances);
    }
    for (const auto& [number, attempt] : consumer.attempts)
      all += (attempt.accepted ? " has " : " said ") + std::to_string(number) + "@" + attempt.host;
  }
  for (const auto& [host, res] : res_)
    all += "; " + host + " runs " + std::to_string(res.running.size()) + " and " +
           std::to_string(res.locals.size()) + " of its own, term " + std::to_string(res.term);
  return all;
}

bool LeaseWorld::gone() const {
  return real_.disk.leases.empty() &&
         std::all_of(consumers_.begin(), consumers_.end(),
                     [](const ConsumerSide& consumer) { return consumer.leases.empty(); });
}

bool LeaseWorld::agree() const {
  // Left out of the comparison, as no message tells of them: resources without an instance, and hosts without a slot that do not stay.
  const auto told = [this](std::vector<LeasedHost> hosts, std::vector<LeasedResource> resources) {
    if (several()) {
      std::erase_if(hosts, [](const LeasedHost& host) { return !host.known(); });
      std::erase_if(resources, [](const LeasedResource& resource) { return resource.instances == 0; });
    }
    return std::pair(std::move(hosts), std::move(resources));
  };
  std::size_t known = 0;
  for (const ConsumerSide& consumer : consumers_)
    for (const auto& [number, lease] : consumer.leases) {
      const auto of = real_.disk.leases.find(number);
      if (of == real_.disk.leases.end() || of->second.lease.consumer != consumer.cluster) return false;
      const ProviderLease& lent = of->second.lease;
      if (lent.number != lease.number || lent.phase != lease.phase ||
          told(told_hosts(lent), told_resources(lent)) != told(lease.hosts, lease.resources))
        return false;
      ++known;
    }
  return known == real_.disk.leases.size();
}

std::string LeaseWorld::wrong_lease(const ProviderLease& lease) const {
  const Phase phase = slots_of(lease) > 0 ? Phase::active : Phase::requested;
  if (lease.phase != phase) return "the lease is " + std::string(lease::text(lease.phase));
  if (lease.acknowledged != lease.number) return "the consumer has not acknowledged the number";
  for (const LentHost& host : lease.hosts)
    if (host.has.slots != host.wanted || host.kills || host.has.slots > most_slots(host.has.host))
      return "host " + host.has.host + " has other slots than it is to have";
  for (const LentResource& resource : lease.resources)
    if (resource.has.instances != resource.wanted || resource.kills)
      return resource.has.name + " has other instances than it is to have";
  return "";
}

std::string LeaseWorld::job_left_over() const {
  const auto runs = [](const auto& attempt) { return !attempt.second.over; };
  if (std::any_of(consumers_.begin(), consumers_.end(),
                  [](const ConsumerSide& consumer) { return !consumer.attempts.empty(); }) ||
      !real_.disk.locals.empty() || std::any_of(real_.disk.attempts.begin(), real_.disk.attempts.end(), runs))
    return "a job that is over is not known to be";
  return "";
}

std::string LeaseWorld::wrong_end(int slots) const {
  if (!agree()) return "the sides do not agree";
  if (real_.disk.leases.empty()) return "there is no lease";
  const ProviderLease& lease = real_.disk.leases.begin()->second.lease;
  if (const std::string wrong = wrong_lease(lease); !wrong.empty()) return wrong;
  if (slots_of(lease) != slots) return "the lease has " + std::to_string(slots_of(lease)) + " slots";
  return job_left_over();
}

}  // namespace rollcall::sched::lease
