// elsewhere: what users see of a job that is in two clusters: where it was submitted, and where it runs. Functions.
#pragma once

#include <string>
#include <vector>

#include "common/wire/job.pb.h"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {

// What another cluster tells of a job is news: usage alone is none, as it comes again.
bool differ_beyond_usage(wire::JobElsewhere a, wire::JobElsewhere b);

// A job that another cluster runs or ran: its hosts there, named host@cluster. Other jobs keep theirs.
void name_hosts_elsewhere(wire::JobRecord& record);

// FROM_HOST: the submission host; of a job of another cluster host@cluster:jobid, with the id there (LSF's form).
std::string from_host_word(const wire::JobRecord& record, const wire::Submission& asked);

// "Job <12> forwarded to cluster <east>, queue <receive>", "..., as job <7>" once it is accepted: LSF's words, and ours behind them.
std::string forwarded_words(JobKey key, const wire::ForwardedTo& forwarded);

// Of a job in another cluster: a line for each order that it has not said to be carried out. They wait while it is not connected.
std::vector<std::string> waiting_orders(const wire::JobRecord& record);

// ", Mapped to <bob@east>" where the job runs, or ran, as another user there (UserMap); ", Mapped from <ann@west>" in that cluster; else "".
std::string mapped_words(const wire::JobRecord& record, const wire::Submission& asked);

}  // namespace rollcall::sched
