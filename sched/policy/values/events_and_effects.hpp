// What can happen to a job, who asks for it, and what is to be done about it: the words of the stepper of one job
// (job_life.hpp) and of all jobs (book.hpp).
//
// Events are past tense, effects are imperatives: plain values with a one-line text form that logs and tests share.
//
// What the shell promises:
//   * everything that a turn's effects say to save is saved in ONE commit before any order, acknowledgement or answer
//     of that turn leaves. What has failed to be saved is saved by the next turn: orders wait for it, in their order;
//   * an order to a host that the engine does not reach is dropped: what still counts comes again from HostCame;
//   * reports of one host come in their order.
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

// Who asks. The server finds it out; no field of a message is believed.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::vector<std::string> groups;  // of the operating system, by name; for USERS lines
  bool is_admin = false;            // root, or an administrator of the cluster
};

namespace event {

// Who did it, as the life of a job needs it.
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
  bool wait_for_go = false;  // the first host runs it only when told to; set by the Book
};
struct SuspendPlanned {
  std::uint32_t reasons = 0;  // bits of SuspendReason
  std::string why;
};
struct ResumePlanned {};

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
struct Begun {};
struct StoppedThere {};
struct ResumedThere {};
struct Ended {
  report::Over told;
};
struct PostEnded {
  bool failed = false;
};
// The host is back (or there for the first time) and it is known what it has of the attempt; none: no trace of it.
struct HostBack {
  std::optional<report::Held::State> held;
  bool knows_go = false;
  bool blank = false;  // report::HostCame
};
// The host was not heard of for longer than the patience.
struct HostLost {
  bool all_hosts = false;  // with every other one: what runs there is not given up
};
// The last attempt was given up when its host was lost. It has reported its end while the rerun pends.
struct GivenUpEnded {
  report::Over told;
};
// A host of a job without go-ahead has gone, or has not said in time that it has the order.
struct StartNotTaken {
  std::string why;
  std::string avoid;  // the host is there, and the next attempt is to go elsewhere; "": it is not there
};

// --- from people
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
struct StopAsked {
  By by;
};
struct ResumeAsked {
  By by;
};
// bmod of a job that has a host: its submission is the changed one already.
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
struct AvoidanceOver {};      // hosts are not excluded any longer
struct PauseOver {};          // the pause after short runs
}  // namespace event

using JobHappening =
    std::variant<event::Dispatched, event::SuspendPlanned, event::ResumePlanned, event::Ran,
                 event::StoppedThere, event::ResumedThere, event::Ended, event::PostEnded, event::HostBack,
                 event::Prepared, event::NotPrepared, event::Begun, event::StartNotTaken, event::HostLost,
                 event::GivenUpEnded, event::KillAsked, event::RemoveAsked, event::SignalAsked,
                 event::StopAsked, event::ResumeAsked, event::LimitsChanged, event::RestartAsked,
                 event::TerminateTimeCame, event::AvoidanceOver, event::PauseOver>;
std::string text(const JobHappening& event);  // one line

namespace effect {

// --- what the store is to have: part of the turn's one commit. Values are read from the Book when the commit is made.
struct SaveJob {
  JobKey key;  // StoredRows::record(); one that is no longer there was removed in the same turn
};
struct SaveSubmission {
  std::uint64_t number = 0;  // StoredRows::submission()
};
// A row of a submission's payload (stored_payload.hpp), which the Book does not keep.
struct SavePayload {
  wire::PayloadRow row;
};
// The last submission that named this row has gone.
struct DropPayload {
  std::uint64_t number = 0;
};
// The job leaves mbatchd's memory (CLEAN_PERIOD); bhist and bacct find it in the store.
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

// --- what hosts are to do, after the commit
struct OrderStart {
  JobKey key;
  std::string host;
  std::uint64_t attempt = 0;  // HostLedger::start_order(): what is another attempt by now is not started here
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
  JobKey key;  // AwaitJob; and AwaitCondition is to be looked at again
};
struct ScheduleSoon {};  // the plan may have changed

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
