#include "taskstarter/parent_watch.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace rollcall::taskstarter {
namespace {

// linux/pidfd.h of 6.15 and later; the headers here may be older than the kernel.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64, "the first published size of struct pidfd_info");
constexpr std::uint64_t kInfoExit = 1U << 3;  // PIDFD_INFO_EXIT

bool ask_pidfd(int pidfd, int& wait_status) {
  PidfdInfo info{};
  info.mask = kInfoExit;
  if (ioctl(pidfd, _IOWR(0xFF, 11, PidfdInfo), &info) != 0 || (info.mask & kInfoExit) == 0) return false;
  wait_status = info.exit_code;
  return true;
}

// The last field of /proc/PID/stat, where the process is a zombie of our own user (the kernel says 0 to others).
bool ask_stat(pid_t pid, int& wait_status) {
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat owner;
  if (stat(folder.c_str(), &owner) != 0 || (owner.st_uid != geteuid() && geteuid() != 0)) return false;
  const io::Descriptor file(open((folder + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer;
  const ssize_t size = file ? read(file.get(), buffer.data(), buffer.size() - 1) : 0;
  if (size <= 0) return false;
  std::string_view line(buffer.data(), static_cast<std::size_t>(size));
  const std::size_t state = line.rfind(") ");
  const std::size_t last = line.find_last_of(' ');
  if (state == line.npos || line[state + 2] != 'Z') return false;
  wait_status = std::atoi(std::string(line.substr(last + 1)).c_str());
  return true;
}

}  // namespace

ParentWatch::ParentWatch(pid_t parent) : parent_(parent) {
  if (parent <= 0) return;
  pidfd_ = io::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, parent, 0)));
  // The end of a watched process makes the descriptor readable, also if it ended before.
  gone_already_ = !pidfd_ && getppid() != parent;
}

ParentEnd ParentWatch::how() const {
  int status = 0;
  if (!pidfd_ ||
      (!ask_pidfd(pidfd_.get(), status) && !ask_stat(parent_, status) && !ask_pidfd(pidfd_.get(), status)))
    return {};
  if (WIFSIGNALED(status)) return {EndCause::signaled, WTERMSIG(status)};
  return {EndCause::exited, WEXITSTATUS(status)};
}

}  // namespace rollcall::taskstarter
