// verdict_json: the queues of other clusters that were looked at for a job, as JSON. A function.
#pragma once

#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::sched {

// A list on one line, of rows as bsched-query -json has them. NUMBERS is null where no update had come.
std::string verdicts_json(const google::protobuf::RepeatedPtrField<wire::ForwardVerdict>& rows);

}  // namespace rollcall::sched
