// What of a submission is accepted and has no effect here, one line for each: for `bsub --verbose`, terminals and `bjobs -l`.
// A function over values. Options that are refused are submit_options.hpp's.
#pragma once

#include <string>
#include <vector>

#include "common/wire/job.pb.h"

namespace rollcall::sched {

std::vector<std::string> options_without_effect(const wire::Submission& asked);

}  // namespace rollcall::sched
