// Properties of exports: a whole host is exported once, there are no more than NHOSTS, and a chosen host stays with its consumer when other
// hosts go down, come up, or are taken out of the cluster.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/unit/sched/lease/farm.hpp"

namespace rollcall::sched::lease {
namespace {

int number(int from, int to) { return *rc::gen::inRange(from, to + 1); }

Farm random_farm() {
  Farm farm;
  const int hosts = number(0, 12);
  for (int i = 0; i < hosts; ++i)
    farm.add("h" + std::to_string(i), number(0, 2) ? "LINUX" : "SUN", number(1, 4), number(0, 3) > 0);
  const int policies = number(1, 3);
  for (int i = 0; i < policies; ++i) {
    std::vector<Consumer> consumers;
    for (int c = number(1, 3); c > 0; --c) consumers.push_back({"C" + std::to_string(c), number(1, 5)});
    farm.policies.push_back(chosen_by(number(0, 1) ? "type==LINUX" : "type==any", number(1, 8), consumers));
  }
  return farm;
}

std::map<std::string, std::string> owners(const std::vector<Offer>& offers) {
  std::map<std::string, std::string> all;
  for (const Offer& offer : offers)
    for (const LeasedHost& host : offer.hosts) {
      const bool new_one = all.emplace(host.host, std::to_string(offer.policy) + offer.consumer).second;
      RC_ASSERT(new_one);
    }
  return all;
}

RC_GTEST_PROP(LeaseExportsProperty, AChosenHostStaysWithItsConsumerWhileHostsComeAndGo, ()) {
  Farm farm = random_farm();
  std::map<std::string, std::string> before;
  for (int round = 0; round < 5; ++round) {
    const auto offers = farm.offers();
    const auto now = owners(offers);
    for (const auto& [host, owner] : before)
      RC_ASSERT(!farm.has(host) || (now.contains(host) && now.at(host) == owner));
    std::vector<int> of_policy(farm.policies.size(), 0);
    for (const Offer& offer : offers) of_policy[offer.policy] += static_cast<int>(offer.hosts.size());
    for (std::size_t i = 0; i < of_policy.size(); ++i) RC_ASSERT(of_policy[i] <= farm.policies[i].most_hosts);
    farm.keep(offers);
    before = now;
    std::erase_if(farm.hosts, [](const ExportHost&) { return number(0, 9) == 0; });
    for (ExportHost& host : farm.hosts) host.up = number(0, 3) > 0;
  }
}

// As many as can be: of the hosts that fit, up to NHOSTS, and a change keeps each consumer's hosts up to its new part.
RC_GTEST_PROP(LeaseExportsProperty, AChangedPolicyLosesNoMoreHostsThanItMust, ()) {
  Farm farm = random_farm();
  farm.policies.resize(1);
  const auto old_offers = farm.offers();
  farm.keep(old_offers, false);
  farm.policies[0].most_hosts = number(1, 8);
  const auto new_offers = farm.offers();
  owners(new_offers);
  for (std::size_t i = 0; i < new_offers.size(); ++i) {
    std::size_t kept = 0;
    for (const LeasedHost& host : new_offers[i].hosts)
      for (const LeasedHost& old : old_offers[i].hosts) kept += host.host == old.host ? 1 : 0;
    RC_ASSERT(kept == std::min(new_offers[i].hosts.size(), old_offers[i].hosts.size()));
  }
}

}  // namespace
}  // namespace rollcall::sched::lease
