// orphans: what is left of a job when guard and shepherd were killed at one instant. A function.
//
// Nobody is its parent any more, so it is known by its environment: the names of the job's own directory in it. A program
// that has cleared its environment is not found; the guard and the shepherd, each alone, miss nothing.
#pragma once

#include <sys/types.h>

#include <string>

namespace rollcall::res {

// Kills the processes of `uid` with `directory` in their environment, until there is none. Returns how many there were.
int end_orphans(const std::string& directory, uid_t uid);

}  // namespace rollcall::res
