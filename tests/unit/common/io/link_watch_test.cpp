// Which links of a daemon are overdue, and what each event does to a link's places (common/io/link_watch.hpp).
#include "common/io/link_watch.hpp"

#include <gtest/gtest.h>

namespace rollcall::io {
namespace {

using Time = LinkWatch::Time;
using std::chrono::seconds;

const ConnectionHolder kAda{"uid 1000", false};
const Time kStart{seconds(1000)};

LinkLimits limits() {
  LinkLimits limits;
  limits.time_to_prove = seconds(2);
  return limits;
}

TEST(LinkWatch, LinkIsLateOnlyAfterTheTimeToProve) {
  LinkWatch watch(limits());
  watch.accepted(1, kAda, kStart);
  EXPECT_EQ(watch.late_to_prove(kStart + seconds(2)), std::nullopt);
  EXPECT_EQ(watch.late_to_prove(kStart + seconds(3)), LinkId{1});
}

TEST(LinkWatch, AcceptedLinksAreLateBeforeDialledOnesAndTheOldestFirst) {
  LinkWatch watch(limits());
  watch.dialled(1, kStart);
  watch.accepted(2, kAda, kStart);
  watch.accepted(3, kAda, kStart);
  const Time late = kStart + seconds(3);
  for (const LinkId expected : {2, 3, 1}) {
    ASSERT_EQ(watch.late_to_prove(late), expected);
    watch.gone(expected);
  }
  EXPECT_EQ(watch.late_to_prove(late), std::nullopt);
  EXPECT_FALSE(watch.needed());
}

TEST(LinkWatch, DaemonThatHasProvedItselfIsNoStranger) {
  LinkWatch watch(limits());
  watch.accepted(1, kAda, kStart);
  EXPECT_EQ(watch.without_proof(), 1U);
  watch.proved(1, false);
  EXPECT_EQ(watch.without_proof(), 0U);
  EXPECT_EQ(watch.strangers().size(), 0U);
  EXPECT_FALSE(watch.needed());
}

TEST(LinkWatch, ClientStaysAStrangerUntilItIsIdentified) {
  LinkWatch watch(limits());
  watch.accepted(1, kAda, kStart);
  watch.proved(1, true);
  EXPECT_EQ(watch.late_to_prove(kStart + seconds(9)), std::nullopt);
  EXPECT_TRUE(watch.strangers().has(1));
  EXPECT_EQ(watch.strangers_where([](LinkId link) { return link == 1; }), std::vector<LinkId>{1});
  EXPECT_TRUE(watch.needed());
  watch.identified(1, kAda);
  EXPECT_FALSE(watch.strangers().has(1));
  EXPECT_TRUE(watch.users().has(1));
  EXPECT_FALSE(watch.needed());
}

TEST(LinkWatch, StalledLinkIsWatchedUntilItHasTakenAll) {
  LinkWatch watch(limits());
  watch.stalled(7);
  watch.stalled(7);
  EXPECT_EQ(watch.stalled(), std::vector<LinkId>{7});
  EXPECT_TRUE(watch.needed());
  watch.taken(7);
  EXPECT_TRUE(watch.stalled().empty());
  EXPECT_FALSE(watch.needed());
}

TEST(LinkWatch, GoneLinkLeavesEveryTable) {
  LinkWatch watch(limits());
  watch.accepted(1, kAda, kStart);
  watch.dialled(2, kStart);
  watch.accepted(3, kAda, kStart);
  watch.identified(3, kAda);
  for (const LinkId link : {1, 2, 3}) {
    watch.stalled(link);
    watch.gone(link);
  }
  EXPECT_EQ(watch.without_proof() + watch.strangers().size() + watch.users().size(), 0U);
  EXPECT_FALSE(watch.needed());
}

}  // namespace
}  // namespace rollcall::io
