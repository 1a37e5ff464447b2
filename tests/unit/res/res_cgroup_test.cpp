// The numbers of a job's cgroup (res/policy/cgroup_numbers.hpp), and the usage made of them (job_usage.hpp).
#include <gtest/gtest.h>

#include "res/policy/cgroup_numbers.hpp"
#include "res/policy/job_usage.hpp"

namespace rollcall::res {
namespace {

constexpr std::string_view kCpu =
    "usage_usec 3500000\nuser_usec 2500000\nsystem_usec 1000000\nnr_periods 0\n";
constexpr std::string_view kStat =
    "anon 104857600\nfile 73400320\nkernel 1048576\nshmem 20971520\nfile_mapped 0\n";

TEST(CgroupNumbers, TimesAreThoseOfCpuStat) {
  const auto numbers = cgroup_numbers({kCpu, "", "", "", ""});
  EXPECT_TRUE(numbers.cpu);
  EXPECT_DOUBLE_EQ(numbers.user_s, 2.5);
  EXPECT_DOUBLE_EQ(numbers.system_s, 1.0);
  EXPECT_FALSE(numbers.memory);
}

TEST(CgroupNumbers, MemoryIsWithoutThePageCacheAndWithSharedMemory) {
  const auto numbers =
      cgroup_numbers({"", "188743680\n", "314572800\n", kStat, "low 0\noom 2\noom_kill 1\n"});
  EXPECT_FALSE(numbers.cpu);
  EXPECT_TRUE(numbers.memory);
  EXPECT_EQ(numbers.memory_kb, (180 - 50) * 1024);
  EXPECT_EQ(numbers.peak_kb, (300 - 50) * 1024);
  EXPECT_EQ(numbers.ended_for_memory, 1);
}

TEST(CgroupNumbers, InvalidTextsAreUnknown) {
  for (const std::string_view text :
       {"", "max\n", "x", "12x\n", "user_usec\n", "user_usec x\nsystem_usec 1\n"}) {
    const auto numbers = cgroup_numbers({text, text, text, text, text});
    EXPECT_FALSE(numbers.cpu) << text;
    EXPECT_FALSE(numbers.memory) << text;
  }
  EXPECT_EQ(flat_number("oom 1\noom_kill 7", "oom_kill"), 7);
  EXPECT_EQ(flat_number("oom_kill 7\noom 1\n", "oom"), 1);
}

TEST(UsageMeterWithCgroup, CountsWhatTheKernelCounts) {
  UsageMeter meter;
  CgroupNumbers numbers;
  numbers.cpu = numbers.memory = true;
  numbers.user_s = 5;
  numbers.system_s = 2;
  numbers.memory_kb = 1000;
  numbers.peak_kb = 4000;
  meter.set_cgroup(numbers, 0.5, 0.25);
  // Two processes of 900 KB each, which share most of it; 1 s of theirs is known by waiting.
  meter.sample({{1, 1, 0.5, 0.5, 900, 0, 1}, {2, 1, 0, 0, 900, 0, 1}}, 0, 0, 1);
  EXPECT_DOUBLE_EQ(meter.usage().user_s(), 4.5);
  EXPECT_DOUBLE_EQ(meter.usage().system_s(), 1.75);
  EXPECT_EQ(meter.usage().memory_kb(), 1000);
  EXPECT_EQ(meter.usage().max_memory_kb(), 4000);
  meter.finish(6, 1, 100, 2);
  EXPECT_DOUBLE_EQ(meter.usage().user_s(), 6) << "the larger one of both";
  EXPECT_EQ(meter.usage().max_memory_kb(), 4000);
}

TEST(UsageMeterWithCgroup, WithoutACgroupSamplesCount) {
  UsageMeter meter;
  meter.sample({{1, 1, 0.5, 0.5, 900, 0, 1}, {2, 1, 0, 0, 900, 0, 1}}, 0, 0, 1);
  EXPECT_EQ(meter.usage().memory_kb(), 1800);
}

}  // namespace
}  // namespace rollcall::res
