// interactive_job: bsub -I, -Ip, -Is: the job's terminal or pipes are ours.
#pragma once

#include "common/io/command.hpp"
#include "sched/commands/job_waiter.hpp"

namespace rollcall::sched {

// Until the job is over; what bsub exits with.
int run_interactive(io::Stage& stage, JobWaiter& waiter, const wire::Submission& job);

}  // namespace rollcall::sched
