#include "sched/commands/ending_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace rollcall::sched {

EndingSignals::EndingSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, &before_);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

EndingSignals::~EndingSignals() {
  take();
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int EndingSignals::take() const {
  signalfd_siginfo taken;
  int signal = 0;
  while (read(descriptor_, &taken, sizeof taken) > 0) signal = static_cast<int>(taken.ssi_signo);
  return signal;
}

}  // namespace rollcall::sched
