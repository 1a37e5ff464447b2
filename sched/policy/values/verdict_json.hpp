// verdict_json: the queues of other clusters that were looked at for a job, as JSON: of bsched-query and bjobs. Functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::sched {

// {"QUEUE": ..., "NUMBERS": null} where no update had come.
nlohmann::ordered_json verdict_json(const wire::ForwardVerdict& row);

// A list on one line.
std::string verdicts_json(const google::protobuf::RepeatedPtrField<wire::ForwardVerdict>& rows);

}  // namespace rollcall::sched
