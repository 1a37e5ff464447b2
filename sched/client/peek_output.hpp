// peek_output: reads what a running job has written so far, and, if it is followed, what it writes later. For bpeek.
//
// The job's first host reads the files, as the job's user; where that is in another cluster, mbatchd asks it. A slow reader loses its connection; the missing bytes are then
// requested again. If the host of a followed job is lost, the session's observer gets one line, and the host is asked again every
// second, until it answers or mbatchd has the job on another host; a rerunnable job may pend in between.
#pragma once

#include <functional>
#include <string>

#include "sched/client/session.hpp"

namespace rollcall::client {

struct PeekedJob {
  wire::JobRecord job;
  wire::Submission asked;
};
// Of the jobs that `filter` chooses the one that was submitted last. Failures: no_match with LSF's texts, also where that job pends
// or is over.
Answered<PeekedJob> find_output(Session& session, wire::JobFilter filter);

struct OutputWanted {
  bool errors = false;  // of its error file
  bool follow = false;  // until the job is over, without a limit of time
};
// The bytes as they come; `take` false: enough. Failures: refused, also where the job ended after its host was lost; unreachable.
std::optional<Failure> peek_output(Session& session, wire::JobRecord job, OutputWanted wanted,
                                   const std::function<bool(const std::string&)>& take);

}  // namespace rollcall::client
