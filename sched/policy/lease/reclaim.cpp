#include "sched/policy/lease/reclaim.hpp"

#include <algorithm>
#include <numeric>

namespace rollcall::sched::lease {
namespace {

int consumer_idle(const SharedHost& host) { return std::max(host.consumer_has - host.consumer_uses, 0); }
int provider_idle(const SharedHost& host) { return std::max(host.provider_has() - host.provider_uses, 0); }

// Without the slots that the consumer cannot use: the provider's jobs are on these first.
SharedHost usable(const SharedHost& host) {
  SharedHost to = host;
  if (!host.consumer_limit) return to;
  to.slots = std::min(std::max(*host.consumer_limit, host.consumer_uses), host.slots);
  to.consumer_has = std::min(host.consumer_has, to.slots);
  to.provider_uses = std::max(host.provider_uses - (host.slots - to.slots), 0);
  return to;
}

// The first host on which the consumer has an idle slot.
std::optional<std::size_t> first_idle(const std::vector<SharedHost>& hosts) {
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (consumer_idle(hosts[i]) > 0) return i;
  return std::nullopt;
}

std::string slots(long count) { return std::to_string(count) + (count == 1 ? " idle slot" : " idle slots"); }

}  // namespace

Idle idle_slots(const std::vector<SharedHost>& hosts) {
  Idle idle;
  for (const SharedHost& each : hosts) {
    const SharedHost host = usable(each);
    idle.consumer += consumer_idle(host);
    idle.provider += provider_idle(host);
    idle.beyond += each.consumer_has - host.consumer_has;
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
  std::vector<SharedHost> in_use;
  for (const SharedHost& each : hosts) {
    const SharedHost& host = in_use.emplace_back(usable(each));
    const int change = division.to == To::provider   ? -consumer_idle(host)
                       : division.to == To::consumer ? provider_idle(host)
                                                     : 0;
    division.consumer_has.push_back(host.consumer_has + change);
    all += division.consumer_has.back();
  }
  // The reserved slot is one that the consumer has already; if need be one that it cannot use.
  if (all == 0)
    if (const auto reserved = first_idle(in_use).has_value() ? first_idle(in_use) : first_idle(hosts))
      division.consumer_has[*reserved] = 1;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    changes = changes || division.consumer_has[i] != hosts[i].consumer_has;
  if (!changes) division.to = To::nobody;
  if (changes && division.to == To::nobody) division.to = To::beyond;
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
  const std::string beyond = idle.beyond == 0 ? ""
                                              : "; " + std::to_string(idle.beyond) +
                                                    " beyond the consumer's own MXJ: the provider's";
  const std::string compared = " (idle slots count, not demand)" + beyond;
  switch (to) {
    case Division::To::provider:
      return both + "all go to the provider" + compared;
    case Division::To::consumer:
      return both + "all go to the consumer" + compared;
    case Division::To::beyond:
      return both + "they stay" + compared;
    case Division::To::nobody:
      break;
  }
  return both + "the lease stays as it is" + compared;
}

}  // namespace rollcall::sched::lease
