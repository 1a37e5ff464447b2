// How everything that an elim has started is ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elim/policy/melim/elim_end.hpp"

namespace rollcall::melim::end {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

class ElimEnd : public ::testing::Test {
 protected:
  Lines on(const Event& event) {
    Lines lines;
    for (const Effect& effect : step(state, event, now)) lines.push_back(text(effect));
    return lines;
  }
  Lines pass(Duration duration) {
    now = now + duration;
    return on(TimePassed{});
  }
  State state;
  TimePoint now{};
};

TEST_F(ElimEnd, FinishesWhenAnElimEndsAndLeavesNoProcess) {
  EXPECT_THAT(on(ElimEnded{false}), ElementsAre("Finish"));
  EXPECT_EQ(next_deadline(state), std::nullopt);
}

TEST_F(ElimEnd, AsksWithTermOnceAndFinishesWhenTheElimEnds) {
  EXPECT_THAT(on(EndAsked{}), ElementsAre("TermGroup"));
  EXPECT_THAT(on(EndAsked{}), IsEmpty()) << "TERM comes once";
  EXPECT_THAT(on(ElimEnded{false}), ElementsAre("Finish"));
}

TEST_F(ElimEnd, KillsAnElimThatIgnoresTerm) {
  on(EndAsked{});
  EXPECT_THAT(pass(kTermGrace - milliseconds(1)), IsEmpty());
  EXPECT_THAT(pass(milliseconds(1)), ElementsAre("KillAll"));
  EXPECT_THAT(on(ElimEnded{true}), IsEmpty());
  EXPECT_THAT(on(Counted{1}), IsEmpty());
  EXPECT_THAT(pass(kKillAgain), ElementsAre("KillAll"));
  EXPECT_THAT(on(Counted{0}), ElementsAre("Finish"));
}

TEST_F(ElimEnd, DaemonsOfAnElimThatEndsGetTermAndThenKill) {
  EXPECT_THAT(on(ElimEnded{true}), ElementsAre("TermAll"));
  EXPECT_THAT(on(Counted{2}), IsEmpty());
  EXPECT_THAT(pass(kLeftoverGrace), ElementsAre("KillAll"));
  EXPECT_THAT(on(Counted{0}), ElementsAre("Finish"));
}

TEST_F(ElimEnd, LeftoversDoNotProlongTheGrace) {
  on(EndAsked{});
  pass(kTermGrace - milliseconds(100));
  on(ElimEnded{true});
  EXPECT_THAT(pass(milliseconds(100)), ElementsAre("KillAll"));
}

TEST_F(ElimEnd, GivesUpOnProcessesThatKillDoesNotEnd) {
  on(ElimEnded{true});
  int kills = 0;
  while (state.phase != Phase::finished) {
    const auto next = next_deadline(state);
    ASSERT_TRUE(next);
    ASSERT_GT(*next, now);
    now = *next;
    if (on(TimePassed{}) == Lines{"KillAll"}) ++kills;
  }
  EXPECT_EQ(now, TimePoint{} + kLeftoverGrace + kGiveUp);
  EXPECT_GT(kills, 5);
  EXPECT_LT(kills, 20);
}

TEST_F(ElimEnd, IgnoresAChildThatEndsWhileTheElimRuns) {
  EXPECT_THAT(on(Counted{0}), IsEmpty());
  EXPECT_EQ(state.phase, Phase::running);
}

}  // namespace
}  // namespace rollcall::melim::end
