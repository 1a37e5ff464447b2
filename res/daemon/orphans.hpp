// orphans: what is left of a job when guard and shepherd were killed at one instant. Functions, which wait for its end.
//
// Nobody is its parent any more. Where jobs have cgroups it is in one that nobody holds; besides it is known by its
// environment: the names of the job's own directory in it. Without cgroups a program that has cleared its environment is
// not found; the guard and the shepherd, each alone, miss nothing.
#pragma once

#include <sys/types.h>

#include <string>

namespace rollcall::res {

// Kills the processes of `uid` with `directory` in their environment, until there is none. Returns how many there were. A
// number that belongs to another process by now is not signalled.
int end_orphans(const std::string& directory, uid_t uid);

// Those, and everything in cgroups of `cgroups` ("": there are none) that nobody holds.
void end_what_is_left(const std::string& directory, uid_t uid, const std::string& cgroups);

}  // namespace rollcall::res
