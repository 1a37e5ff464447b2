// The table of --usage:
//   TID   HOST_NAME   USER_TIME  SYSTEM_TIME   PEAK_MEMORY  SWITCHES        READ     WRITTEN
//   ===== ========== ========== ============ ============= ========= =========== ===========
//   %05d %-10.10s %10s %12s %13s %9s %11s %11s
//   time = seconds with two digits " s"; sizes = a number and B, KiB, MiB, GiB or TiB; "-" where nobody told
#include <algorithm>
#include <array>
#include <cstdio>

#include "pam/policy/report.hpp"
#include "pam/policy/report_rows.hpp"

namespace rollcall::pam {
namespace {

constexpr const char* kUsageHeader =
    "TID   HOST_NAME   USER_TIME  SYSTEM_TIME   PEAK_MEMORY  SWITCHES        READ     WRITTEN\n"
    "===== ========== ========== ============ ============= ========= =========== ===========\n";

std::string seconds_used(std::chrono::microseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", static_cast<double>(time.count()) / 1e6);
  return text;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string printf_row(const std::string& tid, const std::string& host,
                       const std::array<std::string, 6>& columns) {
  char line[512];
  std::snprintf(line, sizeof line, "%-5s %-10.10s %10s %12s %13s %9s %11s %11s\n", tid.c_str(), host.c_str(),
                columns[0].c_str(), columns[1].c_str(), columns[2].c_str(), columns[3].c_str(),
                columns[4].c_str(), columns[5].c_str());
  return line;
}

std::array<std::string, 6> columns_of(const TaskUsage& usage) {
  return {seconds_used(usage.user),
          seconds_used(usage.system),
          size_text(usage.peak_memory_bytes),
          std::to_string(usage.voluntary_switches + usage.involuntary_switches),
          size_text(usage.read_bytes),
          size_text(usage.written_bytes)};
}

}  // namespace

void usage_table(const Roll& roll, bool fold, const TextSink& sink) {
  if (roll.tasks.empty()) return;
  sink(kUsageHeader);
  std::size_t known = 0;
  for_each_row(roll, fold, [&](const ReportRow& row) {
    TaskUsage usage;
    const bool ended = roll.tasks[row.tasks.front()].state == TaskState::ended;
    for (const Tid tid : row.tasks) add_usage(usage, roll.tasks.usage(tid));
    sink(printf_row(row.tid, row.hosts,
                    ended ? columns_of(usage) : std::array<std::string, 6>{"-", "-", "-", "-", "-", "-"}));
    known += ended ? row.tasks.size() : 0;
  });
  if (known > 1) sink(printf_row("total", "", columns_of(roll.tasks.used())));
}

std::string usage_line(const TaskUsage& used) {
  return "the tasks used " + seconds_used(used.user) + " in user and " + seconds_used(used.system) +
         " in system mode, and " + size_text(used.peak_memory_bytes) + " of memory at the most";
}

}  // namespace rollcall::pam
