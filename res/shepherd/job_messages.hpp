// job_messages: makes the messages that a shepherd sends about its job. Functions; the messages are those of common/wire/res.proto.
#pragma once

#include <sys/types.h>

#include "res/policy/job_life.hpp"
#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {

const wire::JobAttempt& attempt_of(const wire::JobOrder& order);

wire::FromRes::JobRunning running_message(const wire::JobOrder& order, const JobFiles& files, pid_t job,
                                          std::int64_t start_us);

struct JobTimes {
  std::int64_t start_us = 0, end_us = 0;
};
wire::FromRes::JobOver over_message(const wire::JobOrder& order, const effect::TellOver& how,
                                    const wire::JobUsage& usage, const JobTimes& times);
// The place where a client finds the stream of the task, or why there is none.
wire::FromShepherd place_message(std::uint64_t number, const Result<std::uint16_t>& port);
wire::FromRes::PostOver post_over_message(const wire::JobOrder& order, bool failed);

}  // namespace rollcall::res
