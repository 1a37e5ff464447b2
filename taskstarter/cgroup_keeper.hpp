// The keeper of a job's cgroup: a process that sleeps until no TaskStarter of the job is left on this host, however they
// ended, and then ends what they left and removes the cgroup.
//
// It is what notices that all TaskStarters of a host were killed at the same instant, or that the last task's leftovers
// belong to another user by now. The first TaskStarter of a job starts one. It belongs to nobody (no parent of ours, a
// session of its own, none of the launcher's descriptors, another name), so that no launcher waits for it and
// `pkill TaskStarter` spares it; it ends within a millisecond of the last TaskStarter. Before it sleeps it ends
// what jobs before this one have left here.
#pragma once

#include <span>

#include "common/io/job_cgroup.hpp"

namespace rollcall::taskstarter {

// Call it before we are a subreaper: the keeper must not fall to us. `words` is the end of our command line, which the
// keeper blanks out in its copy. Where no keeper can be started there is none.
void start_keeper(const io::JobCgroup& cgroup, std::span<char* const> words);

}  // namespace rollcall::taskstarter
