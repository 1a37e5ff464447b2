#include "elim/reader/memory_limits.hpp"

#include <algorithm>

#include "elim/policy/load/proc_texts.hpp"

namespace rollcall::load {
namespace {

struct Group {
  const char *limit, *used, *parts;
};
constexpr Group kGroups[] = {
    {"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current", "sys/fs/cgroup/memory.stat"},
    {"sys/fs/cgroup/memory/memory.limit_in_bytes", "sys/fs/cgroup/memory/memory.usage_in_bytes",
     "sys/fs/cgroup/memory/memory.stat"},
};

std::optional<std::uint64_t> bytes_in(const FilesBelow& files, const char* path) {
  const auto text = files.text(path);
  return text ? cgroup_bytes(*text) : std::nullopt;
}

void limit_memory(const FilesBelow& files, const Group& group, Memory& memory) {
  const auto limit = bytes_in(files, group.limit);
  if (!limit) return;
  memory.total = std::min(memory.total, *limit / 1024);
  const auto used = bytes_in(files, group.used).value_or(0);
  const auto kept = used - std::min(used, cgroup_inactive_file(files.text(group.parts).value_or("")));
  memory.available = std::min(memory.available, (*limit - std::min(*limit, kept)) / 1024);
}

}  // namespace

std::optional<Memory> read_memory(const FilesBelow& files) {
  const auto text = files.text("proc/meminfo");
  const auto machine = text ? memory_text(*text) : std::nullopt;
  if (!machine) return std::nullopt;
  Memory memory{machine->total, machine->available, machine->swap_total, machine->swap_free};
  for (const auto& group : kGroups) limit_memory(files, group, memory);
  return memory;
}

std::optional<double> cpu_quota(const FilesBelow& files) {
  if (const auto text = files.text("sys/fs/cgroup/cpu.max")) return cgroup_cpus(*text);
  const auto quota = files.text("sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
             period = files.text("sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return cgroup_cpus(quota->substr(0, quota->find('\n')) + " " + *period);
}

}  // namespace rollcall::load
