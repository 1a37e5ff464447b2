// When a daemon that died is started again.
#include "common/base/restart_pauses.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rollcall {
namespace {

using std::chrono::seconds;

// The seconds at which a daemon that always dies at once is started; checked every second.
std::vector<int> starts(RestartPauses& pauses, int from, int until) {
  std::vector<int> at;
  for (int second = from; second < until; ++second) {
    const RestartPauses::Time now{seconds(second)};
    if (!pauses.may_start(now)) continue;
    pauses.started(now);
    at.push_back(second);
  }
  return at;
}

TEST(RestartPauses, GrowToAMinute) {
  RestartPauses pauses;
  EXPECT_EQ(starts(pauses, 0, 260), (std::vector<int>{0, 5, 15, 35, 75, 135, 195, 255}));
}

TEST(RestartPauses, BeginAnewAfterTenMinutesWithoutAStart) {
  RestartPauses pauses;
  starts(pauses, 0, 100);  // the last one at 75
  EXPECT_FALSE(pauses.may_start(RestartPauses::Time(seconds(134))));
  EXPECT_EQ(starts(pauses, 1000, 1016), (std::vector<int>{1000, 1005, 1015}));
}

}  // namespace
}  // namespace rollcall
