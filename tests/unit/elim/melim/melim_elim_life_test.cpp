// When an elim is started, ended and started again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elim/policy/melim/elim_life.hpp"

namespace rollcall::melim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

const std::string kAgain = "Say is started again in ";

class ElimLife : public ::testing::Test {
 protected:
  Lines on(const Event& event) {
    Lines lines;
    for (const Effect& effect : step(life, event, now)) lines.push_back(text(effect));
    EXPECT_EQ(broken_invariant(life), "") << "after " << text(event);
    return lines;
  }
  // Lets the time pass, deadline for deadline.
  Lines pass(Duration duration) {
    const TimePoint end = now + duration;
    Lines lines;
    while (const auto next = next_deadline(life)) {
      if (*next > end) break;
      now = std::max(now, *next);
      for (auto& line : on(TimePassed{})) lines.push_back(line);
      if (const auto after = next_deadline(life); after && *after <= now) {
        ADD_FAILURE() << "a deadline stands still: the loop would spin";
        break;
      }
    }
    now = end;
    return lines;
  }
  void start() { ASSERT_THAT(on(TimePassed{}), ElementsAre("Start")); }
  void exits(int code) {
    on(Ended{ExitStatus::exited(code)});
    ASSERT_EQ(life.phase, Phase::ending);
  }

  TimePoint now{};
  Life life{ElimRules{}, now};
};

TEST_F(ElimLife, StartsAtOnce) {
  start();
  EXPECT_EQ(life.phase, Phase::running);
  EXPECT_THAT(pass(std::chrono::hours(1000)), IsEmpty()) << "silence is no fault";
}

TEST_F(ElimLife, RestartsNoMoreOftenThanEvery90Seconds) {
  start();
  pass(seconds(10));
  EXPECT_THAT(on(Ended{ExitStatus::exited(1)}), ElementsAre("Say has ended: Exit (1)"));
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "80 s"));
  EXPECT_THAT(pass(seconds(80) - milliseconds(1)), IsEmpty());
  EXPECT_THAT(pass(milliseconds(1)), ElementsAre("Start"));
  EXPECT_EQ(life.restarts, 1U);
}

TEST_F(ElimLife, OneThatRanForLongIsRestartedAtOnce) {
  start();
  pass(std::chrono::hours(5));
  exits(0);
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "0 s"));
  EXPECT_THAT(pass(Duration{0}), ElementsAre("Start"));
}

TEST_F(ElimLife, NothingIsStartedBeforeTheOldOneIsGone) {
  start();
  pass(std::chrono::hours(5));
  exits(1);
  EXPECT_THAT(pass(std::chrono::hours(1)), IsEmpty());
}

TEST_F(ElimLife, ElimAbortValueEndsItForGood) {
  start();
  EXPECT_THAT(on(Ended{ExitStatus::exited(99)}), IsEmpty());
  EXPECT_THAT(
      on(Gone{}),
      ElementsAre("Say has left with ELIM_ABORT_VALUE: it is not started again until there are new orders"));
  EXPECT_THAT(pass(std::chrono::hours(1000)), IsEmpty());
  EXPECT_EQ(life.phase, Phase::aborted);
  EXPECT_THAT(on(Ordered{ElimRules{}, false}), ElementsAre("Start"));
  EXPECT_EQ(life.restarts, 0U);
}

TEST_F(ElimLife, AbortValueIsThatOfTheRules) {
  life.rules.abort_value = 7;
  start();
  exits(99);
  EXPECT_EQ(life.next, Next::again);
  on(Gone{});
  pass(seconds(90));
  exits(7);
  EXPECT_EQ(life.next, Next::abort);
}

TEST_F(ElimLife, DeathByASignalIsNoAbort) {
  life.rules.abort_value = 9;
  start();
  on(Ended{ExitStatus::signaled(9)});
  EXPECT_EQ(life.next, Next::again);
}

TEST_F(ElimLife, AComplaintOnStdoutAndThenTheAbortValue) {
  start();
  EXPECT_THAT(on(StringRefused{}), ElementsAre("End"));
  on(Ended{ExitStatus::exited(99)});
  on(Gone{});
  EXPECT_EQ(life.phase, Phase::aborted);
}

TEST_F(ElimLife, ARefusedStringStopsItForTheWholeInterval) {
  start();
  pass(std::chrono::hours(5));
  EXPECT_THAT(on(StringRefused{}), ElementsAre("End"));
  EXPECT_THAT(on(StringRefused{}), IsEmpty());
  on(Ended{ExitStatus::signaled(15)});
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "90 s"));
}

TEST_F(ElimLife, RefusedStringJustBeforeTheEndDelaysTheRestart) {
  start();
  pass(std::chrono::hours(5));
  exits(0);
  on(StringRefused{});
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "90 s"));
}

TEST_F(ElimLife, AFloodStopsItForTheWholeInterval) {
  start();
  pass(std::chrono::hours(5));
  EXPECT_THAT(on(Flooded{}), ElementsAre("Say writes far more than an elim may", "End"));
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "90 s"));
}

TEST_F(ElimLife, BlockTimeHitsHalfAString) {
  start();
  pass(seconds(200));
  EXPECT_THAT(on(StringBegun{}), IsEmpty());
  EXPECT_THAT(pass(seconds(2) - milliseconds(1)), IsEmpty());
  EXPECT_THAT(pass(milliseconds(1)),
              ElementsAre("SayRest has stopped in the middle of a load update string; expected the "
                          "rest and a newline within 2 s",
                          "End"));
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "0 s"));
}

TEST_F(ElimLife, BlockTimeNeverShortensTheRestartInterval) {
  life.rules.block_time = Duration{0};
  start();
  on(StringBegun{});
  EXPECT_EQ(pass(Duration{0}).size(), 2U);
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "90 s"));
}

TEST_F(ElimLife, AWholeStringTakesTheBlockTimeBack) {
  start();
  on(StringBegun{});
  pass(seconds(1));
  on(StringBegun{});
  EXPECT_EQ(*life.block_at, TimePoint{} + seconds(2)) << "more of the same string does not prolong it";
  on(StringRead{});
  EXPECT_THAT(pass(seconds(100)), IsEmpty());
}

TEST_F(ElimLife, RestartsAreLimitedWhereConfigured) {
  life.rules.most_restarts = 2;
  start();
  for (int i = 0; i < 2; ++i) {
    exits(1);
    on(Gone{});
    EXPECT_THAT(pass(seconds(90)), ElementsAre("Start"));
  }
  exits(1);
  EXPECT_THAT(on(Gone{}),
              ElementsAre("Say has been restarted 2 times (LSF_ELIM_RESTARTS): it is not started again until "
                          "there are new orders"));
  EXPECT_EQ(life.phase, Phase::given_up);
  EXPECT_THAT(on(Ordered{life.rules, false}), ElementsAre("Start"));
  EXPECT_EQ(life.restarts, 2U) << "people see all of them";
  EXPECT_EQ(life.restarts_of_orders, 0U);
}

TEST_F(ElimLife, NeverRestartsWhereNoRestartIsAllowed) {
  life.rules.most_restarts = 0;
  start();
  exits(1);
  on(Gone{});
  EXPECT_EQ(life.phase, Phase::given_up);
}

TEST_F(ElimLife, OrdersThatChangeItsEnvironmentStartItAnew) {
  start();
  EXPECT_THAT(on(Ordered{ElimRules{}, false}), IsEmpty());
  EXPECT_THAT(on(Ordered{ElimRules{}, true}), ElementsAre("End"));
  on(Ended{ExitStatus::signaled(15)});
  EXPECT_THAT(on(Gone{}), ElementsAre("Start"));
  EXPECT_EQ(life.restarts, 0U);
}

TEST_F(ElimLife, OneThatExitsWithTheAbortValueWhenItIsStartedAnewIsStarted) {
  start();
  on(Ordered{ElimRules{}, true});
  on(Ended{ExitStatus::exited(99)});
  EXPECT_THAT(on(Gone{}), ElementsAre("Start"));
}

TEST_F(ElimLife, NewOrdersDoNotHelpAFaultyOneRoundItsPause) {
  start();
  on(StringRefused{});
  on(Ordered{ElimRules{}, true});
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "90 s"));
  EXPECT_THAT(on(Ordered{ElimRules{}, true}), IsEmpty());
  EXPECT_THAT(pass(seconds(90)), ElementsAre("Start"));
}

TEST_F(ElimLife, AChangedFileIsStartedAtOnceWhateverTheOldOneDid) {
  start();
  on(StringRefused{});
  on(Gone{});
  ASSERT_EQ(life.phase, Phase::waiting);
  EXPECT_THAT(on(FileChanged{}), ElementsAre("Start"));
  EXPECT_THAT(on(FileChanged{}), ElementsAre("Say has been changed: it is started anew", "End"));
  EXPECT_THAT(on(Gone{}), ElementsAre("Start"));
  exits(99);
  on(Gone{});
  EXPECT_THAT(on(FileChanged{}), ElementsAre("Start"));
}

TEST_F(ElimLife, RetiredFromEveryState) {
  on(Retired{});
  EXPECT_EQ(life.phase, Phase::retired);
  life = Life{ElimRules{}, now};
  start();
  EXPECT_THAT(on(Retired{}), ElementsAre("End"));
  EXPECT_EQ(life.phase, Phase::ending);
  on(Ended{ExitStatus::exited(99)});
  on(Gone{});
  EXPECT_EQ(life.phase, Phase::retired);
  EXPECT_THAT(on(FileChanged{}), IsEmpty());
}

TEST_F(ElimLife, AFileThatComesBackWhileItsElimEndsIsStarted) {
  start();
  on(Retired{});
  on(FileChanged{});
  EXPECT_THAT(on(Gone{}), ElementsAre("Start"));
}

TEST_F(ElimLife, OneThatCannotBeStartedWaitsItsInterval) {
  start();
  EXPECT_THAT(on(StartFailed{"cannot execute it: Text file busy"}),
              ElementsAre("Say cannot be started: cannot execute it: Text file busy"));
  EXPECT_THAT(on(Gone{}), ElementsAre(kAgain + "90 s"));
}

TEST_F(ElimLife, AKilledKeeperIsAnEnd) {
  start();
  EXPECT_THAT(on(Gone{}), ElementsAre("Say is gone without a word of how it ended", kAgain + "90 s"));
}

TEST_F(ElimLife, AnIntervalOfZeroIsNoHotLoop) {
  life.rules.restart_interval = Duration{0};
  start();
  exits(1);
  on(Gone{});
  EXPECT_EQ(*life.start_at, now + kLeastPause);
}

}  // namespace
}  // namespace rollcall::melim
