// process_tree: the living descendants of a process, by the kernel's own lists of children.
//
// For a subreaper these lists are complete: double forks and setsid do not leave them. Process groups are not used:
// a program may leave its group, and pam shares its own with the launcher. Signals go through pidfds: a pid that the kernel
// has given to another process meanwhile gets no signal.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// Every descendant of `root` (not root itself), parents before children. Zombies are among them.
std::vector<pid_t> descendants_of(pid_t root);

// A pidfd of the process; none where it is gone, or where there are no pidfds.
Descriptor open_process(pid_t pid);
// `process`: that of `pid`. Without it the number alone must do: so only for a child that was not waited for, whose number stays its
// own. False where the signal was not sent.
bool signal_process(pid_t pid, const Descriptor& process, int signo);

// Sends `signo` to those of `pids` that are descendants of `root` when their pidfds are open. Returns how many it reached.
int signal_if_below(pid_t root, int signo, const std::vector<pid_t>& pids);

// Sends `signo` to every descendant of this process but those in `spare` and what those have started. Returns how many
// living ones (not zombies) it reached.
int signal_descendants(int signo, const std::vector<pid_t>& spare = {});

// True while the process exists and is not a zombie.
bool is_alive(pid_t pid);

}  // namespace rollcall::io
