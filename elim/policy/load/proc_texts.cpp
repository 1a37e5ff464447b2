//   words    = word { ( " " | TAB ) ... word }              of one line; a line ends with newline or the text
//   loadavg  = number number number running "/" processes pid
//   stat     = { "cpu" [ n ] user nice system idle iowait irq softirq steal guest guest_nice | other line }
//              user holds guest, nice holds guest_nice; kernels before 2.6.11 end earlier, missing fields are 0
//   meminfo  = { [ "Node" n ] name ":" number [ "kB" ] }
//   vmstat   = { name number }
//   diskstats = { major minor name reads merged SECTORS ms writes merged SECTORS ms ... }
//   uptime   = seconds idle_seconds
//   cpuinfo  = { name TAB ... ":" " " value }               a blank line ends the first processor
//   session  = { NAME "=" value }
//   cpu.max  = ( quota | "max" ) period
//   utmp     = { record }; a record begins: type 2 bytes, 2 unused, pid 4 bytes, line 32, id 4, user 32 (utmp(5));
//              numbers are this machine's; texts end with NUL or their field
#include "elim/policy/load/proc_texts.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace rollcall::load {
namespace {

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view next_word(std::string_view& line) {
  const auto start = line.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) {
    line = {};
    return {};
  }
  const auto end = line.find_first_of(" \t\r", start);
  const auto word = line.substr(start, end == std::string_view::npos ? end : end - start);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end);
  return word;
}

std::string_view trimmed(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r\n") - start + 1);
}

std::optional<std::uint64_t> whole(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<double> decimal(std::string_view word) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), number, std::chars_format::fixed);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

// The ticks after "cpu" or "cpuN".
std::optional<CpuTicks> ticks_of(std::string_view line) {
  enum { user, nice, system, idle, iowait, irq, softirq, steal, fields };
  std::array<std::uint64_t, fields> ticks{};
  for (int i = 0; i < fields; ++i) {
    const auto word = next_word(line);
    if (word.empty() && i > idle) break;
    const auto number = whole(word);
    if (!number) return std::nullopt;
    ticks[i] = *number;
  }
  return CpuTicks{ticks[user] + ticks[nice] + ticks[system] + ticks[irq] + ticks[softirq] + ticks[steal],
                  ticks[idle] + ticks[iowait]};
}

// The words of a utmp field, up to its NUL.
std::string field(std::string_view record, std::size_t start, std::size_t size) {
  const auto bytes = record.substr(start, size);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

}  // namespace

std::optional<KernelLoad> kernel_load(std::string_view loadavg) {
  auto line = next_line(loadavg);
  const auto one = decimal(next_word(line)), five = decimal(next_word(line)),
             fifteen = decimal(next_word(line));
  const auto tasks = next_word(line);
  const auto slash = tasks.find('/');
  if (!one || !five || !fifteen || slash == std::string_view::npos) return std::nullopt;
  const auto running = whole(tasks.substr(0, slash));
  if (!running) return std::nullopt;
  return KernelLoad{*one, *fifteen, *running};
}

std::optional<CpuTicks> cpu_ticks(std::string_view stat) {
  while (!stat.empty()) {
    auto line = next_line(stat);
    if (next_word(line) == "cpu") return ticks_of(line);
  }
  return std::nullopt;
}

std::vector<std::pair<int, CpuTicks>> ticks_of_each_cpu(std::string_view stat) {
  std::vector<std::pair<int, CpuTicks>> cpus;
  while (!stat.empty()) {
    auto line = next_line(stat);
    const auto name = next_word(line);
    if (!name.starts_with("cpu") || name == "cpu") continue;
    const auto number = whole(name.substr(3));
    const auto ticks = ticks_of(line);
    if (number && *number < 1'000'000 && ticks) cpus.emplace_back(static_cast<int>(*number), *ticks);
  }
  return cpus;
}

std::optional<MemoryText> memory_text(std::string_view meminfo) {
  MemoryText memory;
  bool total = false;
  std::optional<std::uint64_t> available;
  std::uint64_t cached = 0, shared = 0;
  while (!meminfo.empty()) {
    auto line = next_line(meminfo);
    auto name = next_word(line);
    if (name == "Node") {
      next_word(line);
      name = next_word(line);
    }
    const auto number = whole(next_word(line));
    if (!number) continue;
    if (name == "MemTotal:") {
      memory.total = *number;
      total = true;
    }
    if (name == "MemFree:") memory.free = *number;
    if (name == "MemAvailable:") available = *number;
    // A node says FilePages for what the machine splits in Buffers and Cached; Shmem is in both and cannot be given up.
    if (name == "Buffers:" || name == "Cached:" || name == "FilePages:" || name == "SReclaimable:")
      cached += *number;
    if (name == "Shmem:") shared = *number;
    if (name == "SwapTotal:") memory.swap_total = *number;
    if (name == "SwapFree:") memory.swap_free = *number;
  }
  if (!total) return std::nullopt;
  cached -= std::min(cached, shared);
  memory.available = std::min(available.value_or(memory.free + cached), memory.total);
  return memory;
}

std::optional<std::uint64_t> swapped_pages(std::string_view vmstat) {
  std::optional<std::uint64_t> in, out;
  while (!vmstat.empty() && !(in && out)) {
    auto line = next_line(vmstat);
    const auto name = next_word(line);
    if (name == "pswpin") in = whole(next_word(line));
    if (name == "pswpout") out = whole(next_word(line));
  }
  if (!in || !out) return std::nullopt;
  return *in + *out;
}

DiskSectors disk_sectors(std::string_view diskstats, const std::vector<std::string>& names) {
  DiskSectors disks;
  while (!diskstats.empty()) {
    auto line = next_line(diskstats);
    next_word(line);
    next_word(line);
    const auto name = next_word(line);
    bool wanted = false;
    for (const auto& known : names) wanted = wanted || known == name;
    if (!wanted) continue;
    next_word(line);
    next_word(line);
    const auto read = whole(next_word(line));
    for (int skip = 0; skip < 3; ++skip) next_word(line);
    const auto written = whole(next_word(line));
    if (read && written) disks.emplace_back(name, *read + *written);
  }
  return disks;
}

bool may_be_disk(std::string_view name) {
  for (const std::string_view other : {"loop", "ram", "zram", "sr", "fd", "mtdblock"})
    if (name.starts_with(other) && name.size() > other.size() && name[other.size()] >= '0' &&
        name[other.size()] <= '9')
      return false;
  return !(name.starts_with("mmcblk") &&
           (name.find("boot") != std::string_view::npos || name.find("rpmb") != std::string_view::npos));
}

std::optional<double> uptime_seconds(std::string_view uptime) { return decimal(next_word(uptime)); }

std::vector<Login> utmp_logins(std::string_view utmp, std::size_t record) {
  constexpr std::size_t kPid = 4, kLine = 8, kUser = 44, kText = 32, kLeast = kUser + kText;
  constexpr std::int16_t kUserProcess = 7;
  std::vector<Login> logins;
  if (record < kLeast) return logins;
  for (; utmp.size() >= record; utmp.remove_prefix(record)) {
    std::int16_t type = 0;
    std::memcpy(&type, utmp.data(), sizeof type);
    if (type != kUserProcess) continue;
    Login login{field(utmp, kUser, kText), field(utmp, kLine, kText), 0};
    std::memcpy(&login.pid, utmp.data() + kPid, sizeof login.pid);
    if (!login.user.empty()) logins.push_back(std::move(login));
  }
  return logins;
}

std::optional<Login> session_login(std::string_view session) {
  Login login;
  std::string_view kind, state;
  while (!session.empty()) {
    const auto line = trimmed(next_line(session));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = line.substr(0, equals), value = line.substr(equals + 1);
    if (name == "USER") login.user = value;
    if (name == "TTY") login.line = value;
    if (name == "CLASS") kind = value;
    if (name == "STATE") state = value;
    if (name == "LEADER") {
      const auto pid = whole(value);
      if (pid && *pid <= INT32_MAX) login.pid = static_cast<std::int32_t>(*pid);
    }
  }
  const bool person = kind == "user" || kind == "user-early" || kind == "user-light";
  if (login.user.empty() || !person || state == "closing") return std::nullopt;
  return login;
}

CpuIdentity cpu_identity(std::string_view cpuinfo) {
  CpuIdentity cpu;
  std::string implementer, part;
  while (!cpuinfo.empty()) {
    const auto line = next_line(cpuinfo);
    if (trimmed(line).empty() && (!cpu.name.empty() || !part.empty())) break;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto name = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
    if (name == "model name" || name == "cpu") cpu.name = value;
    if (name == "cpu family")
      cpu.family = static_cast<int>(std::min<std::uint64_t>(whole(value).value_or(0), 9999));
    if (name == "cpu MHz" && cpu.mhz == 0) cpu.mhz = decimal(value).value_or(0);
    if ((name == "bogomips" || name == "BogoMIPS") && cpu.bogomips == 0)
      cpu.bogomips = decimal(value).value_or(0);
    if (name == "clock") cpu.mhz = decimal(value.substr(0, value.find("MHz"))).value_or(0);
    if (name == "CPU implementer") implementer = value;
    if (name == "CPU part") part = value;
  }
  if (cpu.name.empty() && !part.empty()) cpu.name = "ARM " + implementer + " " + part;
  return cpu;
}

std::optional<std::uint64_t> cgroup_bytes(std::string_view text) {
  const auto number = whole(next_word(text = trimmed(text)));
  if (!number || *number > std::uint64_t{1} << 60) return std::nullopt;
  return number;
}

std::optional<double> cgroup_cpus(std::string_view cpu_max) {
  auto line = next_line(cpu_max);
  const auto quota = whole(next_word(line)), period = whole(next_word(line));
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::uint64_t cgroup_inactive_file(std::string_view memory_stat) {
  while (!memory_stat.empty()) {
    auto line = next_line(memory_stat);
    const auto name = next_word(line);
    // v1 counts a group's descendants apart.
    if (name == "inactive_file" || name == "total_inactive_file")
      if (const auto bytes = whole(next_word(line))) return *bytes;
  }
  return 0;
}

}  // namespace rollcall::load
