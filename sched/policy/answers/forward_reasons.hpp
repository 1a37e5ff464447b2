// forward_reasons: why a pending job is not forwarded, for bjobs -p. A function from what mbatchd found of its remote queues to lines.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/answers/answers.hpp"

namespace rollcall::sched::answers {

// A line for each queue that the job is not offered to; for those that it is to be offered to one line in all, with why its last start
// failed. Empty: its queue sends no jobs, or something else holds it.
std::vector<std::string> forward_reasons(const RemoteLook& look, const wire::JobRecord& record);

}  // namespace rollcall::sched::answers
