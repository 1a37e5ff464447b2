#include "sched/policy/lease/reclaim.hpp"

#include <algorithm>
#include <numeric>

namespace rollcall::sched::lease {
namespace {

int consumer_idle(const SharedHost& host) { return std::max(host.consumer_has - host.consumer_uses, 0); }
int provider_idle(const SharedHost& host) { return std::max(host.provider_has() - host.provider_uses, 0); }

std::string slots(long count) { return std::to_string(count) + (count == 1 ? " idle slot" : " idle slots"); }

}  // namespace

Idle idle_slots(const std::vector<SharedHost>& hosts) {
  Idle idle;
  for (const SharedHost& host : hosts) {
    idle.consumer += consumer_idle(host);
    idle.provider += provider_idle(host);
  }
  return idle;
}

Division reclaim(const std::vector<SharedHost>& hosts) {
  using To = Division::To;
  const Idle idle = idle_slots(hosts);
  Division division;
  division.to = idle.consumer > idle.provider   ? To::provider
                : idle.provider > idle.consumer ? To::consumer
                                                : To::nobody;
  long all = 0;
  bool changes = false;
  for (const SharedHost& host : hosts) {
    const int change = division.to == To::provider   ? -consumer_idle(host)
                       : division.to == To::consumer ? provider_idle(host)
                                                     : 0;
    division.consumer_has.push_back(host.consumer_has + change);
    all += division.consumer_has.back();
  }
  // The reserved slot is one that the consumer has already.
  if (division.to == To::provider && all == 0)
    for (std::size_t i = 0; i < hosts.size() && all == 0; ++i)
      if (consumer_idle(hosts[i]) > 0) all = division.consumer_has[i] = 1;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    changes = changes || division.consumer_has[i] != hosts[i].consumer_has;
  if (!changes) division.to = To::nobody;
  return division;
}

std::vector<int> reserve_one(const std::vector<SharedHost>& hosts) {
  std::vector<int> has(hosts.size(), 0);
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (hosts[i].slots > hosts[i].provider_uses) {
      has[i] = 1;
      break;
    }
  return has;
}

std::string reclaim_reason(const Idle& idle, Division::To to) {
  const std::string both =
      slots(idle.consumer) + " of the consumer, " + std::to_string(idle.provider) + " of the provider: ";
  switch (to) {
    case Division::To::provider:
      return both + "all go to the provider (idle slots count, not demand)";
    case Division::To::consumer:
      return both + "all go to the consumer (idle slots count, not demand)";
    case Division::To::nobody:
      break;
  }
  return both + "the lease stays as it is";
}

}  // namespace rollcall::sched::lease
