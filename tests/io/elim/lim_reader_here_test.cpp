// This machine, against what other programs and system calls say of it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "elim/reader/host_reader.hpp"

namespace rollcall::load {
namespace {

std::uint64_t meminfo(const std::string& wanted) {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t number = 0;
  while (file >> name >> number && std::getline(file, unit))
    if (name == wanted) return number;
  ADD_FAILURE() << wanted << ": not in /proc/meminfo";
  return 0;
}

TEST(LimReaderHere, FactsAreThisMachines) {
  const auto host = detect_facts({});
  struct utsname name {};
  ASSERT_EQ(uname(&name), 0);
  std::string machine;
  for (const char c : std::string(name.machine)) machine += static_cast<char>(std::toupper(c));
  EXPECT_EQ(host.facts.type, machine);
  EXPECT_FALSE(host.facts.model.empty());
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_GE(host.facts.ncpus, 1);
  EXPECT_LE(host.facts.ncpus, get_nprocs_conf());
  EXPECT_LE(host.facts.maxmem, meminfo("MemTotal:") / 1024) << "less in a container";
  EXPECT_GT(host.facts.maxmem, 0U);
  struct statvfs size {};
  ASSERT_EQ(statvfs("/tmp", &size), 0);
  EXPECT_EQ(host.facts.maxtmp, size.f_blocks * size.f_frsize / (1 << 20));
  EXPECT_TRUE(host.warnings.empty());
}

TEST(LimReaderHere, LoadIsThisMachines) {
  LoadSampler sampler;
  sampler.sample({});
  const auto load = sampler.sample({std::chrono::seconds(15)});
  EXPECT_FALSE(load.first);
  for (const auto index : {r15s, r1m, r15m, ls, it, tmp, swp, mem})
    EXPECT_TRUE(known_load(load[index])) << index;
  // Others use the machine meanwhile, so roughly.
  const double available = static_cast<double>(meminfo("MemAvailable:")) / 1024;
  EXPECT_LE(load[mem], available * 1.5 + 512);
  EXPECT_LE(load[swp], static_cast<double>(meminfo("SwapTotal:")) / 1024);
  EXPECT_LE(load[r15s], 10000);
  struct statvfs size {};
  ASSERT_EQ(statvfs("/tmp", &size), 0);
  const auto free = static_cast<double>(size.f_bavail) * static_cast<double>(size.f_frsize) / (1 << 20);
  EXPECT_NEAR(load[tmp], free, free / 2 + 1024);
}

TEST(LimReaderHere, KeepsNoDescriptorButTheRoot) {
  const auto opened = [] {
    int count = 0;
    for (int fd = 0; fd < 200; ++fd)
      if (fcntl(fd, F_GETFD) != -1) ++count;
    return count;
  };
  const int before = opened();
  LoadSampler sampler;
  for (int turn = 0; turn < 30; ++turn) sampler.sample({std::chrono::seconds(5 * turn)});
  detect_facts({});
  EXPECT_EQ(opened(), before + 1);
}

}  // namespace
}  // namespace rollcall::load
