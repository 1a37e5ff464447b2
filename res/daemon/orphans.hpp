// orphans: ends the processes of a job whose guard and shepherd were killed at the same time. Functions, which wait for their end.
//
// They have lost their parents. If jobs have cgroups, they are in one that no process holds; else they are recognised by the
// names of the job's directory in their environment. Without cgroups a program that has cleared its environment is not found.
#pragma once

#include <sys/types.h>

#include <string>

namespace rollcall::res {

// Kills the processes of `uid` with `directory` in their environment, until there is none. Returns how many there were. A
// pid that belongs to another process by now is not signalled.
int end_orphans(const std::string& directory, uid_t uid);

// The same, plus all processes in cgroups of `cgroups` ("": there are none) that no process holds.
void end_what_is_left(const std::string& directory, uid_t uid, const std::string& cgroups);

}  // namespace rollcall::res
