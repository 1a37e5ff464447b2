// present_events: the events that tell of a job as it is now, without its past: what a new lsb.events begins with, so that who
// follows that file alone knows every job. Functions of the JobTable.
#pragma once

#include <functional>
#include <vector>

#include "sched/policy/book/job_table.hpp"

namespace rollcall::sched::book {

// Jobs that are not over, in order: an array as {id, 0}, and those of its elements that have begun or are held.
std::vector<JobKey> jobs_not_over(const JobTable& table);

// {id, 0} of an array: its submission alone. Of a job that the Book does not have: nothing.
void tell_of_job(const JobTable& table, JobKey key, const std::function<void(const wire::JobEvent&)>& take);

}  // namespace rollcall::sched::book
