// task_signals: sends a signal for the task to the processes that must get it.
#pragma once

#include <sys/types.h>

namespace rollcall::taskstarter {

// The task leads a group of its own: the group gets it, as a launcher's kill(-pgid) would do. In a shared group, where a
// kill of the group would come back to us, the descendants in it get it one by one. STOP and CONT reach every descendant:
// a stopped job is to stand still, whatever groups its processes have made.
void signal_task(pid_t task, int signo, bool shared_group);

}  // namespace rollcall::taskstarter
