// job_life: the life of one job on one of its hosts, as its shepherd leads it. A stepper.
//
// It decides what runs, who is signalled when, which limit is broken and how the job ended. It starts nothing, measures
// nothing, and knows no pid: the shell (res/shepherd) does what the effects say, and tells what happened. `now` is the
// shepherd's own steady time; the deadline of -t alone is of the calendar, and comes as an event.
//
// state x event          -> next                       (of the first host)
//   fresh      Began         -> pre_exec | awaiting | running      what there is to do first
//   pre_exec   PreEnded 0    -> awaiting | running;  else -> over (PRE_EXEC_FAILED)
//   awaiting   ClientCame    -> running;  patience over -> over (NOT_STARTED)
//   running    JobEnded      -> clearing: everything that is left is killed
//   clearing   Emptied       -> copying where files of -f come back (the job is not over before), else as from copying
//   copying    CopiesEnded   -> post_exec | over (the end is told, and on disk, before the post-execution runs)
//   copying    TERMINATE, KILL -> clearing: what has not come back stays
//   post_exec  PostEnded     -> over
//   pre_exec   its time is over, a limit is broken -> clearing, over (PRE_EXEC_FAILED with 98; the limit's own end)
//   post_exec  its time is over, a limit is broken, TERMINATE, KILL -> clearing, over (the post-execution failed)
//   pre_exec, awaiting: TERMINATE, KILL -> clearing          nothing of the job runs then
//   pre_exec, awaiting: SUSPEND  -> the same, stopped: the pre-execution by SIGSTOP, a job that starts all the same as soon as it has
//   any        GuardGone     -> clearing, and then over: nobody would keep what we find out
// A host with tasks alone (ExpectJob, lsrun) is `serving` from Began on, until Released.
//
//   TERMINATE  INT, TERM, KILL at the interval; KILL at once where it is not sequential; or as JOB_CONTROLS says. A requeue that
//              follows a command of JOB_CONTROLS ends the job with the signals: the command itself may be brequeue
//   -M         INT, TERM, KILL (a hard one: KILL)    -v -p -T   INT, TERM, KILL
//   -c         XCPU, INT, TERM, KILL, ten seconds apart
//   -W, -t     USR2, and KILL ten minutes later      (bsub(1), lsf.conf(5))
// A job that was stopped by a signal is looked at each second: whoever may signal its processes, as its user, may continue them. What
// runs is stopped again, and the guard freezes it where the job has a cgroup. A signal that the job is sent meanwhile lets it run for a
// moment, to handle it: in one stop for the terminate interval in all; later ones it handles when it goes on (docs/decisions/0103).
// What runs before and after the job has a time of its own (JOB_PREPROC_TIMEOUT, JOB_POSTPROC_TIMEOUT), and the job's other
// limits: it is killed at once where it breaks one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

enum TermReason : int {
  kTermUnknown = 0,
  kTermRunLimit = 5,
  kTermDeadline = 6,
  kTermProcessLimit = 7,
  kTermRequeueOwner = 10,
  kTermRequeueAdmin = 11,
  kTermCpuLimit = 12,
  kTermOwner = 14,
  kTermMemLimit = 16,
  kTermExternalSignal = 17,
  kTermSwap = 20,
  kTermThreadLimit = 21,
  kTermCwdNotExist = 25,
};

struct AttemptRules {
  bool first_host = true;
  bool pre_exec = false, post_exec = false;
  bool copies_back = false;     // files of -f, or the output, go back when the job has ended
  bool returns_output = false;  // to the cluster where it was submitted, also of a job that could not run
  bool interactive = false;
  bool polite_stop = false;  // TSTP before STOP: parallel and interactive jobs
  int stop_signal = 0;       // LSB_SIGSTOP; 0: by polite_stop
  Duration terminate_interval = std::chrono::seconds(10);
  Duration patience = std::chrono::seconds(60);  // for the client of an interactive job
  wire::Limits limits;
  bool memory_of_job = true;
  bool cpu_of_job = true;
  wire::JobControls controls;
  int warning_signal = 0;
  Duration warning_before{0};
  std::optional<Duration> pre_patience, post_patience;  // none: they may take any time
};
// The part of an order that the rules are made from.
AttemptRules attempt_rules(const wire::JobOrder& order);

namespace event {
struct Began {};
struct PreEnded {
  int status = 0;   // word of wait(2)
  std::string why;  // where it was no pre-execution: a file of -f that could not be copied
};
struct ClientCame {};
struct JobStarted {};
struct JobNotStarted {
  std::string why;
  bool no_directory = false;
  bool no_input = false;  // -i cannot be opened: the job is over, with the exit code 1
  int no_program =
      0;  // exit code where its shell or interpreter cannot be executed: the job is over; 0: it can
};
struct JobEnded {
  int status = 0;
};
struct Emptied {};  // no descendant is left
struct CopiesEnded {};
struct PostEnded {
  int status = 0;
};
struct Sampled {
  double cpu_s = 0;
  std::int64_t memory_kb = 0, swap_kb = 0;
  int processes = 0, threads = 0;
};
struct Ordered {
  wire::ToRes::SignalJob order;
};
struct DeadlinePassed {};  // -t
struct FoundRunning {};    // processes of the job run although it is stopped
struct Released {};        // the job is over elsewhere
struct GuardGone {};
struct TimePassed {};
}  // namespace event
using Event = std::variant<event::Began, event::PreEnded, event::ClientCame, event::JobStarted,
                           event::JobNotStarted, event::JobEnded, event::Emptied, event::CopiesEnded,
                           event::PostEnded, event::Sampled, event::Ordered, event::DeadlinePassed,
                           event::FoundRunning, event::Released, event::GuardGone, event::TimePassed>;

namespace effect {
struct RunPreExec {};
struct AwaitClient {};
struct StartJob {};
struct Signal {
  int signo = 0;
};                         // to everything of the job on this host
struct LookForRunning {};  // of a stopped job: FoundRunning
struct Freeze {};          // as far as the host can, until Thaw
struct Thaw {};
struct RunControl {
  std::string command;
  std::uint32_t suspend_reasons = 0;  // of what stops a job: LSB_SUSP_REASONS
};
struct ChangeLimits {  // what is enforced from now on, also of processes that run
  wire::Limits limits;
  std::int64_t terminate_us = 0;  // -t; 0: none
};
struct KillAll {};  // until nothing is left: Emptied
struct RunCopiesBack {
  bool output_alone = false;  // the job has not run, and has made no files
};
struct TellRunning {};
struct TellStopped {};
struct TellResumed {};
struct TellOver {  // and the report; durable before the next effect
  wire::FromRes::JobOver::How how = wire::FromRes::JobOver::ENDED;
  int exit_status = 0;
  int term_reason = 0;
  std::string why;
  bool post_follows = false;
  bool cwd_missing = false;
};
struct RunPostExec {
  int exit_status = 0;
};
struct TellPostOver {
  bool failed = false;
};
struct Finish {};
}  // namespace effect
using Effect = std::variant<effect::RunPreExec, effect::AwaitClient, effect::StartJob, effect::Signal,
                            effect::LookForRunning, effect::Freeze, effect::Thaw, effect::RunControl,
                            effect::ChangeLimits, effect::KillAll, effect::RunCopiesBack, effect::TellRunning,
                            effect::TellStopped, effect::TellResumed, effect::TellOver, effect::RunPostExec,
                            effect::TellPostOver, effect::Finish>;
std::string text(const Effect& effect);

enum class Phase { fresh, pre_exec, awaiting, running, serving, clearing, copying, post_exec, over };

struct Escalation {
  struct Step {
    int signo;
    Duration wait;
  };  // `wait`: before the next one
  std::vector<Step> steps;
  std::size_t next = 0;
  TimePoint due;
};

struct JobLife {
  AttemptRules rules;
  Phase phase = Phase::fresh;
  bool stopped = false;
  std::optional<TimePoint> stop_for_good;  // TSTP was sent: STOP follows
  std::optional<TimePoint> look_at;        // stopped by a signal: when to look whether it runs
  Duration runs_for_signals{0};            // of this stop: what is left of it
  bool frozen = false;
  std::optional<TimePoint> client_until;
  std::optional<TimePoint> hook_until;  // what runs before or after the job must have ended
  TimePoint hook_stopped;               // the pre-execution, since then
  std::optional<Escalation> escalation;
  TimePoint turned;  // the last step
  Duration run{0};   // time in which it ran, stops not counted
  bool warned = false;
  bool run_limit_reached = false;
  int reason = 0;  // TERM_*
  bool ended_by_us = false;
  bool ran_terminate = false;  // a command of JOB_CONTROLS was run to end it
  bool copy_back = false;      // files of -f, or the output, are still to go back
  bool never_ran = false;      // it has ended without its input or its program
  bool post_killed = false;    // clearing: after the post-execution, whose end alone is told then
  std::uint64_t last_order = 0;
  effect::TellOver outcome;  // made when it is known
};

std::vector<Effect> step(JobLife& life, const Event& event, TimePoint now);
// When TimePassed must come at the latest.
std::optional<TimePoint> next_deadline(const JobLife& life);

// LSF's word for an end: the code of the job, or 128 + the signal that ended its shell, in the high byte.
int job_exit_status(int wait_status);

}  // namespace rollcall::res
