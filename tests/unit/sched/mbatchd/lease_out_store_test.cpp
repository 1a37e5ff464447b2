// LeaseOut with a store that fails: what is not stored is not told, and comes when the store accepts writes again.
#include "tests/unit/sched/mbatchd/lease_out_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::lease::Phase;

// The store fails once. A consumer asks for a lease, and acknowledges a number, once.
class LeaseOfAStoreThatFails : public LeaseOutTest {
 protected:
  void fails() { disk.fail_next(1, io::StoreError::Kind::failed); }
  // The largest number that west was told since `said` was empty; {}: none.
  sched::lease::GrantNumber told() const {
    sched::lease::GrantNumber largest;
    for (const auto& one : said)
      if (one.has_lease_stands())
        largest =
            std::max(largest, {one.lease_stands().number().term(), one.lease_stands().number().counter()});
    return largest;
  }
  void is_offered() {
    for (const char* host : {"hostA", "hostB"}) res_comes(host);
    out->serves("west");
    flush();
    ASSERT_EQ(lease().phase, Phase::offered);
    said.clear();
  }
  void next_load() {
    out->load_came();
    flush();
  }
};

TEST_F(LeaseOfAStoreThatFails, IsGrantedWhenItKeepsAgainWhatWasAskedFor) {
  is_offered();
  fails();
  ASSERT_TRUE(out->heard("west", answer({}, false)));
  flush();
  ASSERT_FALSE(disk.fails_next());
  EXPECT_EQ(lease().phase, Phase::offered);
  next_load();
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(told(), lease().number);
}

TEST_F(LeaseOfAStoreThatFails, IsAcknowledgedWhenItKeepsAgainWhatFollows) {
  lends();
  for (const char* host : {"hostA", "hostB"}) out->host_gone(host);  // else the numbers of RES would do
  exports(hosts_lent() + licences_lent(1));
  ASSERT_EQ(lease().phase, Phase::inactive);
  fails();
  west_answers();
  ASSERT_FALSE(disk.fails_next());
  EXPECT_EQ(lease().phase, Phase::inactive);
  EXPECT_EQ(lent(), 3);
  next_load();
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1);
}

// Another master, of an older term, has raised it.
TEST_F(LeaseOfAStoreThatFails, ExceedsTheNumberOfARes) {
  lends();
  const auto number = lease().number;
  begin();
  sched::lease::GrantNumber larger = number;
  larger.counter += 5;
  res_comes("hostA");
  ASSERT_EQ(lease().number, number);
  sched::lease::GrantsOnHost answer;
  answer.question = questions.at("hostA").number;
  answer.newest = {{lease().id.number, larger}};
  fails();
  out->held("hostA", answer);
  ASSERT_FALSE(disk.fails_next());
  EXPECT_EQ(lease().number, number);
  next_load();
  EXPECT_GT(lease().number, larger);
}

// The consumer must not use a slot, nor the provider's own jobs lose one, by a number that a restart would give out again.
TEST_F(LeaseOfAStoreThatFails, TellsNoGrantBeforeItIsStored) {
  is_offered();
  const auto number = lease().number;
  fails();
  ASSERT_TRUE(out->heard("west", answer({}, false)));
  flush();
  ASSERT_FALSE(disk.fails_next());
  EXPECT_LE(told(), number);
  EXPECT_EQ(lease().number, number);
  begin();
  EXPECT_EQ(lease().phase, Phase::offered);
  EXPECT_EQ(lease().number, number);
}

TEST_F(LeaseOfAStoreThatFails, TellsNoDivisionBeforeItIsStored) {
  lends();
  exports(
      "Begin HostExport\nPER_HOST = hostA\nSLOTS = 2\nTYPE = shared\nDISTRIBUTION = ([west, 1])\n"
      "End HostExport\n");
  for (int turn = 0; turn < 3; ++turn) {
    for (const char* host : {"hostA", "hostB"}) res_answers(host);
    west_answers();
  }
  ASSERT_EQ(lease().phase, Phase::active);
  const auto number = lease().number;
  const TimePoint from{std::chrono::hours(1)};
  const auto divides = [&](int minutes) {
    said.clear();
    questions.clear();
    out->tick(from + std::chrono::minutes(minutes));
    flush();
  };
  divides(0);
  fails();
  divides(10);
  ASSERT_FALSE(disk.fails_next()) << "idle slots are divided";
  EXPECT_LE(told(), number);
  EXPECT_THAT(questions, testing::IsEmpty()) << "nor to RES";
  EXPECT_EQ(lease().number, number);
  EXPECT_EQ(lease().phase, Phase::active);
  divides(20);
  EXPECT_GT(lease().number, number);
  EXPECT_EQ(told(), lease().number);
}

}  // namespace
}  // namespace rollcall::mbatchd
