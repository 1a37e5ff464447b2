#include "elim/commands/daemon_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "common/io/process_tree.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::elim {
namespace {

// The state and the start time in /proc/PID/stat. The name before them may contain blanks and ")".
struct Stat {
  char state = 0;
  std::uint64_t ticks = 0;
};

std::optional<Stat> read_stat(pid_t pid) {
  const auto text = io::read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return {};
  std::size_t at = text->rfind(") ");
  if (at == std::string::npos || at + 2 >= text->size()) return {};
  Stat stat;
  stat.state = (*text)[at + 2];
  constexpr int kBehindState = 19;  // fields from the state to the start time
  at += 2;
  for (int i = 0; i < kBehindState; ++i) {
    at = text->find(' ', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  std::from_chars(text->data() + at, text->data() + text->size(), stat.ticks);
  return stat;
}

// The boot time in seconds since 1970; 0 where /proc does not have it.
std::int64_t boot_time() {
  const auto text = io::read_file("/proc/stat");
  const auto at = text ? text->find("\nbtime ") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoll(text->c_str() + at + 7, nullptr, 10);
}

}  // namespace

std::string boot_id() {
  auto text = io::read_file("/proc/sys/kernel/random/boot_id");
  if (!text) return "00000000-0000-0000-0000-000000000000";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

std::optional<show::ProcessMark> mark_of(pid_t pid) {
  const auto stat = read_stat(pid);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return {};
  return show::ProcessMark{pid, stat->ticks, boot_id()};
}

bool any_process_called(const std::string& name) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    const auto called = io::read_file(entry->path().string() + "/comm");
    if (called && *called == name + "\n") return true;
  }
  return false;
}

bool shares_our_host_name(pid_t pid) {
  std::error_code theirs, ours;
  const auto there = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/uts", theirs);
  const auto here = std::filesystem::read_symlink("/proc/self/ns/uts", ours);
  return theirs || ours || there == here;
}

bool belongs_to(pid_t pid, const std::string& env_dir) {
  const auto words = io::read_file("/proc/" + std::to_string(pid) + "/cmdline");
  if (!words || words->empty()) return true;
  const std::string directory = show::started_with_directory(*words);
  if (directory.empty()) return true;  // it took LSF_ENVDIR from its environment
  std::error_code error;
  return directory == env_dir ||
         (!directory.empty() && std::filesystem::equivalent(directory, env_dir, error) && !error);
}

std::string started_at(const show::ProcessMark& mark) {
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  const std::time_t when =
      boot_time() + static_cast<std::int64_t>(mark.ticks) / (ticks_per_second > 0 ? ticks_per_second : 100);
  std::tm local{};
  localtime_r(&when, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

std::optional<HeldProcess> HeldProcess::hold(const show::ProcessMark& mark) {
  io::Descriptor fd(static_cast<int>(syscall(SYS_pidfd_open, mark.pid, 0)));
  // Read after the pidfd is open, so that the pid is still the same process.
  if (!fd || mark_of(mark.pid) != mark) return {};
  return HeldProcess(std::move(fd), mark.pid);
}

int HeldProcess::send(int signal) const {
  if (syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) == 0) return 0;
  return errno == ESRCH ? 0 : errno;
}

bool HeldProcess::gone_within(Patience patience) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + patience;
  while (true) {
    const auto left = std::chrono::duration_cast<Patience>(end - Clock::now());
    pollfd ended{fd_.get(), POLLIN, 0};
    const int got = poll(&ended, 1, static_cast<int>(std::max<Patience::rep>(left.count(), 0)));
    if (got > 0) return true;
    if (got == 0 || errno != EINTR) return false;
  }
}

std::vector<HeldProcess> hold_descendants(pid_t pid) {
  std::vector<HeldProcess> held;
  for (const pid_t below : io::descendants_of(pid))
    if (const auto mark = mark_of(below))
      if (auto process = HeldProcess::hold(*mark)) held.push_back(std::move(*process));
  return held;
}

}  // namespace rollcall::elim
