// To whom idle slots go: the rows of the manual's table, and every division against a brute force that moves single slots.
#include "sched/policy/lease/reclaim.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
TEST(LeaseReclaim, ReservesOneIdleSlotAtFirst) {
  EXPECT_EQ(reserve_one({{2, 0, 0, 2}, {2, 0, 0, 1}}), (std::vector<int>{0, 1}));
  EXPECT_EQ(reserve_one({{2, 0, 0, 2}}), std::vector<int>{0});
}
TEST(LeaseReclaim, SaysThatDemandDoesNotCount) {
  EXPECT_EQ(reclaim_reason({3, 1}, To::provider),
            "3 idle slots of the consumer, 1 of the provider: all go to the provider (idle slots count, not "
            "demand)");
  EXPECT_EQ(reclaim_reason({1, 1}, To::nobody),
            "1 idle slot of the consumer, 1 of the provider: the lease stays as it is");
}

// ---------------------------------------------------------------- brute force: one entry for each slot

struct OneSlot {
  std::size_t host = 0;
  bool consumers = false, used = false;
};
std::vector<OneSlot> single_slots(const std::vector<SharedHost>& hosts) {
  std::vector<OneSlot> all;
  for (std::size_t host = 0; host < hosts.size(); ++host)
    for (int i = 0; i < hosts[host].slots; ++i) {
      const bool consumers = i < hosts[host].consumer_has;
      const int place = consumers ? i : i - hosts[host].consumer_has;
      all.push_back(
          {host, consumers, place < (consumers ? hosts[host].consumer_uses : hosts[host].provider_uses)});
    }
  return all;
}
std::vector<int> consumers_slots(const std::vector<OneSlot>& all, std::size_t hosts) {
  std::vector<int> has(hosts, 0);
  for (const OneSlot& slot : all) has[slot.host] += slot.consumers ? 1 : 0;
  return has;
}
std::vector<int> brute_force(const std::vector<SharedHost>& hosts) {
  std::vector<OneSlot> all = single_slots(hosts);
  long of_consumer = 0, of_provider = 0;
  for (const OneSlot& slot : all)
    if (!slot.used) ++(slot.consumers ? of_consumer : of_provider);
  const bool to_consumer = of_provider > of_consumer;
  if (of_provider != of_consumer) {
    bool keep_one = !to_consumer;  // where the consumer uses none
    for (const OneSlot& slot : all) keep_one = keep_one && !(slot.consumers && slot.used);
    for (OneSlot& slot : all)
      if (!slot.used) {
        if (keep_one && slot.consumers) {
          keep_one = false;
          continue;
        }
        slot.consumers = to_consumer;
      }
  }
  return consumers_slots(all, hosts.size());
}

std::vector<SharedHost> random_hosts() {
  std::vector<SharedHost> hosts;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
    SharedHost host;
    host.slots = *rc::gen::inRange(0, 6);
    host.consumer_has = *rc::gen::inRange(0, host.slots + 1);
    host.consumer_uses = *rc::gen::inRange(0, host.consumer_has + 1);
    host.provider_uses = *rc::gen::inRange(0, host.provider_has() + 1);
    hosts.push_back(host);
  }
  return hosts;
}

RC_GTEST_PROP(LeaseReclaimProperty, AgreesWithSlotsThatAreMovedOneByOne, ()) {
  const auto hosts = random_hosts();
  const Division division = reclaim(hosts);
  RC_ASSERT(division.consumer_has == brute_force(hosts));
  if (division.to == To::nobody)
    for (std::size_t i = 0; i < hosts.size(); ++i)
      RC_ASSERT(division.consumer_has[i] == hosts[i].consumer_has);
}

RC_GTEST_PROP(LeaseReclaimProperty, LeavesUsedSlotsWithTheirSide, ()) {
  const auto hosts = random_hosts();
  const Division division = reclaim(hosts);
  long had = 0, has = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    RC_ASSERT(division.consumer_has[i] >= hosts[i].consumer_uses);
    RC_ASSERT(hosts[i].slots - division.consumer_has[i] >= hosts[i].provider_uses);
    had += hosts[i].consumer_has;
    has += division.consumer_has[i];
  }
  RC_ASSERT(had == 0 || has > 0);
}

}  // namespace
}  // namespace rollcall::sched::lease
