// job_life: the life of ONE job, or of one element of an array: what each event does to its record.
//
// A stepper: it changes the record, then appends effects, which are idempotent. It touches nothing and knows no other job. The
// scheduler chooses hosts (schedule.hpp); the Book checks rights and evaluates dependencies (book.hpp). Rules: "Running Jobs with
// Platform LSF", job states; lsb.queues(5); docs/decisions/0023.
//
//   status \ event | Dispatched | KillAsked        | StopAsked    | ResumeAsked | SuspendPlanned | ResumePlanned
//   ---------------+------------+------------------+--------------+-------------+----------------+----------------------
//   PEND           | RUN, start | EXIT             | PSUSP        | -           | -              | -
//   PSUSP          | -          | EXIT             | notes admin  | PEND (a)    | -              | -
//   RUN            | -          | TERMINATE        | USUSP, ord(g)| - (h)       | SSUSP, order(g)| -
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
//   PauseOver: PEND, PSUSP: the job may start again. Dispatched (brun), brequeue, bmod and the job's end also end a pause.
//   LimitsChanged: the job's hosts, if any, are told.
//   An attempt in another cluster: job_life_elsewhere.hpp has Elsewhere, RecallDue, WrittenOff, and its own HostBack, HostLost,
//   Ended, StopAsked and ResumeAsked.
//   GivenBack: another cluster's job, PEND or PSUSP -> EXIT, withdrawn.
//   RemoveAsked is a kill there: no other attempt is made before that cluster says that this one is over.
//
//   The start, if the first host knows go-aheads (Launch, job.hpp). "waits": go_given is false.
//   waits: Prepared of the last host -> OrderGo. NotPrepared, StartNotTaken -> released everywhere, PEND. KillAsked, RemoveAsked,
//          StopAsked, TerminateTimeCame -> released everywhere, then as PEND. HostBack: the order is there, or ordered again.
//   given: HostBack(prepared) -> waits for the hosts that have not confirmed the order again. Begun, Ran -> it runs.
//          HostBack of a host with a new disk: the job may have run; it ends as with host_restarted.
//
//   An attempt on slots that are lent to another cluster (on_lent_slots): what would go back to PEND is over (LentEnd) instead, and
//   that cluster starts the job again.
//
//   A part of another cluster's job (is_part, job_life_part.hpp): each host is ordered to expect tasks, and it runs when all have prepared.
//   What would end it or take its start back releases it; it is over when nothing of it is left on any of its hosts.
//   A job with such a part elsewhere: PartLost -> before the go-ahead as NotPrepared, then as KillAsked; recalled or rerunnable: as brequeue.
//   EndHeld: RUN, SSUSP, USUSP -> UNKWN, until the Ended that the Book keeps.
//
//   A job on borrowed hosts whose cluster is cut off: StopAsked, ResumeAsked -> ordered; StoppedThere, ResumedThere follow when that
//   cluster has carried them out. CarriedOut: those orders wait no longer.
//
//   (a) a job that an administrator has stopped is resumed by an administrator only
//   (b) -> SSUSP if the scheduler has reasons of its own to suspend it
//   (c) the end, by how the attempt ended:
//         ended           brequeue: -> PEND, or PSUSP (h). A code of REQUEUE_EXIT_VALUES (bsub -Q), not killed, fewer than
//                         MAX_JOB_REQUEUE times: -> PEND, EXCLUDE() without this host, after short runs with a pause
//                         (requeue_pause.hpp). Else 0: -> DONE, other: -> EXIT
//         pre_exec_failed killed, or exit code 99 (LSB_EXIT_PRE_ABORT): -> EXIT. Else -> PEND at the head, without this
//                         host for a while; after MAX_PREEXEC_RETRY times -> PSUSP, or EXIT
//                         (LOCAL_MAX_PREEXEC_RETRY_ACTION). Another cluster's job: after REMOTE_MAX_PREEXEC_RETRY times -> EXIT,
//                         given back to it as not started
//         not_started     killed, interactive, or its -cwd is missing: -> EXIT. Else -> PEND at the head, without this
//                         host for a while
//         supervisor_lost, host_restarted, never_seen
//                         killed: -> EXIT. rerunnable: -> PEND at the head. Else -> EXIT, lost; but never_seen of an attempt
//                         that has not started: its start is ordered again
//   (d) a rerunnable job -> PEND: another attempt may run while the lost one still does; the lost one is ended when its host
//       returns. If it reports success while the job pends, the job has ended so (GivenUpEnded). All hosts lost at once -> UNKWN
//   (e) held: unconfirmed orders are sent again. No trace of the attempt: not started: killed -> EXIT, else its start is ordered
//       again; started: the end, as never_seen
//   (f) only after a stop that mbatchd did not order (a terminal's Ctrl-Z)
//   (g) if the queue's TERMINATE_WHEN has the new reason, the order is TERMINATE (USER: for the first stop by anyone)
//   (h) after brequeue: -H, or StopAsked since, holds the job when it pends again; ResumeAsked takes that back
//
// "-": nothing changes. Every attempt is fenced by its number: reports of an older one are acknowledged and ignored.
// An attempt is over before the next one is dispatched, except for (d).
#pragma once

#include <optional>
#include <string>

#include "common/conf/lsb/values.hpp"
#include "sched/policy/values/events_and_effects.hpp"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched::jobs {

// The configuration for one job: job_rules() (job_terms.hpp) makes it from its queue, its application profile and its submission.
struct JobRules {
  conf::RequeueExits requeue_exits;         // -Q, else the queue's
  bool rerunnable = false;                  // -r, else the queue's
  std::optional<int> most_requeues;         // MAX_JOB_REQUEUE; none: no limit
  std::optional<int> most_preexec_retries;  // MAX_PREEXEC_RETRY; none: no limit
  int most_remote_preexec_retries = 5;  // REMOTE_MAX_PREEXEC_RETRY: then another cluster's job is given back
  bool exit_after_preexec_retries = false;  // LOCAL_MAX_PREEXEC_RETRY_ACTION=EXIT; else the job is held
  std::uint32_t terminate_for = 0;    // bits of SuspendReason: TERMINATE instead of SUSPEND (TERMINATE_WHEN)
  bool sequential = true;             // its TERMINATE sends INT, TERM, KILL; false: KILL at once
  std::int64_t longest_pause_s = 60;  // MAX_REQUEUE_PAUSE; 0: none
  std::int64_t avoid_s = 60;          // how long a host that could not start the job is avoided
  std::optional<std::int64_t>
      recall_after_s;  // MAX_RSCHED_TIME, for a job that pends in another cluster; none: never
  std::string queue_pre_exec, queue_post_exec;
};

// The record of a job that was just submitted.
wire::JobRecord new_record(const wire::Submission& asked, JobKey key, std::uint64_t submission,
                           const std::string& queue, WallTime now);

// Applies the event: changes the record and appends effects. Without a change it appends none.
void step(Job& job, const JobRules& rules, const JobHappening& event, WallTime now, Effects& effects);

// The job is being requeued, and will be held then (brequeue -H, or bstop since).
bool held_when_requeued(const wire::JobRecord& record);

// Of a job in another cluster or on borrowed hosts: somebody here has asked that it be stopped, whether that cluster has told so or not.
inline bool stop_is_asked(const wire::JobRecord& record) {
  return placed(record.status()) && !HostId(record.hosts(0).name()).ours() &&
         (record.stopped_by_user() || record.stopped_by_admin());
}

// The end may be that of a task which another cluster has killed with the job's part there, when it took its slots back: while such a
// cluster is not connected the Book holds the end, since such a job is requeued and has not failed (docs/decisions/0106).
bool may_be_of_a_recall(const wire::JobRecord& record, const report::Over& told);

// The present or last attempt of a job.
Attempt attempt_of(const wire::JobRecord& record);
// The order for a signal of the record, whether it is sent for the first time or again.
order::Signal signal_order(const wire::JobRecord& record, const wire::SentSignal& sent);

// The record with the seconds of its present status added to its sums.
wire::JobRecord with_present_seconds(wire::JobRecord record, WallTime now);

// "": the record is valid; else what is wrong.
std::string broken_invariant(const wire::JobRecord& record);

}  // namespace rollcall::sched::jobs
