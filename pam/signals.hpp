// Signals: pam's signals as events of its loop, and the state the launcher is to be started with.
//
// While it lives the signals below are blocked in this process and come through a descriptor; what was ignored when we
// were started stays ignored, for us and for the launcher.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <functional>

namespace rollcall::pam {

class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return fd_; }
  // Hands over every signal that waits; never blocks.
  void read_all(const std::function<void(const signalfd_siginfo&)>& take) const;

  const sigset_t& mask_at_start() const { return mask_; }
  bool sigchld_was_ignored() const { return sigchld_ignored_; }

 private:
  sigset_t mask_{};
  bool sigchld_ignored_ = false;
  int fd_ = -1;
};

// Stops this process as SIGSTOP does, unless a SIGCONT waits: a stop would take that away (signal(7)), and whoever sent it believes
// that we go on.
void stop_self();

// True where the process `pid` has a handler for `signo` (SigCgt of /proc/PID/status).
bool catches(pid_t pid, int signo);

}  // namespace rollcall::pam
