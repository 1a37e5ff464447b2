#include "common/io/own_terminal.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace rollcall::io {

OwnSignals::OwnSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH})
    sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, &before_);
  pipe_before_ = signal(SIGPIPE, SIG_IGN);
  descriptor_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

OwnSignals::~OwnSignals() {
  signal(SIGPIPE, pipe_before_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> OwnSignals::next() const {
  signalfd_siginfo taken;
  if (read(descriptor_.get(), &taken, sizeof taken) != sizeof taken) return std::nullopt;
  return static_cast<int>(taken.ssi_signo);
}

OwnTerminal::OwnTerminal(bool wanted) : raw_(wanted && tcgetattr(STDIN_FILENO, &before_) == 0) { enter(); }

// A background process must not change the terminal's modes, and would be stopped for it.
void OwnTerminal::enter() const {
  if (!raw_ || tcgetpgrp(STDIN_FILENO) != getpgrp()) return;
  termios raw = before_;
  cfmakeraw(&raw);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

void OwnTerminal::leave() const {
  if (raw_ && tcgetpgrp(STDIN_FILENO) == getpgrp()) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

void OwnTerminal::stop() const {
  leave();
  kill(getpid(), SIGSTOP);
  enter();
}

}  // namespace rollcall::io
