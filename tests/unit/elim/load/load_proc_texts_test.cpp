// The kernel's texts, as different kernels write them, and broken ones.
#include <gtest/gtest.h>

#include <cstring>

#include "elim/policy/load/proc_texts.hpp"

namespace rollcall::load {
namespace {

TEST(ProcTexts, ReadsLoadAverages) {
  const auto load = kernel_load("0.57 0.78 0.54 2/108 22989\n");
  ASSERT_TRUE(load);
  EXPECT_DOUBLE_EQ(load->one, 0.57);
  EXPECT_DOUBLE_EQ(load->fifteen, 0.54);
  EXPECT_EQ(load->running, 2U);
  for (const char* broken : {"", "\n", "0.5", "a b c 1/2 3", "0.1 0.2 0.3 2 5", "0.1 0.2 0.3 x/2 5",
                             "-1 0 0 1/2 3", "inf 0 0 1/2 3", "nan 0 0 1/2 3"})
    EXPECT_FALSE(kernel_load(broken)) << broken;
}

TEST(ProcTexts, ReadsTicksOfAllCpusAndOfEach) {
  const char* stat =
      "cpu  100 20 30 400 50 6 7 8 90 10\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu17 10 0 0 90\nintr 1 2\ncpux 1\ncpu3 "
      "a b c d\n";
  const auto ticks = cpu_ticks(stat);
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->busy, 171U) << "guests are in user and nice already";
  EXPECT_EQ(ticks->idle, 450U);
  const auto each = ticks_of_each_cpu(stat);
  ASSERT_EQ(each.size(), 2U) << "invalid lines are skipped";
  EXPECT_EQ(each[0].first, 0);
  EXPECT_EQ(each[0].second.busy, 27U);
  EXPECT_EQ(each[1].first, 17);
  EXPECT_EQ(each[1].second.idle, 90U) << "a kernel that ends at idle";
  EXPECT_FALSE(cpu_ticks("cpu0 1 2 3 4\n"));
  EXPECT_FALSE(cpu_ticks("cpu 1 2 3\n"));
  EXPECT_FALSE(cpu_ticks("cpu 1 2 3 99999999999999999999\n"));
}

TEST(ProcTexts, ReadsMemory) {
  const auto memory = memory_text(
      "MemTotal:  1000 kB\nMemFree: 200 kB\nMemAvailable: 600 kB\nSwapTotal: 50 kB\nSwapFree: 40 kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total, 1000U);
  EXPECT_EQ(memory->available, 600U);
  EXPECT_EQ(memory->swap_total, 50U);
  EXPECT_EQ(memory->swap_free, 40U);
  EXPECT_FALSE(memory_text(""));
  EXPECT_FALSE(memory_text("MemTotal: lots kB\n"));
}

TEST(ProcTexts, ReadsMemoryOfAnOldKernelAndOfANode) {
  const auto old = memory_text(
      "MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 300 kB\nShmem: 80 kB\nSReclaimable: 20 "
      "kB\n");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->available, 390U);
  const auto node = memory_text(
      "Node 1 MemTotal:  1000 kB\nNode 1 MemFree: 100 kB\nNode 1 FilePages: 300 kB\nNode 1 Shmem: 100 kB\n");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->total, 1000U);
  EXPECT_EQ(node->free, 100U);
  EXPECT_EQ(node->available, 300U);
  EXPECT_EQ(memory_text("MemTotal: 10 kB\nMemAvailable: 90 kB\n")->available, 10U)
      << "never more than there is";
}

TEST(ProcTexts, ReadsSwappedPages) {
  EXPECT_EQ(swapped_pages("pgpgin 5\npswpin 20\npswpout 22\n"), 42U);
  EXPECT_EQ(swapped_pages("pswpin 20\n"), std::nullopt) << "half a kernel's text is no number";
  EXPECT_EQ(swapped_pages(""), std::nullopt);
}

TEST(ProcTexts, ReadsSectorsOfTheDisksAskedFor) {
  const char* text =
      "   8       0 sda 10 1 1000 5 20 2 2000 6 0 7 8 9 0 0 0\n   8       1 sda1 1 1 900 5 20 2 1900 6 0 7 "
      "8\n"
      " 259       0 nvme0n1 10 1 7 5 20 2\n";
  EXPECT_EQ(disk_sectors(text, {"nvme0n1", "sda"}), (DiskSectors{{"sda", 3000}}));
  EXPECT_TRUE(disk_sectors(text, {}).empty());
}

TEST(ProcTexts, TellsDisksFromOtherBlockDevices) {
  for (const char* disk :
       {"sda", "sdab", "vda", "xvda1", "nvme0n1", "mmcblk0", "dasda", "pmem0", "ramdisk", "fda"})
    EXPECT_TRUE(may_be_disk(disk)) << disk;
  for (const char* other :
       {"loop0", "ram15", "zram0", "sr0", "fd0", "mtdblock3", "mmcblk0boot0", "mmcblk1rpmb"})
    EXPECT_FALSE(may_be_disk(other)) << other;
}

TEST(ProcTexts, ReadsUptime) {
  EXPECT_EQ(uptime_seconds("350735.47 234388.90\n"), 350735.47);
  EXPECT_EQ(uptime_seconds(""), std::nullopt);
}

std::string record(std::int16_t type, std::int32_t pid, const std::string& line, const std::string& user,
                   std::size_t size) {
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), &type, sizeof type);
  std::memcpy(bytes.data() + 4, &pid, sizeof pid);
  std::memcpy(bytes.data() + 8, line.data(), line.size());
  std::memcpy(bytes.data() + 44, user.data(), user.size());
  return bytes;
}

TEST(ProcTexts, ReadsLoginsOfUtmp) {
  for (const std::size_t size : {384U, 400U}) {  // x86_64, aarch64
    const std::string full(32, 'u');
    const auto utmp = record(2, 0, "~", "reboot", size) + record(7, 12, "pts/0", "alice", size) +
                      record(7, 13, "tty1", full, size) + record(7, 14, "tty2", "", size) +
                      record(8, 15, "pts/1", "", size);
    EXPECT_EQ(utmp_logins(utmp + "cut", size),
              (std::vector<Login>{{"alice", "pts/0", 12}, {full, "tty1", 13}}))
        << size;
  }
  EXPECT_TRUE(utmp_logins("", 384).empty());
  EXPECT_TRUE(utmp_logins(std::string(384, '\7'), 10).empty());
}

TEST(ProcTexts, ReadsLoginsOfSystemd) {
  EXPECT_EQ(session_login("# private\nUSER=carol\nSTATE=active\nCLASS=user\nTTY=pts/4\nLEADER=7001\n"),
            (Login{"carol", "pts/4", 7001}));
  EXPECT_EQ(session_login("USER=carol\nCLASS=user\n"), (Login{"carol", "", 0}));
  for (const char* none : {"", "USER=gdm\nCLASS=greeter\n", "USER=carol\nCLASS=user\nSTATE=closing\n",
                           "CLASS=user\n", "USER=carol\nCLASS=manager\n"})
    EXPECT_FALSE(session_login(none)) << none;
}

TEST(ProcTexts, ReadsProcessors) {
  const auto amd = cpu_identity(
      "processor\t: 0\ncpu family\t: 25\nmodel name\t: AMD EPYC 7763 64-Core Processor\ncpu MHz\t\t: "
      "2445.4\nbogomips\t: 4890.80\n\nprocessor: 1\nmodel name: other\n");
  EXPECT_EQ(amd.name, "AMD EPYC 7763 64-Core Processor");
  EXPECT_EQ(amd.family, 25);
  EXPECT_DOUBLE_EQ(amd.mhz, 2445.4);
  EXPECT_DOUBLE_EQ(amd.bogomips, 4890.8);
  EXPECT_EQ(cpu_identity("processor: 0\nBogoMIPS: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n").name,
            "ARM 0x41 0xd0c");
  const auto power = cpu_identity(
      "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 3783.000000MHz\n");
  EXPECT_EQ(power.name, "POWER9 (architected), altivec supported");
  EXPECT_DOUBLE_EQ(power.mhz, 3783);
  EXPECT_EQ(cpu_identity("").name, "");
}

TEST(ProcTexts, ReadsLimitsOfAContainer) {
  EXPECT_EQ(cgroup_bytes("8589934592\n"), 8589934592U);
  EXPECT_EQ(cgroup_bytes("max\n"), std::nullopt);
  EXPECT_EQ(cgroup_bytes("9223372036854771712\n"), std::nullopt) << "v1's word for no limit";
  EXPECT_EQ(cgroup_bytes(""), std::nullopt);
  EXPECT_EQ(cgroup_cpus("250000 100000\n"), 2.5);
  EXPECT_EQ(cgroup_cpus("max 100000\n"), std::nullopt);
  EXPECT_EQ(cgroup_cpus("-1 100000\n"), std::nullopt) << "v1";
  EXPECT_EQ(cgroup_cpus("1 0\n"), std::nullopt);
  EXPECT_EQ(cgroup_inactive_file("anon 5\ninactive_file 77\n"), 77U);
  EXPECT_EQ(cgroup_inactive_file("anon 5\n"), 0U);
}

}  // namespace
}  // namespace rollcall::load
