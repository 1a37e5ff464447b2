// Events and effects: what can happen to a job, who requested it, and what is to be done about it. Shared by the stepper of one job
// (job_life.hpp) and the Book of all jobs (book.hpp).
//
// Events are past tense, effects are imperatives: plain values with a one-line text form for logs and tests.
//
// What the shell promises:
//   * all rows that a turn's effects save are saved in ONE commit before any order, acknowledgement or answer of that turn
//     leaves. If a commit fails, the next turn saves its rows too, and the orders wait in their sequence;
//   * an order to a host that the engine does not reach is dropped: after HostCame the Book repeats the orders that still count;
//   * reports of one host arrive in their sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/term_reason.hpp"
#include "common/base/wall_time.hpp"
#include "common/wire/stored_payload.hpp"
#include "sched/policy/values/engine.hpp"
#include "sched/policy/values/job.hpp"
#include "sched/policy/values/placement.hpp"

namespace rollcall::sched {

// The client of a request. The server determines it; fields of the message are not trusted.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::vector<std::string> groups;  // of the operating system, by name; for USERS lines
  bool is_admin = false;            // root, or an administrator of the cluster
};

namespace event {

// Who requested it, as the rules of a job need it.
struct By {
  std::string user;
  std::uint32_t uid = 0;
  bool owner = false;  // of the job
  bool admin = false;  // of the cluster, or of the job's queue; may be the owner as well
};

// --- from the scheduler
struct Dispatched {
  Placement placement;
  std::string effective_resreq;
  bool wait_for_go = false;  // the first host waits for OrderGo; set by the Book
  // To another cluster, which is then the one host of the placement (HostId::whole_cluster).
  std::optional<wire::ForwardedTo> forwarded{};
};
struct SuspendPlanned {
  std::uint32_t reasons = 0;  // bits of SuspendReason
  std::string why;
  JobKey preempted_by;  // with SUSPEND_PREEMPT
};
struct ResumePlanned {
  std::uint32_t reasons = ~0U;  // those that are over; what users and administrators asked for stays
};

// --- from the job's first host; the Book has checked that the attempt is the present one
struct Ran {
  report::Running told;
};
// A host of the job, the first or another one, has the order on disk.
struct Prepared {
  std::string host;
};
// A host of the job cannot take the order.
struct NotPrepared {
  std::string host, why;
};
// Of a part (is_part): nothing of it is left on this host.
struct PartGone {
  std::string host;
};
// The part of the job on this borrowed host is over, or was not accepted.
struct PartLost {
  std::string host, why;
  bool recalled = false;  // its slots were taken back or lost
};
struct Begun {};
struct StoppedThere {};
struct ResumedThere {};
// A cluster of its borrowed hosts has carried out the job's orders up to this number.
struct CarriedOut {
  std::string cluster;
  std::uint64_t number = 0;
};
struct Ended {
  report::Over told;
};
// Its end is kept until the clusters of its parts have said whether they have ended them: Ended follows.
struct EndHeld {
  std::string why;  // one line
};
struct PostEnded {
  bool failed = false;
};
// The cluster that the job was forwarded to tells of it.
struct Elsewhere {
  wire::JobElsewhere job;
};
// The first host has connected, for the first time or again, and reported what it holds of the attempt; none: no trace of it.
struct HostBack {
  std::optional<report::Held::State> held;
  bool knows_go = false;
  bool blank = false;  // report::HostCame
};
// The first host was silent for longer than the patience.
struct HostLost {
  bool all_hosts = false;  // every other host is lost too: running jobs are not given up
};
// The last attempt, given up when its host was lost, has reported its end while the rerun pends.
struct GivenUpEnded {
  report::Over told;
};
// A host of a job without go-ahead has disconnected, or has not confirmed its order in time.
struct StartNotTaken {
  std::string why;
  std::string avoid;  // a host that is connected, which the next attempt avoids; "": none
};

// --- from people
// The cluster that has the job will never answer: an administrator ends the attempt.
struct WrittenOff {};
// Another cluster's job that waits here goes back to it, since that cluster asked for it or it cannot start here.
struct GivenBack {
  std::string why;  // one line; "": its cluster asked
};
// The cluster of which this is a part takes it back, since its job is over, or will never say so.
struct PartReleased {};
struct KillAsked {
  By by;
  int signal = 0;  // 0: as configured (INT, TERM, KILL)
  std::string reason;
  bool requeue = false;  // brequeue: at its end it pends again
  bool hold = false;     // ... as PSUSP
  bool as_done = false;  // its end counts as DONE
};
struct RemoveAsked {
  By by;
  std::string reason;
};
struct SignalAsked {
  By by;
  int signal = 0;
};
// cut_off: the job is on borrowed hosts whose cluster is not connected, so the order waits, and the status is what that cluster has told.
struct StopAsked {
  By by;
  bool cut_off = false;
};
struct ResumeAsked {
  By by;
  bool cut_off = false;
};
// bmod of a job that has a host; its submission is already replaced.
struct LimitsChanged {
  wire::Limits effective;
};
// Of a finished job: brequeue -d, -e.
struct RestartAsked {
  By by;
  bool hold = false;
};

// --- from the clock
struct TerminateTimeCame {};  // bsub -t
struct AvoidanceOver {};      // hosts avoided for a while may be used again
struct PauseOver {};          // the pause after short runs
struct RecallDue {};          // MAX_RSCHED_TIME: a job that pends in another cluster is asked back
}  // namespace event

using JobHappening =
    std::variant<event::Dispatched, event::SuspendPlanned, event::ResumePlanned, event::Ran,
                 event::StoppedThere, event::ResumedThere, event::Ended, event::PostEnded, event::HostBack,
                 event::Prepared, event::NotPrepared, event::Begun, event::StartNotTaken, event::HostLost,
                 event::GivenUpEnded, event::KillAsked, event::RemoveAsked, event::SignalAsked,
                 event::StopAsked, event::ResumeAsked, event::LimitsChanged, event::RestartAsked,
                 event::TerminateTimeCame, event::AvoidanceOver, event::PauseOver, event::Elsewhere,
                 event::RecallDue, event::WrittenOff, event::PartGone, event::PartLost, event::PartReleased,
                 event::EndHeld, event::GivenBack, event::CarriedOut>;
std::string text(const JobHappening& event);  // one line

namespace effect {

// --- rows to save in the turn's one commit, which reads their values from the Book
struct SaveJob {
  JobKey key;  // StoredRows::record(); null: the same turn removed it
};
struct SaveSubmission {
  std::uint64_t number = 0;  // StoredRows::submission()
};
// A row of a submission's payload (stored_payload.hpp), which the Book does not keep.
struct SavePayload {
  wire::PayloadRow row;
};
// The last submission that named this row is gone.
struct DropPayload {
  std::uint64_t number = 0;
};
// Cleans the job from mbatchd's memory (CLEAN_PERIOD); bhist and bacct still find it in the store.
struct RemoveJob {
  wire::JobRecord record;  // its last state, cleaned_us set
};
// StoredRows::next_job_id() and next_submission() have changed.
struct SaveCounters {};
struct SaveControl {
  wire::ControlState state;
};
struct SaveToken {
  std::string token;  // StoredRows::token()
};
struct ForgetTokens {
  std::int64_t before_us = 0;
};
struct RecordEvent {
  wire::JobEvent event;
};

// --- orders to hosts, given after the commit
struct OrderStart {
  JobKey key;
  std::string host;
  std::uint64_t attempt = 0;  // HostLedger::start_order(), void if the job has another attempt by then
};
struct OrderExpect {
  JobKey key;
  std::string host;
  std::uint64_t attempt = 0;  // HostLedger::expect_order()
};
struct OrderGo {
  JobKey key;
  std::string host;
  std::uint64_t attempt = 0;  // HostLedger::has_go()
};
struct OrderSignal {
  std::string host;
  order::Signal signal;
};
struct OrderAcknowledge {
  std::string host;
  Attempt attempt;
};
struct OrderRelease {
  std::string host;
  Attempt attempt;
};

// --- inside mbatchd
struct TellWaiters {
  JobKey key;  // answer AwaitJob, look at AwaitCondition again
};
struct ScheduleSoon {};  // a new plan may differ

}  // namespace effect

using Effect =
    std::variant<effect::SaveJob, effect::SaveSubmission, effect::SavePayload, effect::DropPayload,
                 effect::RemoveJob, effect::SaveCounters, effect::SaveControl, effect::SaveToken,
                 effect::ForgetTokens, effect::RecordEvent, effect::OrderStart, effect::OrderExpect,
                 effect::OrderGo, effect::OrderSignal, effect::OrderAcknowledge, effect::OrderRelease,
                 effect::TellWaiters, effect::ScheduleSoon>;
using Effects = std::vector<Effect>;
std::string text(const Effect& effect);  // one line

}  // namespace rollcall::sched
