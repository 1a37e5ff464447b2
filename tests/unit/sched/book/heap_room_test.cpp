// HeapRoom: a large amount of freed memory is given back to the system.
#include "sched/policy/values/heap_room.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::book {
namespace {

constexpr std::uint64_t kMb = 1 << 20;

TEST(HeapRoom, LittleFreeMemoryStaysWithTheAllocator) {
  EXPECT_FALSE(worth_giving_back(0, 0));
  EXPECT_FALSE(worth_giving_back(15 * kMb, 20 * kMb));
}

TEST(HeapRoom, SmallPartOfALargeHeapStays) { EXPECT_FALSE(worth_giving_back(200 * kMb, 1000 * kMb)); }

TEST(HeapRoom, MuchFreeMemoryIsGivenBack) {
  EXPECT_TRUE(worth_giving_back(16 * kMb, 60 * kMb));
  EXPECT_TRUE(worth_giving_back(300 * kMb, 1000 * kMb));
}

}  // namespace
}  // namespace rollcall::sched::book
