// To whom idle slots go: the rows of the manual's table, and every division against a brute force that moves single slots.
#include "sched/policy/lease/reclaim.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace rollcall::sched::lease {
namespace {

using To = Division::To;

TEST(LeaseReclaim, GivesTheConsumersIdleSlotsToTheProvider) {
  EXPECT_EQ(reclaim({{4, 4, 1, 0}}), (Division{To::provider, {1}}));
}
TEST(LeaseReclaim, GivesTheProvidersIdleSlotsToTheConsumer) {
  EXPECT_EQ(reclaim({{4, 1, 1, 1}, {2, 0, 0, 0}}), (Division{To::consumer, {3, 2}}));
}
TEST(LeaseReclaim, ChangesNothingWhereBothHaveEquallyMany) {
  EXPECT_EQ(reclaim({{4, 2, 1, 1}}), (Division{To::nobody, {2}}));
}
TEST(LeaseReclaim, LeavesOneSlotToTheConsumer) {
  EXPECT_EQ(reclaim({{4, 4, 0, 0}, {2, 2, 0, 0}}), (Division{To::provider, {1, 0}}));
}
// Else the lease would become inactive every ten minutes for nothing.
TEST(LeaseReclaim, DoesNotMoveTheReservedSlotAlone) {
  EXPECT_EQ(reclaim({{4, 1, 0, 3}}), (Division{To::nobody, {1}}));
}
// A number of MXJ in the consumer's lsb.hosts. Without it idle slots would change sides at each reclaim.
TEST(LeaseReclaim, GivesNoSlotsThatTheConsumerCannotUse) {
  EXPECT_EQ(reclaim({{4, 1, 1, 0, 2}}), (Division{To::consumer, {2}}));
  EXPECT_EQ(reclaim({{4, 2, 2, 0, 2}}), (Division{To::nobody, {2}}));
  EXPECT_EQ(reclaim({{4, 4, 2, 0, 2}}), (Division{To::beyond, {2}})) << "it has told its limit since";
  EXPECT_EQ(reclaim({{4, 4, 3, 0, 2}}), (Division{To::beyond, {3}})) << "used ones stay";
  EXPECT_EQ(reclaim({{4, 1, 1, 2, 2}}), (Division{To::consumer, {2}}))
      << "the provider's jobs are on the others";
}
TEST(LeaseReclaim, ReservesASlotThatCanBeUsedWhereThereIsOne) {
  EXPECT_EQ(reclaim({{2, 2, 0, 0, 0}, {2, 2, 0, 0}}), (Division{To::provider, {0, 1}}));
  EXPECT_EQ(reclaim({{2, 2, 0, 0, 0}}), (Division{To::beyond, {1}}));
  EXPECT_EQ(reclaim({{2, 1, 0, 0, 0}}), (Division{To::nobody, {1}}));
}
TEST(LeaseReclaim, ReservesOneIdleSlotAtFirst) {
  EXPECT_EQ(reserve_one({{2, 0, 0, 2}, {2, 0, 0, 1}}), (std::vector<int>{0, 1}));
  EXPECT_EQ(reserve_one({{2, 0, 0, 2}}), std::vector<int>{0});
}
TEST(LeaseReclaim, SaysThatDemandDoesNotCount) {
  EXPECT_EQ(reclaim_reason({3, 1}, To::provider),
            "3 idle slots of the consumer, 1 of the provider: all go to the provider (idle slots count, not "
            "demand)");
  EXPECT_EQ(reclaim_reason({1, 1}, To::nobody),
            "1 idle slot of the consumer, 1 of the provider: the lease stays as it is (idle slots count, not "
            "demand)");
  EXPECT_EQ(idle_slots({{4, 4, 1, 0, 2}}), (Idle{1, 0, 2}));
  EXPECT_EQ(reclaim_reason({1, 0, 2}, To::provider),
            "1 idle slot of the consumer, 0 of the provider: all go to the provider (idle slots count, not "
            "demand); 2 beyond the consumer's own MXJ: the provider's");
  EXPECT_EQ(
      reclaim_reason({2, 2, 1}, To::beyond),
      "2 idle slots of the consumer, 2 of the provider: they stay (idle slots count, not demand); 1 beyond "
      "the consumer's own MXJ: the provider's");
}

// ---------------------------------------------------------------- brute force: one entry for each slot

struct OneSlot {
  std::size_t host = 0;
  bool consumers = false, used = false;
  bool beyond = false;  // the consumer cannot use it
};
// Slots of the host that are of no use to the consumer: idle ones of its own, then those with jobs of the provider's, then idle ones.
void mark_beyond(std::vector<OneSlot>& all, std::size_t host, const SharedHost& of) {
  if (!of.consumer_limit) return;
  const int keeps = std::min(of.slots, std::max(*of.consumer_limit, of.consumer_uses));
  const auto mark = [&](bool consumers, bool used, int count) {
    for (OneSlot& slot : all)
      if (count > 0 && slot.host == host && slot.consumers == consumers && slot.used == used)
        slot.beyond = true, --count;
    return count;
  };
  const int of_its_own = std::max(0, of.consumer_has - keeps);
  mark(true, false, of_its_own);
  mark(false, false, mark(false, true, of.slots - keeps - of_its_own));
}
std::vector<OneSlot> single_slots(const std::vector<SharedHost>& hosts) {
  std::vector<OneSlot> all;
  for (std::size_t host = 0; host < hosts.size(); ++host)
    for (int i = 0; i < hosts[host].slots; ++i) {
      const bool consumers = i < hosts[host].consumer_has;
      const int place = consumers ? i : i - hosts[host].consumer_has;
      all.push_back(
          {host, consumers, place < (consumers ? hosts[host].consumer_uses : hosts[host].provider_uses)});
    }
  for (std::size_t host = 0; host < hosts.size(); ++host) mark_beyond(all, host, hosts[host]);
  return all;
}
std::vector<int> consumers_slots(const std::vector<OneSlot>& all, std::size_t hosts) {
  std::vector<int> has(hosts, 0);
  for (const OneSlot& slot : all) has[slot.host] += slot.consumers ? 1 : 0;
  return has;
}
Division brute_force(const std::vector<SharedHost>& hosts) {
  const std::vector<OneSlot> before = single_slots(hosts);
  std::vector<OneSlot> all = before;
  long of_consumer = 0, of_provider = 0;
  for (OneSlot& slot : all) {
    slot.consumers = slot.consumers && !slot.beyond;
    if (!slot.used && !slot.beyond) ++(slot.consumers ? of_consumer : of_provider);
  }
  if (of_provider != of_consumer)
    for (OneSlot& slot : all)
      if (!slot.used && !slot.beyond) slot.consumers = of_provider > of_consumer;
  const auto none = [&] {
    return std::none_of(all.begin(), all.end(), [](const OneSlot& slot) { return slot.consumers; });
  };
  for (const bool beyond : {false, true})
    for (std::size_t i = 0; i < all.size(); ++i)
      if (before[i].consumers && !before[i].used && before[i].beyond == beyond && none())
        all[i].consumers = true;
  const auto to = of_provider > of_consumer   ? To::consumer
                  : of_consumer > of_provider ? To::provider
                                              : To::beyond;
  const std::vector<int> has = consumers_slots(all, hosts.size());
  return {has == consumers_slots(before, hosts.size()) ? To::nobody : to, has};
}

// On every other host a side may use more than it has: other jobs of the provider than those on slots of the lease, or a division that is old.
std::vector<SharedHost> random_hosts() {
  std::vector<SharedHost> hosts;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
    SharedHost host;
    host.slots = *rc::gen::inRange(0, 6);
    host.consumer_has = *rc::gen::inRange(0, host.slots + 1);
    const bool too_many = *rc::gen::arbitrary<bool>();
    host.consumer_uses = *rc::gen::inRange(0, (too_many ? host.slots + 1 : host.consumer_has) + 1);
    host.provider_uses = *rc::gen::inRange(0, (too_many ? host.slots + 1 : host.provider_has()) + 1);
    if (*rc::gen::arbitrary<bool>()) host.consumer_limit = *rc::gen::inRange(0, 7);
    hosts.push_back(host);
  }
  return hosts;
}

RC_GTEST_PROP(LeaseReclaimProperty, AgreesWithSlotsThatAreMovedOneByOne, ()) {
  const auto hosts = random_hosts();
  RC_ASSERT(reclaim(hosts) == brute_force(hosts));
}

RC_GTEST_PROP(LeaseReclaimProperty, LeavesUsedSlotsWithTheirSide, ()) {
  const auto hosts = random_hosts();
  const Division division = reclaim(hosts);
  long had = 0, has = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    RC_ASSERT(division.consumer_has[i] >= std::min(hosts[i].consumer_uses, hosts[i].consumer_has));
    RC_ASSERT(hosts[i].slots - division.consumer_has[i] >=
              std::min(hosts[i].provider_uses, hosts[i].provider_has()));
    RC_ASSERT(division.consumer_has[i] >= 0 && division.consumer_has[i] <= hosts[i].slots);
    had += hosts[i].consumer_has;
    has += division.consumer_has[i];
  }
  RC_ASSERT(had == 0 || has > 0);
}

}  // namespace
}  // namespace rollcall::sched::lease
