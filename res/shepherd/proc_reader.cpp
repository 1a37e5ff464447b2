// The file read:
//   /proc/PID/stat   pid " (" name ") " state " " ppid " " pgrp " " ...   fields by number in proc(5)
#include "res/shepherd/proc_reader.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "common/io/descriptor.hpp"

namespace rollcall::res {
namespace {

constexpr int kPgrp = 5, kUserTime = 14, kSystemTime = 15, kChildUser = 16, kChildSystem = 17, kThreads = 20,
              kSize = 23, kResident = 24;

std::optional<ProcessFacts> read_process(pid_t pid) {
  std::array<char, 40> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
  const io::Descriptor file(open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text;
  const ssize_t size = file ? read(file.get(), text.data(), text.size() - 1) : 0;
  if (size <= 0) return std::nullopt;
  text[static_cast<std::size_t>(size)] = '\0';
  const char* at = std::strrchr(text.data(), ')');  // the last one: the name itself may contain ")"
  if (at == nullptr || at[1] == '\0' || at[2] == 'Z' || at[2] == 'X') return std::nullopt;
  std::array<double, kResident + 1> fields{};
  at += 3;
  for (int number = 4; number <= kResident; ++number) {
    char* end = nullptr;
    fields[static_cast<std::size_t>(number)] = std::strtod(at, &end);
    if (end == at) return std::nullopt;
    at = end;
  }
  static const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  static const auto page_kb = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE) / 1024);
  ProcessFacts facts;
  facts.pid = pid;
  facts.pgid = static_cast<std::int32_t>(fields[kPgrp]);
  facts.cpu_user_s = (fields[kUserTime] + fields[kChildUser]) / ticks;
  facts.cpu_system_s = (fields[kSystemTime] + fields[kChildSystem]) / ticks;
  facts.threads = static_cast<std::int32_t>(fields[kThreads]);
  facts.swap_kb = static_cast<std::int64_t>(fields[kSize] / 1024);
  facts.memory_kb = static_cast<std::int64_t>(fields[kResident]) * page_kb;
  return facts;
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

std::vector<ProcessFacts> read_processes(const std::vector<pid_t>& pids) {
  std::vector<ProcessFacts> result;
  for (const pid_t pid : pids)
    if (const auto facts = read_process(pid)) result.push_back(*facts);
  return result;
}

EndedUsage ended_usage() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return {seconds(used.ru_utime), seconds(used.ru_stime), used.ru_maxrss};
}

EndedUsage own_times() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {seconds(used.ru_utime), seconds(used.ru_stime), 0};
}

}  // namespace rollcall::res
