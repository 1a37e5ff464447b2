// present_events: the events that describe a job as it is now, without its past. A new lsb.events begins with them, so that a
// reader of that file alone knows every job. Functions of the JobTable.
#pragma once

#include <functional>
#include <vector>

#include "sched/policy/book/job_table.hpp"

namespace rollcall::sched::book {

// Unfinished jobs in order: an array as {id, 0}, then those of its elements that have begun or are held.
std::vector<JobKey> jobs_not_over(const JobTable& table);

// For {id, 0} of an array: the event of its submission. For a job that the Book does not have: no event.
void tell_of_job(const JobTable& table, JobKey key, const std::function<void(const wire::JobEvent&)>& take);

}  // namespace rollcall::sched::book
