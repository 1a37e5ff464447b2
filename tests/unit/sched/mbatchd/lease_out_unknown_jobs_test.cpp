// LeaseOut under a store that is another one, or was lost: RES has jobs of leases that nobody here knows.
#include "tests/unit/sched/mbatchd/lease_out_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

class LeaseOutOfAnotherStore : public LeaseOutTest {
 protected:
  void comes_with(const sched::Attempt& attempt, sched::report::Held::State state, bool lent = true) {
    const sched::report::HostCame came{{{attempt, state, true, lent}}};
    keeper->connected("hostA", true);
    out->host_came("hostA", came);
    tells("hostA", came);
    flush();
  }
  // RES holds the attempt still, or has ended it.
  void answers(bool over) {
    sched::lease::GrantsOnHost answer;
    answer.question = questions.at("hostA").number;
    answer.jobs.push_back({kStrange, {77}, over});
    out->held("hostA", answer);
    flush();
  }
  bool starts_nothing() const {
    const auto& snapshot = keeper->snapshot();
    return snapshot.lent(*snapshot.rules().host("hostA")).unknown_jobs;
  }
  static constexpr auto kRunning = sched::report::Held::State::running;
  const sched::Attempt kStrange{{4711, 0}, 1};
};

TEST_F(LeaseOutOfAnotherStore, StartsNothingOfItsOwnBesideJobsThatItDoesNotKnow) {
  exports("");
  comes_with(kStrange, kRunning);
  EXPECT_TRUE(starts_nothing());
  ASSERT_TRUE(questions.contains("hostA")) << "asked, though no lease is known";
  answers(false);
  EXPECT_TRUE(starts_nothing());
  out->tick(TimePoint{});
  ASSERT_TRUE(out->next_tick());
  const auto asked = questions.at("hostA").number;
  out->tick(*out->next_tick());
  flush();
  ASSERT_NE(questions.at("hostA").number, asked) << "asked again";
  planned = 0;
  answers(true);
  EXPECT_FALSE(starts_nothing());
  EXPECT_GT(planned, 0) << "jobs wait for it";
}
TEST_F(LeaseOutOfAnotherStore, StartsBesideItsOwnLostJobsAndBesideEnds) {
  comes_with(kStrange, kRunning, false);
  EXPECT_FALSE(starts_nothing()) << "no slot of a lease";
  comes_with(kStrange, sched::report::Held::State::over);
  EXPECT_FALSE(starts_nothing());
}
TEST_F(LeaseOutOfAnotherStore, StartsBesideJobsOfLeasesThatItKnows) {
  lends();
  ASSERT_EQ(start(1, "hostA", 0), "");
  ASSERT_FALSE(book->jobs().on_host("hostA").empty());
  const sched::JobKey key = *book->jobs().on_host("hostA").begin();
  comes_with(sched::Attempt{key, book->jobs().find(key)->record.attempt()}, kRunning);
  EXPECT_FALSE(starts_nothing());
}
TEST_F(LeaseOutOfAnotherStore, ForgetsThemWithTheirHost) {
  comes_with(kStrange, kRunning);
  ASSERT_TRUE(starts_nothing());
  out->host_gone("hostA");
  comes_with(kStrange, sched::report::Held::State::over);
  EXPECT_FALSE(starts_nothing());
}

}  // namespace
}  // namespace rollcall::mbatchd
