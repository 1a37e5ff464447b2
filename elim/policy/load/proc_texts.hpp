// ProcTexts: parsers for the kernel's text files that a host's load is read from. Functions; the grammars are at the top of
// proc_texts.cpp.
//
// They open no files (elim/reader does). A missing or malformed value is none, and unknown lines are skipped, so a newer kernel's
// longer files parse as today's. In a container another program may write /proc: every number is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elim/policy/load/load_math.hpp"

namespace rollcall::load {

// /proc/loadavg
struct KernelLoad {
  double one = 0, fifteen = 0;  // minutes
  std::uint64_t running = 0;    // now, whoever reads the file included
};
std::optional<KernelLoad> kernel_load(std::string_view loadavg);

// /proc/stat: all CPUs together, and each one by its number. Busy: user, nice, system, interrupts, and what another
// guest of the hypervisor took; idle: also waiting for a disk.
std::optional<CpuTicks> cpu_ticks(std::string_view stat);
std::vector<std::pair<int, CpuTicks>> ticks_of_each_cpu(std::string_view stat);

// /proc/meminfo, and nodeN/meminfo (whose lines begin with "Node N"). KB.
struct MemoryText {
  std::uint64_t total = 0, free = 0;
  std::uint64_t available =
      0;  // MemAvailable; where there is none (a node; Linux before 3.14): free and what is cached
  std::uint64_t swap_total = 0, swap_free = 0;
};
std::optional<MemoryText> memory_text(std::string_view meminfo);

// /proc/vmstat: pages swapped in and out since boot.
std::optional<std::uint64_t> swapped_pages(std::string_view vmstat);

// /proc/diskstats: of the devices in `names`.
DiskSectors disk_sectors(std::string_view diskstats, const std::vector<std::string>& names);
// Whether an entry of /sys/block can be a disk: no CD drive, floppy, loop or RAM device, and no boot part of a flash card.
bool may_be_disk(std::string_view name);

// /proc/uptime, in seconds.
std::optional<double> uptime_seconds(std::string_view uptime);

struct Login {
  std::string user;
  std::string line;      // its terminal under /dev; empty: none
  std::int32_t pid = 0;  // of its first process; 0: not known
  friend bool operator==(const Login&, const Login&) = default;
};
// The user processes in utmp, whose records are `record` bytes long on this machine. A truncated record is skipped.
std::vector<Login> utmp_logins(std::string_view utmp, std::size_t record);
// A file of /run/systemd/sessions, where a system keeps no utmp; none where it is no open session of a user.
std::optional<Login> session_login(std::string_view session);

// /proc/cpuinfo, of the first processor.
struct CpuIdentity {
  std::string name;  // "AMD EPYC 7763 64-Core Processor"; on ARM made of implementer and part; may be empty
  int family = 0;    // x86; 0 elsewhere
  double mhz = 0;    // 0: not said
  double bogomips = 0;  // 0: not said
};
CpuIdentity cpu_identity(std::string_view cpuinfo);

// memory.max, memory.limit_in_bytes, memory.current, memory.usage_in_bytes: bytes; none for "max" and for its equivalent in
// cgroup v1 (more than 2^60).
std::optional<std::uint64_t> cgroup_bytes(std::string_view text);
// cpu.max: CPUs; none for "max".
std::optional<double> cgroup_cpus(std::string_view cpu_max);
// memory.stat: bytes of file pages that would be given up first.
std::uint64_t cgroup_inactive_file(std::string_view memory_stat);

}  // namespace rollcall::load
