// LeaseOut: what answers and starts of a consumer cost, and what becomes of leases of a consumer that is dead.
#include "tests/unit/sched/mbatchd/lease_out_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::lease::Phase;

TEST_F(LeaseOutTest, LendsSlotsAndLicences) {
  lends();
  EXPECT_EQ(lease().hosts.size(), 2U);
  EXPECT_EQ(lent(), 3);
  EXPECT_EQ(start(1, "hostA", 2), "");
  EXPECT_EQ(start(2, "hostB", 2), "resource lic is in use");
  EXPECT_EQ(start(3, "hostB", 1), "");
  EXPECT_EQ(start(4, "hostB", 0), "");
  EXPECT_EQ(start(5, "hostB", 0), "the lease has changed") << "it has no third slot";
  EXPECT_EQ(start(offer(6, "hostA", lease().number.counter - 1, 0)), "the lease has changed");
}

// hostB and west are dead, and the policy takes licences away.
class LeaseOfADeadConsumer : public LeaseOutTest {
 protected:
  LeaseOfADeadConsumer() {
    lends();
    EXPECT_EQ(start(1, "hostA", 1), "");
    out->host_gone("hostB");
    out->lost("west");
    exports(hosts_lent() + licences_lent(1));
    res_answers("hostA");
    EXPECT_EQ(lease().phase, Phase::inactive);
    EXPECT_EQ(lent(), 3) << "a job on hostB may have them";
  }
  std::vector<std::string> line(const std::string& state) const {
    return {"Lease <lab#" + std::to_string(lease().id.number) + "> of cluster <west> is " + state +
            ": what is taken from it is free without an answer; its jobs here hold 1 slots, 1 of lic until "
            "they end"};
  }
};

TEST_F(LeaseOfADeadConsumer, GivesItsLicencesBackWhenItIsWrittenOff) {
  EXPECT_EQ(out->write_off("west", true), line("inactive"));
  EXPECT_EQ(lent(), 3) << "it was only said";
  EXPECT_EQ(out->write_off("west", false), line("inactive"));
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1);
  EXPECT_TRUE(out->is_written_off("west"));
  EXPECT_EQ(out->write_off("west", false), line("active, and is written off already")) << "it is open";
  EXPECT_EQ(lent(), 1);
  EXPECT_THAT(out->write_off("north", false), testing::IsEmpty());
}
TEST_F(LeaseOfADeadConsumer, StaysWrittenOffOverARestart) {
  out->write_off("west", false);
  begin();
  exports(licences_lent(1));
  EXPECT_NE(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1) << "its job is there";
  ends(job_of(1), 0);
  follows(effects);
  flush();
  flush();
  EXPECT_THAT(out->reports(), testing::IsEmpty());
  EXPECT_EQ(lent(), 0);
}
TEST_F(LeaseOfADeadConsumer, CountsAgainWhenItConnects) {
  out->write_off("west", false);
  out->serves("west");
  exports(hosts_lent());
  EXPECT_EQ(lease().phase, Phase::recalling);
  ends(job_of(1), 0);
  follows(effects);
  flush();
  EXPECT_EQ(lent(), 1) << "it may have started a job";
  begin();
  out->serves("west");
  flush();
  EXPECT_EQ(lent(), 1);
  west_answers();
  EXPECT_EQ(lent(), 0);
}
TEST_F(LeaseOfADeadConsumer, CountsAfterARestartTooWhereTheStoreFailedWhenItConnected) {
  out->write_off("west", false);
  disk.fail_next(1, io::StoreError::Kind::failed);
  out->serves("west");
  out->load_came();
  flush();
  begin();
  EXPECT_FALSE(out->is_written_off("west"));
}

// Another cluster must not have us look at all jobs on lent slots as often as it likes.
TEST_F(LeaseOutTest, ManyAnswersAndStaleStartsAreOneStepOfALease) {
  lends();
  EXPECT_EQ(start(1, "hostA", 1), "");
  flush();
  const auto counts = out->counts(), steps = out->steps();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(out->heard("west", answer({{"hostA", i % 2 + 1}})));
    EXPECT_EQ(start(offer(2, "hostA", lease().number.counter - 1, 1)), "the lease has changed");
    EXPECT_EQ(start(offer(2, "hostA", lease().number.counter, 3)), "resource lic is in use");
  }
  EXPECT_EQ(out->steps(), steps);
  flush();
  EXPECT_EQ(out->steps(), steps + 1);
  EXPECT_LE(out->counts(), counts + 1);
}
TEST_F(LeaseOutTest, TakesTheNewestOfSeveralAnswers) {
  lends();
  const auto number = lease().number;
  auto older = answer({});
  exports(hosts_lent() + licences_lent(1));
  ASSERT_NE(lease().number, number);
  auto newest = answer({});
  newest.set_wants(false);
  ASSERT_TRUE(out->heard("west", newest));
  ASSERT_TRUE(out->heard("west", older)) << "nobody says so, and it does no harm";
  EXPECT_EQ(lease().phase, Phase::inactive) << "the turn is not over";
  flush();
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1);
}

}  // namespace
}  // namespace rollcall::mbatchd
