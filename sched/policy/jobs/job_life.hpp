// The life of ONE job, or of one element of an array: what each event does to its record.
//
// A stepper: update first, then act; acting is idempotent. It touches nothing and knows no other job: which host may have
// it is the scheduler's (schedule.hpp), who may ask what, and what else hangs on it, is the Book's (book.hpp). Rules:
// "Running Jobs with Platform LSF", job states; lsb.queues(5); docs/decisions/0023.
//
//   status \ event | Dispatched | KillAsked        | StopAsked    | ResumeAsked | SuspendPlanned | ResumePlanned
//   ---------------+------------+------------------+--------------+-------------+----------------+----------------------
//   PEND           | RUN, start | EXIT             | PSUSP        | -           | -              | -
//   PSUSP          | -          | EXIT             | notes admin  | PEND (a)    | -              | -
//   RUN            | -          | TERMINATE        | USUSP, ord(g)| -           | SSUSP, order(g)| -
//   SSUSP          | -          | TERMINATE        | USUSP        | -           | more reasons(g)| RUN, order
//   USUSP          | -          | TERMINATE        | notes admin  | RUN (a),(b) | more reasons(g)| fewer reasons
//   UNKWN          | -          | ZOMBI, TERMINATE | notes, order | notes, order| -              | -
//   ZOMBI          | -          | TERMINATE        | -            | -           | -              | -
//   DONE, EXIT     | -          | -                | -            | -           | -              | -
//
//   status \ event | Ran        | Ended            | StoppedThere | ResumedThere| HostLost       | HostBack
//   ---------------+------------+------------------+--------------+-------------+----------------+----------------------
//   PEND, PSUSP    | -          | -                | -            | -           | -              | -
//   RUN            | started    | the end (c)      | USUSP        | -           | UNKWN (d)      | (e)
//   SSUSP, USUSP   | started    | the end (c)      | -            | RUN (f)     | UNKWN (d)      | (e)
//   UNKWN, ZOMBI   | as before, | the end (c)      | as before,   | as before,  | -              | as before it was lost,
//                  |  then so   |                  |  then so     |  then so    |                |  then (e)
//   DONE, EXIT     | -          | acknowledged     | -            | -           | -              | -
//
//   status \ event | RemoveAsked| SignalAsked      | RestartAsked | PostEnded      | TerminateTimeCame | AvoidanceOver
//   ---------------+------------+------------------+--------------+----------------+-------------------+---------------
//   PEND, PSUSP    | EXIT       | -                | -            | -              | EXIT              | hosts return
//   RUN SSUSP USUSP| EXIT, KILL | SEND             | -            | -              | TERMINATE         | hosts return
//   UNKWN, ZOMBI   | EXIT, KILL | SEND             | -            | -              | ZOMBI, TERMINATE  | hosts return
//   DONE, EXIT     | -          | -                | PEND, PSUSP  | POST_DONE, _ERR| -                 | -
//   PauseOver: PEND, PSUSP: it may start again. Dispatched (brun), brequeue and the job's end end a pause too; so does bmod.
//   LimitsChanged: where the job has hosts they are told; else nothing.
//
//   The start, where the first host knows go-aheads (Launch, job.hpp). "waits": go_given is false.
//   waits: Prepared of the last host -> OrderGo. NotPrepared, StartNotTaken -> released everywhere, PEND. KillAsked, RemoveAsked,
//          StopAsked, TerminateTimeCame -> released everywhere, then as PEND. HostBack: the order is there, or ordered again.
//   given: HostBack(prepared) -> waits, for those that have not said again that they have the order. Begun, Ran -> it runs.
//          HostBack of a host with a new disk: it may have run, and ends as with host_restarted.
//
//   (a) a job that an administrator has stopped is resumed by an administrator only
//   (b) -> SSUSP where the scheduler has reasons of its own to hold it
//   (c) the end: how \ what of it
//         ended           brequeue: -> PEND or PSUSP. A code of REQUEUE_EXIT_VALUES (bsub -Q), not killed, fewer than
//                         MAX_JOB_REQUEUE times: -> PEND, EXCLUDE() without this host, after short runs with a pause
//                         (requeue_pause.hpp). Else 0: -> DONE, other: -> EXIT
//         pre_exec_failed killed, or exit code 99 (LSB_EXIT_PRE_ABORT): -> EXIT. Else -> PEND at the head, without this
//                         host for a while; after MAX_PREEXEC_RETRY times -> PSUSP, or EXIT
//                         (LOCAL_MAX_PREEXEC_RETRY_ACTION)
//         not_started     killed, interactive, or its -cwd is missing: -> EXIT. Else -> PEND at the head, without this
//                         host for a while
//         supervisor_lost, host_restarted, never_seen
//                         killed: -> EXIT. rerunnable: -> PEND at the head. Else -> EXIT, lost; but never_seen of an attempt
//                         that has not started: its start is ordered again
//   (d) a rerunnable job -> PEND: another attempt may run while the lost one still does; that one is ended on return. A success
//       that it reports while the job pends is the job's end (GivenUpEnded). Where all hosts were lost at once it is UNKWN
//   (e) held: what was ordered since is ordered again. No trace: not started: killed -> EXIT, else its start is ordered
//       again; started: the end, as never_seen
//   (f) only of a stop that was not asked for here (a terminal's Ctrl-Z)
//   (g) where the queue's TERMINATE_WHEN has the new reason the order is TERMINATE (USER: of the first stop of any)
//
// "-": nothing changes. Every attempt is fenced by its number: what comes of an older one is acknowledged and forgotten.
// An attempt is over before the next one is dispatched, but for (d).
#pragma once

#include <optional>
#include <string>

#include "common/conf/lsb/values.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::jobs {

// What the configuration says of the job: made by job_rules() (site_rules.hpp) from its queue and what was asked.
struct JobRules {
  conf::RequeueExits requeue_exits;         // -Q, else the queue's
  bool rerunnable = false;                  // -r, else the queue's
  std::optional<int> most_requeues;         // MAX_JOB_REQUEUE; none: no limit
  std::optional<int> most_preexec_retries;  // MAX_PREEXEC_RETRY; none: no limit
  bool exit_after_preexec_retries = false;  // LOCAL_MAX_PREEXEC_RETRY_ACTION=EXIT; else it is held
  std::uint32_t terminate_for = 0;    // bits of SuspendReason: TERMINATE instead of SUSPEND (TERMINATE_WHEN)
  bool sequential = true;             // of its TERMINATE: INT, TERM, KILL; false: KILL at once
  std::int64_t longest_pause_s = 60;  // MAX_REQUEUE_PAUSE; 0: none
  std::int64_t avoid_s = 60;          // how long a host is avoided where it could not start the job
  std::string queue_pre_exec, queue_post_exec;
};

// The record of a job that was just submitted.
wire::JobRecord new_record(const wire::Submission& asked, JobKey key, std::uint64_t submission,
                           const std::string& queue, WallTime now);

// Changes the record and appends what is to be done. Nothing is appended where nothing changes.
void step(Job& job, const JobRules& rules, const JobHappening& event, WallTime now, Effects& effects);

// The present or last attempt of a job.
Attempt attempt_of(const wire::JobRecord& record);
// The order that a record's signal stands for, for the first time or told again.
order::Signal signal_order(const wire::JobRecord& record, const wire::SentSignal& sent);

// Seconds that the job has spent in its present status; and the record's sums with them.
wire::JobRecord with_present_seconds(wire::JobRecord record, WallTime now);

// "" where the record is sound, else what is broken.
std::string broken_invariant(const wire::JobRecord& record);

}  // namespace rollcall::sched::jobs
