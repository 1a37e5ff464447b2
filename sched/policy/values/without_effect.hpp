// options_without_effect: the options of a submission that are accepted without effect, a line for each: for `bsub --verbose`,
// terminals and `bjobs -l`. A function. submit_options.hpp lists options that are refused.
#pragma once

#include <string>
#include <vector>

#include "common/wire/job.pb.h"

namespace rollcall::sched {

std::vector<std::string> options_without_effect(const wire::Submission& asked);

}  // namespace rollcall::sched
