// LeaseOut and a consumer that lies.
#include <limits>

#include "sched/policy/peers/lease_messages.hpp"
#include "tests/unit/sched/mbatchd/lease_out_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::lease::Phase;

// A consumer that lies: each start is refused for what is wrong with it, and the same start without the lie is accepted.
class LeaseOfALyingConsumer : public LeaseOutTest {
 protected:
  LeaseOfALyingConsumer() {
    exports(hosts_lent() +
            "Begin HostExport\nPER_HOST = hostA\nSLOTS = 1\nDISTRIBUTION = ([north, 1])\nEnd HostExport\n");
    lends();
    for (const auto& report : out->reports())
      if (report.cluster == "north") norths = report.id.number;
    EXPECT_NE(norths, 0U);
  }
  sched::lease::LeaseReport of_north() const {
    for (const auto& report : out->reports())
      if (report.cluster == "north") return report;
    return {};
  }
  wire::ForwardOffer good(int id = 1) const { return offer(id, "hostA", lease().number.counter, 0); }
  static wire::LentSlots& more(wire::ForwardOffer& offer, const std::string& host) {
    auto& slots = *offer.add_more_lent();
    slots = offer.lent();
    slots.set_host(host);
    return slots;
  }
  std::uint64_t norths = 0;  // its lease
};

TEST_F(LeaseOfALyingConsumer, StartsNothingUnderTheGrantOfAnother) {
  out->serves("north");
  wire::LeaseAnswer asks;
  asks.set_lease(norths);
  asks.set_wants(true);
  ASSERT_TRUE(out->heard("north", asks));
  flush();
  ASSERT_EQ(of_north().phase, Phase::active);
  auto stolen = good();
  stolen.mutable_lent()->set_lease(norths);
  stolen.mutable_lent()->mutable_under()->set_term(of_north().number.term);
  stolen.mutable_lent()->mutable_under()->set_counter(of_north().number.counter);
  EXPECT_EQ(start(stolen), "the lease is over");
  auto both = good();
  more(both, "hostB").set_lease(norths);
  EXPECT_EQ(start(both), "the lease is over") << "of the second host";
  EXPECT_EQ(start(good()), "");
}

TEST_F(LeaseOfALyingConsumer, NeitherAsksForNorAcknowledgesTheLeaseOfAnother) {
  ASSERT_EQ(of_north().phase, Phase::offered);
  wire::LeaseAnswer lie;
  lie.set_lease(norths);
  lie.set_wants(true);
  said.clear();
  ASSERT_TRUE(out->heard("west", lie));
  flush();
  EXPECT_EQ(of_north().phase, Phase::offered);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().lease_over().lease(), norths) << "as of one that there is not";
}

TEST_F(LeaseOfALyingConsumer, StartsNothingUnderAnyOtherNumber) {
  const auto number = lease().number;
  for (const auto& [term, counter] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {number.term, number.counter - 1},
           {number.term, number.counter + 1},
           {number.term - 1, number.counter},
           {number.term + 1, number.counter},
           {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()},
           {0, 0}}) {
    auto lie = good();
    lie.mutable_lent()->mutable_under()->set_term(term);
    lie.mutable_lent()->mutable_under()->set_counter(counter);
    EXPECT_EQ(start(lie), "the lease has changed") << term << "." << counter;
  }
  EXPECT_EQ(start(good()), "");
}

TEST_F(LeaseOfALyingConsumer, HasNoMoreSlotsThanItsGrant) {
  for (const int slots : {3, 0, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    auto lie = good();
    lie.mutable_lent()->set_slots(slots);
    EXPECT_EQ(start(lie), "the lease has changed") << slots;
  }
  auto twice = good();
  more(twice, "hostA");
  EXPECT_EQ(start(twice), "the job has a host twice");
  for (const int slots : {3, -1}) {
    auto second = good();
    more(second, "hostB").set_slots(slots);
    EXPECT_EQ(start(second), "the lease has changed") << "of the second host: " << slots;
  }
  ASSERT_EQ(start(good(1)), "");
  const std::string kInUse = "the slots of the lease on host hostA are in use";
  auto two = good(2);
  two.mutable_lent()->set_slots(2);
  EXPECT_EQ(start(two), kInUse) << "one is used";
  EXPECT_EQ(start(good(3)), "");
  EXPECT_EQ(start(good(4)), kInUse) << "both are used";
}

// What RES runs may have been started by another master.
TEST_F(LeaseOfALyingConsumer, StartsNothingBeforeResHasReported) {
  const std::string kNotHeard = "RES of host hostA has not told yet which jobs of leases it has";
  const auto start_of = good();
  begin();
  ASSERT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(start(start_of), kNotHeard);
  res_comes("hostB");
  EXPECT_EQ(start(start_of), kNotHeard) << "another host";
  res_comes("hostA");
  EXPECT_EQ(start(start_of), "");
}

TEST_F(LeaseOfALyingConsumer, SendsOffersThatHaveSense) {
  auto elsewhere = good();
  elsewhere.mutable_attempt()->set_lent_host("hostB");
  EXPECT_EQ(start(elsewhere), "the attempt names another host");
  auto nowhere = good();
  nowhere.clear_lent();
  EXPECT_EQ(start(nowhere), "the attempt names another host");
  for (const std::string& queue :
       {std::string(), std::string("a b"), std::string("q\033[2J"), std::string(10'000, 'q')}) {
    auto odd = good();
    odd.mutable_lent()->set_queue(queue);
    EXPECT_EQ(start(odd), "the queue has a malformed name") << queue;
  }
  auto many = good();
  for (int i = 0; i < sched::peers::kMostLeasedHosts; ++i) more(many, "h" + std::to_string(i));
  EXPECT_EQ(start(many), "the job has too many hosts");
  auto part = good();
  part.mutable_attempt()->set_part(true);
  EXPECT_EQ(start(part), "the attempt is a part, or is none");
  auto strange = good();
  strange.mutable_attempt()->set_lent_host("hostC");
  strange.mutable_lent()->set_host("hostC");
  EXPECT_EQ(start(strange), "the lease has changed") << "a host that is not lent";
  EXPECT_EQ(start(good()), "");
}

}  // namespace
}  // namespace rollcall::mbatchd
