// notices: what a job's user is told: the mail at its begin (-B), and the report of its end, in its file or by mail. Functions.
#pragma once

#include <sys/types.h>

#include <string>

#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {

// "Thu Jun 11 18:23:40 2020", in the host's zone.
std::string calendar(std::int64_t us);

// Where it was asked for. The mail program is left to itself.
void tell_begin(const wire::JobOrder& order, const JobFiles& files, std::int64_t start_us);

// The pid of the mail program, which the caller waits for; -1: there is none.
pid_t tell_end(const wire::JobOrder& order, const JobFiles& files, const wire::FromRes::JobOver& over,
               bool sampled, std::int64_t now_us);

}  // namespace rollcall::res
