// Which question for a piece of a file is asked next, and which is refused or given up.
#include "sched/policy/peers/piece_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const TimePoint kStart{seconds(1000)};

PieceLimits small() { return {2, 6, 4, 64 << 10, seconds(20)}; }

TEST(PieceQueues, AskersTakeTurns) {
  PieceQueue queue(small());
  for (const std::uint64_t number : {1, 2, 3}) EXPECT_TRUE(queue.add(number, "flood", kStart));
  EXPECT_TRUE(queue.add(10, "other", kStart));
  EXPECT_THAT(queue.begin(kStart), ElementsAre(1, 10));
  EXPECT_THAT(queue.begin(kStart), IsEmpty()) << "two are under way";
  EXPECT_TRUE(queue.over(10, 0, kStart));
  EXPECT_THAT(queue.begin(kStart), ElementsAre(2));
}

TEST(PieceQueues, OneAskerAndAllTogetherAreBounded) {
  PieceQueue queue(small());
  for (const std::uint64_t number : {1, 2, 3, 4}) EXPECT_TRUE(queue.add(number, "flood", kStart));
  EXPECT_FALSE(queue.add(5, "flood", kStart));
  EXPECT_TRUE(queue.add(6, "a", kStart));
  EXPECT_TRUE(queue.add(7, "b", kStart));
  EXPECT_FALSE(queue.add(8, "c", kStart)) << "six wait";
  queue.begin(kStart);
  EXPECT_TRUE(queue.add(8, "c", kStart));
}

TEST(PieceQueues, BytesHaveARate) {
  PieceQueue queue(small());  // 64 KB in a second
  for (const std::uint64_t number : {1, 2, 3}) queue.add(number, "ann", kStart);
  EXPECT_THAT(queue.begin(kStart), ElementsAre(1, 2));
  EXPECT_TRUE(queue.over(1, 32 << 10, kStart));
  EXPECT_THAT(queue.begin(kStart), IsEmpty());
  EXPECT_EQ(queue.next(), kStart + milliseconds(500));
  EXPECT_THAT(queue.begin(kStart + milliseconds(499)), IsEmpty());
  EXPECT_THAT(queue.begin(kStart + milliseconds(500)), ElementsAre(3));
}

TEST(PieceQueues, ForgetWhatIsLate) {
  PieceQueue queue(small());
  for (const std::uint64_t number : {1, 2, 3}) queue.add(number, "ann", kStart);
  queue.begin(kStart);
  EXPECT_EQ(queue.next(), kStart + seconds(20));
  EXPECT_THAT(queue.late(kStart + seconds(19)), IsEmpty());
  EXPECT_THAT(queue.late(kStart + seconds(20)), ElementsAre(1, 2, 3)) << "under way, and waiting";
  EXPECT_FALSE(queue.over(1, 5, kStart + seconds(21))) << "its answer is too late";
  EXPECT_EQ(queue.next(), std::nullopt);
}

TEST(PieceQueues, AnAnswerIsTakenOnce) {
  PieceQueue queue(small());
  EXPECT_FALSE(queue.over(1, 5, kStart));
  queue.add(1, "ann", kStart);
  EXPECT_FALSE(queue.over(1, 5, kStart)) << "nobody was asked yet";
  queue.begin(kStart);
  EXPECT_TRUE(queue.over(1, 5, kStart));
  EXPECT_FALSE(queue.over(1, 5, kStart));
}

TEST(PieceQueues, AreEmptyAfterALostConnection) {
  PieceQueue queue(small());
  for (const std::uint64_t number : {1, 2, 3}) queue.add(number, "ann", kStart);
  queue.begin(kStart);
  EXPECT_THAT(queue.clear(), ElementsAre(1, 2, 3));
  EXPECT_THAT(queue.begin(kStart + seconds(1)), IsEmpty());
  EXPECT_EQ(queue.next(), std::nullopt);
}

}  // namespace
}  // namespace rollcall::sched::peers
