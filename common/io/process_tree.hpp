// process_tree: the living descendants of a process, by the kernel's own lists of children.
//
// For a subreaper these lists are complete: double forks and setsid do not leave them. Process groups are not used:
// a program may leave its group, and pam shares its own with the launcher.
#pragma once

#include <sys/types.h>

#include <vector>

namespace rollcall::io {

// Every descendant of `root` (not root itself), parents before children. Zombies are among them.
std::vector<pid_t> descendants_of(pid_t root);

// Sends `signo` to every descendant of this process but those in `spare` and what those have started. Returns how many
// living ones (not zombies) it reached.
int signal_descendants(int signo, const std::vector<pid_t>& spare = {});

// True while the process exists and is not a zombie.
bool is_alive(pid_t pid);

}  // namespace rollcall::io
