// at_once: pieces of work in parallel, a bounded number at a time, reported in their order.
#include "common/io/at_once.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/io/common/sanitized.hpp"

namespace rollcall::io {
namespace {

TEST(AtOnce, ReportsInOrderWhicheverEndsFirst) {
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

// Each waits until the permitted number runs: one after the other, the first would wait for ever.
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

// Under a limit of its address space, in which only some stacks have room, or none.
TEST(AtOnce, DoesAllWithTheThreadsThatCanStart) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's own mappings exceed every limit";
  for (const std::size_t stacks : {3, 0}) {
    const pid_t child = fork();
    if (child == 0) {
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      rlimit stack{};
      getrlimit(RLIMIT_STACK, &stack);
      stack.rlim_cur = 8UL << 20;
      setrlimit(RLIMIT_STACK, &stack);
      rlimit all{};
      all.rlim_cur = all.rlim_max =
          pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (stacks * 8 + 6) * (1UL << 20);
      setrlimit(RLIMIT_AS, &all);
      std::atomic<int> done{0};
      int told = 0;
      at_once(
          50, 20, [&](std::size_t) { ++done; }, [&](std::size_t) { ++told; });
      _exit(done == 50 && told == 50 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << stacks;
  }
}

TEST(AtOnce, TakesAnEmptyList) {
  at_once(
      0, 8, [](std::size_t) { FAIL(); }, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace rollcall::io
