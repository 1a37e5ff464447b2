// FairQueue: which waiting client is served next (common/base/fair_queue.hpp).
#include "common/base/fair_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall {
namespace {

using testing::ElementsAre;

std::vector<int> rest(FairQueue<int>& queue) {
  std::vector<int> all;
  while (const auto item = queue.pop()) all.push_back(*item);
  return all;
}

TEST(FairQueue, AskersTakeTurnsAndEachKeepsItsOrder) {
  FairQueue<int> queue;
  for (int i = 0; i < 4; ++i) queue.push("ada", i);
  queue.push("bob", 10);
  queue.push("eve", 20);
  queue.push("bob", 11);
  EXPECT_EQ(queue.size(), 7U);
  EXPECT_EQ(queue.waiting("ada"), 4U);
  EXPECT_THAT(rest(queue), ElementsAre(0, 10, 20, 1, 11, 2, 3));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.waiting("ada"), 0U);
}

TEST(FairQueue, LateComerIsServedAfterOneTurnOfTheOthers) {
  FairQueue<int> queue;
  for (int i = 0; i < 1000; ++i) queue.push("ada", i);
  queue.pop();
  queue.push("bob", -1);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), -1);
}

TEST(FairQueue, TakesOutWhatHasWaitedTooLong) {
  FairQueue<int> queue;
  for (const int i : {1, 2, 9}) queue.push("ada", i);
  queue.push("bob", 3);
  EXPECT_THAT(queue.take_out([](int i) { return i < 5; }), ElementsAre(1, 2, 3));
  EXPECT_EQ(queue.size(), 1U);
  queue.push("bob", 10);
  EXPECT_THAT(rest(queue), ElementsAre(9, 10));
  EXPECT_FALSE(queue.pop());
}

}  // namespace
}  // namespace rollcall
