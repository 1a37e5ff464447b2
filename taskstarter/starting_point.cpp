#include "taskstarter/starting_point.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/io/descriptor.hpp"
#include "common/io/host_addresses.hpp"

namespace rollcall::taskstarter {
namespace {

// The kernel answers this only for the terminal that controls us.
bool is_our_terminal(int fd, pid_t& foreground) { return ioctl(fd, TIOCGPGRP, &foreground) == 0; }

bool must_share_group() {
  pid_t foreground = 0;
  if (is_our_terminal(STDIN_FILENO, foreground)) return true;
  const io::Descriptor terminal(open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  return terminal && is_our_terminal(terminal.get(), foreground) && foreground == getpgrp();
}

std::string command_name(pid_t pid) {
  const io::Descriptor file(open(("/proc/" + std::to_string(pid) + "/comm").c_str(), O_RDONLY | O_CLOEXEC));
  char name[64];
  const ssize_t size = file ? read(file.get(), name, sizeof name) : 0;
  if (size <= 0) return {};
  return std::string(name, static_cast<std::size_t>(name[size - 1] == '\n' ? size - 1 : size));
}

std::uint64_t look_at_dispositions() {
  std::uint64_t ignored = 0;
  for (const int signo : {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGTERM, SIGCHLD}) {
    struct sigaction now;
    if (sigaction(signo, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
      ignored |= std::uint64_t{1} << (signo - 1);
  }
  return ignored;
}

}  // namespace

StartingPoint find_starting_point(pid_t parent) {
  StartingPoint start;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &start.mask);
  start.ignored_signals = look_at_dispositions();
  if (start.ignored(SIGCHLD)) signal(SIGCHLD, SIG_DFL);
  start.shared_group = must_share_group();
  start.outer_pid = getpid();
  start.parent_pid = parent;
  start.parent_name = command_name(start.parent_pid);
  start.host = io::host_name_here();
  return start;
}

}  // namespace rollcall::taskstarter
