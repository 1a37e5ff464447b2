// How long a parallel job waits for a silent host: the rules of DJOB_HB_INTERVAL and LSF_RES_ALIVE_TIMEOUT.
#include "common/base/link_patience.hpp"

#include <gtest/gtest.h>

#include "common/io/liveness.hpp"

namespace rollcall {
namespace {

using namespace std::chrono_literals;

TEST(LinkPatience, DefaultsAreAMinuteAndTheEndOfTheJob) {
  EXPECT_EQ(link_patience("", "", ""), (LinkPatience{60s, 15s, CommfailAction::end_job}));
  EXPECT_EQ(link_patience("x", "-1", "DO_WHAT"), LinkPatience{}) << "an invalid value leaves the default";
}

TEST(LinkPatience, VariablesOfTheJobCount) {
  EXPECT_EQ(link_patience("120", "30", "KILL_TASKS"), (LinkPatience{120s, 30s, CommfailAction::kill_tasks}));
  EXPECT_EQ(link_patience("0", "", "IGNORE_COMMFAIL"),
            (LinkPatience{0s, 15s, CommfailAction::ignore_commfail}));
  for (const auto action : {CommfailAction::kill_tasks, CommfailAction::ignore_commfail})
    EXPECT_EQ(commfail_action(text(action)), action);
}

TEST(LinkPatience, IntervalsGrowWithTheHostsOfTheJob) {
  EXPECT_EQ(scaled_interval(3s, 1), 10s + 10ms) << "ten seconds at least";
  EXPECT_EQ(scaled_interval(30s, 500), 35s);
}

TEST(LinkPatience, AHostIsLostAfterThreeMissedBeatsAtTheEarliest) {
  EXPECT_EQ(silence_for(60s, std::nullopt), 60s);
  EXPECT_EQ(silence_for(60s, 10s), 60s);
  EXPECT_EQ(silence_for(60s, 40s), 120s);
  EXPECT_EQ(silence_for(0s, 40s), 0s) << "unlimited stays unlimited";
}

TEST(Liveness, ProbesOftenEnoughToKeepItsPatience) {
  const auto minute = io::liveness_of(60s, 15s);
  EXPECT_EQ(minute.user_timeout_ms, 60'000);
  EXPECT_EQ(minute.idle_s, 15);
  EXPECT_EQ(io::liveness_of(9s, 60s).idle_s, 3) << "three probes within it";
  EXPECT_EQ(io::liveness_of(1s, 1s).idle_s, 1);
  EXPECT_EQ(io::liveness_of(0s, 15s).user_timeout_ms, INT_MAX) << "no limit";
  EXPECT_EQ(io::liveness_of(std::chrono::hours(24 * 365), std::chrono::hours(24 * 365)).user_timeout_ms,
            INT_MAX);
  EXPECT_EQ(io::liveness_of(0s, std::chrono::hours(24 * 365)).idle_s, 32767);
}

}  // namespace
}  // namespace rollcall
