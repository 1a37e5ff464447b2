#include "pam/signals.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace rollcall::pam {
namespace {

bool is_ignored(int signo) {
  struct sigaction action {};
  return sigaction(signo, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGCHLD);
  for (const int signo : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH})
    if (!is_ignored(signo)) sigaddset(&ours, signo);
  sigchld_ignored_ = is_ignored(SIGCHLD);
  if (sigchld_ignored_) signal(SIGCHLD, SIG_DFL);  // else the kernel reaps for us, and statuses are lost

  sigset_t blocked = ours;
  sigaddset(&blocked, SIGPIPE);
  sigaddset(&blocked,
            SIGXFSZ);  // writing beyond the file size limit must be an error, not the end of pam
  sigaddset(&blocked, SIGTTOU);  // writing to the terminal from the background must not stop pam
  sigprocmask(SIG_BLOCK, &blocked, &mask_);
  fd_ = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() { close(fd_); }

void Signals::read_all(const std::function<void(const signalfd_siginfo&)>& take) const {
  signalfd_siginfo info{};
  while (read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) take(info);
}

void stop_self() {
  sigset_t waiting;
  sigpending(&waiting);
  if (sigismember(&waiting, SIGCONT) != 1) raise(SIGSTOP);
}

bool catches(pid_t pid, int signo) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (signo - 1) & 1) != 0;
  }
  return false;
}

}  // namespace rollcall::pam
