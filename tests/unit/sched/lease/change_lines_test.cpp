// What the log has of a provider that changes its leases again and again.
#include "sched/policy/lease/change_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::lease {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TimePoint at(int seconds) { return TimePoint{std::chrono::seconds(seconds)}; }

TEST(ChangeLines, FoldThoseBeyondTwentyInAMinute) {
  ChangeLines log;
  for (std::size_t i = 1; i < ChangeLines::kMostInAMinute; ++i)
    EXPECT_THAT(log.lines("east", "a change", at(10)), ElementsAre("a change"));
  EXPECT_THAT(
      log.lines("east", "a change", at(10)),
      ElementsAre("a change", "cluster east: further changes of its leases are not logged in this minute"));
  for (int i = 0; i < 500; ++i) EXPECT_THAT(log.lines("east", "a change", at(69)), IsEmpty());
  EXPECT_THAT(log.lines("west", "another", at(69)), ElementsAre("another")) << "each cluster has its own";
  EXPECT_THAT(log.lines("east", "a change", at(70)),
              ElementsAre("cluster east: 500 more changes of its leases were not logged", "a change"));
  EXPECT_THAT(log.lines("east", "a change", at(200)), ElementsAre("a change")) << "nothing was folded";
}

TEST(ChangeLines, SayWhatWasFolded) {
  ChangeLines log("odd words");
  std::vector<std::string> last;
  for (std::size_t i = 0; i < ChangeLines::kMostInAMinute; ++i) last = log.lines("east", "a word", at(10));
  EXPECT_THAT(last, ElementsAre("a word", "cluster east: further odd words are not logged in this minute"));
}

}  // namespace
}  // namespace rollcall::sched::lease
