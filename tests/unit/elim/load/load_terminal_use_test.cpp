// For how long no terminal was used, while people work, leave, and set the clock.
#include <gtest/gtest.h>

#include "elim/policy/load/terminal_use.hpp"

namespace rollcall::load {
namespace {

constexpr long long kNow = 1'762'000'000;
constexpr long long kHour = 3600;

TEST(TerminalUse, ReportsTheTerminalUsedLast) {
  TerminalUse use;
  EXPECT_FALSE(use.idle(50)) << "no terminal was ever used";
  use.look({{"pts/0", kNow - 4000}, {"pts/1", kNow - 720}}, kNow, 5000);
  EXPECT_EQ(use.idle(5000), 720);
  EXPECT_EQ(use.idle(5030), 750);
}

TEST(TerminalUse, CountsAUseBetweenTwoReadings) {
  TerminalUse use;
  use.look({{"pts/0", kNow - 720}}, kNow, 5000);
  use.look({{"pts/0", kNow + 20}}, kNow + 30, 5030);
  EXPECT_EQ(use.idle(5030), 10);
  use.look({{"pts/0", kNow + 20}}, kNow + 60, 5060);
  EXPECT_EQ(use.idle(5060), 40);
}

TEST(TerminalUse, RemembersUsersThatLeftAndSeesTheirReturn) {
  TerminalUse use;
  use.look({{"pts/0", kNow - 600}}, kNow, 5000);
  use.look({}, kNow + 30, 5030);
  EXPECT_EQ(use.idle(5030), 630);
  use.look({{"pts/0", kNow + 55}}, kNow + 60, 5060);
  EXPECT_EQ(use.idle(5060), 5);
}

TEST(TerminalUse, FirstSightOfAnOldTerminalIsNoUse) {
  TerminalUse use;
  use.look({{"pts/0", kNow - 600}}, kNow, 5000);
  use.look({{"pts/0", kNow - 600}, {"pts/1", kNow - 4000}}, kNow + 30, 5030);
  EXPECT_EQ(use.idle(5030), 630);
}

// The clock is set by an hour while nobody touches anything: nothing was used, and nothing is older than it was.
TEST(TerminalUse, SettingTheClockIsNoUseAndNoPause) {
  for (const long long step : {kHour, -kHour}) {
    TerminalUse use;
    use.look({{"pts/0", kNow - 720}}, kNow, 5000);
    use.look({{"pts/0", kNow - 720}}, kNow + 30 + step, 5030);
    EXPECT_EQ(use.idle(5030), 750) << step;
    use.look({{"pts/0", kNow - 720}}, kNow + 60, 5060);
    EXPECT_EQ(use.idle(5060), 780) << step << " and back";
  }
}

TEST(TerminalUse, WorkIsSeenAfterTheClockWasSet) {
  for (const long long step : {kHour, -kHour}) {
    TerminalUse use;
    use.look({{"pts/0", kNow - 720}}, kNow, 5000);
    use.look({{"pts/0", kNow + 50 + step}}, kNow + 60 + step, 5060);
    EXPECT_EQ(use.idle(5060), 10) << step;
  }
}

// Used, then the clock set, all between two looks: it was used since the first of them, whatever the difference says.
TEST(TerminalUse, WorkJustBeforeTheClockWasSetIsNotAnHourOld) {
  TerminalUse forth;
  forth.look({{"pts/0", kNow - 720}}, kNow, 5000);
  forth.look({{"pts/0", kNow + 10}}, kNow + 30 + kHour, 5030);
  EXPECT_EQ(forth.idle(5030), 30);
  TerminalUse back;
  back.look({{"pts/0", kNow - 720}}, kNow, 5000);
  back.look({{"pts/0", kNow + 10}}, kNow + 30 - kHour, 5030);
  EXPECT_EQ(back.idle(5030), 0);
}

TEST(TerminalUse, TimeInTheFutureCountsAsNow) {
  TerminalUse use;
  use.look({{"pts/0", kNow + kHour}}, kNow, 5000);
  EXPECT_EQ(use.idle(5000), 0);
  use.look({{"pts/0", kNow + kHour}}, kNow + 600, 5600);
  EXPECT_EQ(use.idle(5600), 600) << "it grows from there, and not only in an hour";
}

}  // namespace
}  // namespace rollcall::load
