// The memory that a daemon keeps back, under a limit of its address space: each test in a process of its own.
#include "common/io/memory_reserve.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <vector>

namespace rollcall::io {
namespace {

constexpr std::size_t kMb = 1 << 20;

std::size_t address_space() {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) _exit(99);
  std::fclose(file);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// The first check that fails is the exit status; 0: none did.
int in_a_process(const std::function<int()>& checks) {
  const pid_t child = fork();
  if (child == 0) _exit(checks());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

// With so much more address space than there is now.
void limit(std::size_t more) {
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = address_space() + more;
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(98);
}

using Blocks = std::vector<std::unique_ptr<char[]>>;
// Until no more can be had without the reserve, or at all.
void fill(Blocks& blocks, const std::function<bool()>& enough) {
  blocks.reserve(1000);
  while (!enough() && blocks.size() < 1000) blocks.push_back(std::make_unique<char[]>(kMb));
}

TEST(MemoryReserve, AllocationThatWouldFailTakesTheReserve) {
  EXPECT_EQ(in_a_process([] {
              MemoryReserve reserve(8 * kMb);
              Blocks blocks;
              limit(20 * kMb);
              if (reserve.spent()) return 1;
              fill(blocks, [&] { return reserve.spent(); });
              if (!reserve.spent()) return 2;
              if (blocks.size() < 15 || blocks.size() > 21) return 3;
              return 0;
            }),
            0);
}

TEST(MemoryReserve, AllocationBeyondTheReserveThrows) {
  EXPECT_EQ(in_a_process([] {
              MemoryReserve reserve(8 * kMb);
              Blocks blocks;
              limit(20 * kMb);
              try {
                fill(blocks, [] { return false; });
              } catch (const std::bad_alloc&) {
                return reserve.spent() && blocks.size() > 20 ? 0 : 1;
              }
              return 2;
            }),
            0);
}

TEST(MemoryReserve, ReserveIsRestoredWhenMemoryIsFreeAgain) {
  EXPECT_EQ(in_a_process([] {
              MemoryReserve reserve(8 * kMb);
              Blocks blocks;
              limit(20 * kMb);
              fill(blocks, [&] { return reserve.spent(); });
              if (reserve.restore()) return 1;
              blocks.clear();
              if (!reserve.restore() || reserve.spent()) return 2;
              return 0;
            }),
            0);
}

TEST(MemoryReserve, QuestionForMemoryLeavesTheReserve) {
  EXPECT_EQ(in_a_process([] {
              MemoryReserve reserve(8 * kMb);
              limit(20 * kMb);
              if (!memory_for(10 * kMb)) return 1;
              if (memory_for(40 * kMb)) return 2;
              return reserve.spent() ? 3 : 0;
            }),
            0);
}

long page_faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

// What one turn of mbatchd takes and frees: small blocks, at the end of the heap.
void take_and_free(std::size_t bytes) {
  constexpr std::size_t kSmall = 1024;
  std::vector<std::unique_ptr<char[]>> blocks(bytes / kSmall);
  for (auto& block : blocks) block = std::make_unique<char[]>(kSmall);
}

TEST(KeepFreedMemory, NextTurnTouchesTheSamePages) {
  EXPECT_EQ(in_a_process([] {
              keep_freed_memory();
              take_and_free(8 * kMb);
              const long before = page_faults();
              take_and_free(8 * kMb);
              return page_faults() - before < 100 ? 0 : 1;  // of 2,048 pages
            }),
            0);
}

TEST(KeepFreedMemory, GiveMemoryBackReturnsIt) {
  EXPECT_EQ(in_a_process([] {
              keep_freed_memory();
              take_and_free(8 * kMb);
              if (heap_use().free < 8 * kMb) return 1;
              give_memory_back();
              return heap_use().free < kMb ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace rollcall::io
