// The file read:
//   /proc/PID/stat   pid " (" name ") " state " " ppid " " pgrp " " ...   fields by number in proc(5)
#include "res/shepherd/proc_reader.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
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

// The state of a process or thread ("/proc/12/stat"), and how many threads it has; '\0': it is gone.
char state_of(const char* path, int& threads) {
  const io::Descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text;
  const ssize_t size = file ? read(file.get(), text.data(), text.size() - 1) : 0;
  if (size <= 0) return '\0';
  text[static_cast<std::size_t>(size)] = '\0';
  const char* const at = std::strrchr(text.data(), ')');
  if (at == nullptr || at[1] == '\0') return '\0';
  const char* field = at + 2;
  for (int number = 3; field != nullptr && number < kThreads; ++number)
    if ((field = std::strchr(field, ' ')) != nullptr) ++field;
  threads = field == nullptr ? 0 : std::atoi(field);
  return at[2];
}
bool is_running(char state) { return state == 'R' || state == 'S'; }

// Its first thread has ended, and others may run.
bool a_thread_runs(pid_t pid) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/task", static_cast<int>(pid));
  DIR* const list = opendir(path.data());
  if (list == nullptr) return false;
  bool found = false;
  while (const dirent* entry = found ? nullptr : readdir(list)) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0) continue;
    int threads = 0;
    std::snprintf(path.data(), path.size(), "/proc/%d/task/%d/stat", static_cast<int>(pid), thread);
    found = is_running(state_of(path.data(), threads));
  }
  closedir(list);
  return found;
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

bool any_runs(const std::vector<pid_t>& pids) {
  return std::any_of(pids.begin(), pids.end(), [](pid_t pid) {
    std::array<char, 40> path;
    std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
    int threads = 0;
    const char state = state_of(path.data(), threads);
    return is_running(state) || (state == 'Z' && threads > 1 && a_thread_runs(pid));
  });
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
