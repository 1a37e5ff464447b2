// Many pieces of work at a time: bounded, and told in their order.
#include "common/io/at_once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace rollcall::io {
namespace {

TEST(AtOnce, TellsInOrderWhateverEndsFirst) {
  std::vector<std::size_t> told;
  std::vector<int> results(200);
  at_once(
      results.size(), 8,
      [&](std::size_t i) {
        for (std::size_t turn = 0; turn < (results.size() - i) % 7; ++turn) std::this_thread::yield();
        results[i] = static_cast<int>(i) + 1;
      },
      [&](std::size_t i) {
        EXPECT_EQ(results[i], static_cast<int>(i) + 1) << "it is told before it is done";
        told.push_back(i);
      });
  std::vector<std::size_t> expected(results.size());
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(told, expected);
}

// Each waits until as many run as may: were they one after the other, the first would wait for ever.
TEST(AtOnce, RunsAsManyAsItMayAndNoMore) {
  constexpr std::size_t kMost = 5;
  std::mutex mutex;
  std::condition_variable all_there;
  std::size_t running = 0, most_seen = 0, met = 0;
  at_once(
      kMost * 4, kMost,
      [&](std::size_t) {
        std::unique_lock lock(mutex);
        most_seen = std::max(most_seen, ++running);
        if (++met % kMost == 0) all_there.notify_all();
        const std::size_t target = (met + kMost - 1) / kMost * kMost;
        EXPECT_TRUE(all_there.wait_for(lock, std::chrono::seconds(20), [&] { return met >= target; }))
            << "fewer than " << kMost << " run at a time";
        --running;
      },
      [](std::size_t) {});
  EXPECT_EQ(most_seen, kMost);
}

TEST(AtOnce, OfNothingIsNothing) {
  at_once(
      0, 8, [](std::size_t) { FAIL(); }, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace rollcall::io
