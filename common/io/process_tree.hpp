// process_tree: the living descendants of a process, by the kernel's own lists of children.
//
// For a subreaper these lists are complete: double forks and setsid do not leave them. Process groups are not used: a program may
// leave its group, and pam shares its own with the launcher. Signals go through pidfds, so that a reused pid gets none.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// Every descendant of `root` (not root itself), parents before children. Zombies are among them.
std::vector<pid_t> descendants_of(pid_t root);

// A pidfd of the process; none if the process is gone, or the kernel has no pidfds.
Descriptor open_process(pid_t pid);
// `process`: the pidfd of `pid`. Without one the pid is used, which is safe only for a child that was not waited for. False where
// the signal was not sent.
bool signal_process(pid_t pid, const Descriptor& process, int signo);

// Sends `signo` to those of `pids` that are descendants of `root` once their pidfds are open. Returns how many it reached.
int signal_if_below(pid_t root, int signo, const std::vector<pid_t>& pids);

// Sends `signo` to every descendant of this process except `spare` and their descendants. Returns how many living ones (not
// zombies) it reached.
int signal_descendants(int signo, const std::vector<pid_t>& spare = {});

// True while the process exists and is not a zombie.
bool is_alive(pid_t pid);

}  // namespace rollcall::io
