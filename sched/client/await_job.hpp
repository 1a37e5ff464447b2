// Waiting for a job or a condition: bsub -K and -I, bwait. Blocking, through every break of the connection.
//
// Each change of the job is handed over as mbatchd reports it (Awaited: the job as it is); sched/policy/submit/awaited_lines.hpp
// makes lines of it. A descriptor wakes the waiting program, which may then signal the job and wait again.
#pragma once

#include <functional>
#include <variant>

#include "sched/client/session.hpp"

namespace rollcall::client {

struct JobEnd {
  bool killed_pending = false;
  int wait_status = 0;  // the word of wait(2)
};
struct Woken {};
// How the waiting ended. StreamPlace: the job's host has it ready (Until::ready alone).
using Waited = std::variant<JobEnd, wire::StreamPlace, Woken, Failure>;

enum class Until { over, ready };
using TakeNews = std::function<void(const wire::BatchReply::Awaited& news)>;
// `wake`: a descriptor; -1: none.
Waited await_job(Session& session, const wire::AwaitJob& job, Until until, const TakeNews& news,
                 int wake = -1);

// What bsub exits with: the job's exit status; 128+n where a signal ended it; 126 where it never ran.
int exit_code_of(const JobEnd& ended);

// Waits until the condition holds. Failures: it is malformed, it can no longer hold, the time is over (Refusal.why).
std::optional<Failure> await_condition(Session& session, const wire::AwaitCondition& condition);

}  // namespace rollcall::client
