// notices: the messages to a job's user: mail at its begin (-B), and the report of its end, in its output file or by mail.
// Functions.
#pragma once

#include <sys/types.h>

#include <string>

#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {

// "Thu Jun 11 18:23:40 2020", in the host's zone.
std::string calendar(std::int64_t us);

// Sends it if it was asked for; does not wait for the mail program.
void tell_begin(const wire::JobOrder& order, const JobFiles& files, std::int64_t start_us);

struct EndTold {
  pid_t mail = -1;  // the mail program, which the caller waits for; -1: there is none
  std::string
      note;  // what is not as asked: where the output is, and why, or that the report could not be written; "": nothing
};
EndTold tell_end(const wire::JobOrder& order, const JobFiles& files, const wire::FromRes::JobOver& over,
                 bool sampled, std::int64_t now_us);

// The job has written something that is to be mailed.
bool has_unmailed(const JobFiles& files);
// Writes output that could not be mailed to a file in LSF_TMPDIR. Returns the note for the user, as EndTold has it.
std::string keep_unmailed(const wire::JobOrder& order, const JobFiles& files, const std::string& why);

}  // namespace rollcall::res
