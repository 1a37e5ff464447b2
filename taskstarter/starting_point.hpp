// StartingPoint: what the launcher gave us, looked at once before anything is changed.
//
// The task gets all of it back: mask, dispositions, group (where it must stay in it).
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

namespace rollcall::taskstarter {

struct StartingPoint {
  sigset_t mask;                      // the signals that were blocked
  std::uint64_t ignored_signals = 0;  // bit signo - 1; of those that matter to us
  // Our group is the foreground group of our terminal, or stdin is our terminal: the task must stay in it, to read and
  // to be reached by Ctrl-C as it would be without us.
  bool shared_group = false;
  pid_t outer_pid = 0;
  pid_t parent_pid = 0;     // the launcher's process that started us; 0: none that we can see
  std::string parent_name;  // its command name
  std::string host;

  bool ignored(int signo) const { return (ignored_signals >> (signo - 1) & 1) != 0; }
};

// Looks, blocks every signal, and gives SIGCHLD its default where it was ignored (children would vanish unseen).
// `parent`: what getppid() said, asked once and for all.
StartingPoint find_starting_point(pid_t parent);

}  // namespace rollcall::taskstarter
