#include "taskstarter/task_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include "common/io/process_tree.hpp"

namespace rollcall::taskstarter {

void signal_task(pid_t task, int signo, bool shared_group) {
  if (shared_group) {
    const pid_t group = getpgrp();
    for (const pid_t pid : io::descendants_of(getpid()))
      if (getpgid(pid) == group) kill(pid, signo);
    return;
  }
  if (signo == SIGSTOP || signo == SIGCONT) {
    io::signal_descendants(signo);
    return;
  }
  if (kill(-task, signo) != 0) kill(task, signo);
}

}  // namespace rollcall::taskstarter
