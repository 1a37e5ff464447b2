// TaskLife: everything the inner TaskStarter decides, from the first dial to the last word to pam.
//
// A stepper: an event and the time go in, a state and effects come out. It owns no process, no socket and no clock.
// Whoever carries it out (inner.cpp) calls step() for every event, does the effects in order, and calls it with
// TimePassed at next_deadline() at the latest.
//
//   dialing    no task yet; pam is dialed, or has just answered and the task is being started
//   running    the task runs (the link to pam is up, or is being dialed anew)
//   ending     the task has been told to end; KILL follows at `kill_at`
//   leftovers  the task has ended; what it left behind is being ended
//   reporting  nothing is left, but pam may not have the end: the link is cut, and is dialed until its limit; or the kernel has not
//              taken it yet; or pam has not welcomed the task on it (it may give up a connection unread that has not proved itself
//              to it); or the relay of this host has the end, and has not said that it is with pam. The end of a task that could
//              not be started is its registration
//   finished   nothing more to do
//
// event \ state         | dialing              | running             | ending              | leftovers           | reporting
// Began                 | Dial, for 30 s       | -                   | -                   | -                   | -
// Answered              | no limit any more    | -                   | -                   | -                   | -
// Connected             | StartTask            | SendRegistration    | SendRegistration    | SendRegistration    | + SendTaskEnded
// DialFailed, no answer | dial again in 0.5 s  | dial again in 0.5 s | dial again in 0.5 s | dial again in 0.5 s | dial again in 0.5 s
// DialFailed, hung up   | dial again, later    | dial again, later   | dial again, later   | dial again, later   | dial again, later
// DialFailed, other     | Complain, Finish 125 | TERM, KILL in 1 s   | KILL in 1 s at most | KILL in 1 s at most | Finish
// PutOff                | dial again when told | dial again when told| dial again when told| dial again when told| dial again when told
// the dial's limit      | Complain, Finish 125 | TERM, KILL in 1 s   | KILL in 1 s at most | KILL in 1 s at most | Finish
// Welcomed              | -                    | no limit any more   | no limit any more   | no limit any more   | Finish
//   through a relay     | -                    | no limit any more   | no limit any more   | no limit any more   | not started: Finish
// LinkLost, welcomed    | -                    | Dial, for patience  | Dial, for patience  | Dial, for patience  | the same
// LinkLost, before that | -                    | dial again, later   | dial again, later   | dial again, later   | dial again, later
// Delivered             | -                    | -                   | -                   | -                   | welcomed: Finish
// TaskStarted           | register; running    | -                   | -                   | -                   | -
// StartFailed           | register; reporting  | -                   | -                   | -                   | -
// SignalArrived, first  | ends: Finish; held   | SignalTask          | SignalTask, no stop | -                   | ends: Finish
// SignalArrived, copy   | -                    | arms a stop (TSTP)  | -                   | -                   | -
// TaskStopped/Continued | -                    | remembered          | remembered          | -                   | -
// EndRequested          | -                    | TERM, KILL at grace | KILL earlier only   | KILL earlier only   | -
// TaskExited            | -                    | leftovers, or report| leftovers, or report| -                   | -
// DescendantsChanged    | -                    | -                   | KILL again          | none left: report   | -
// ParentGone            | told later; 30 s left| SendParentLost      | SendParentLost      | SendParentLost      | told anew; 30 s left
// OrphansReported       | EndOrphans           | EndOrphans          | EndOrphans          | EndOrphans          | EndOrphans
// OuterGone             | Finish               | StarterLost, KILL   | StarterLost, KILL   | StarterLost, KILL   | Finish
// TimePassed            | the deadlines of the row above: dial again, the dial's limit, STOP after TSTP (running), TERM and KILL
//                       | (ending, leftovers), giving up on what KILL does not end (leftovers),
//                       | on the relay (reporting): Dial
//
// A pam that has taken the connection but says nothing is stopped: it is waited for without a limit, as long as what
// has started us lives. "report" is TaskEnded; reporting follows. A lost parent is told anew on every connection. Pam is dead where its host answers and its port is closed, where what answers cannot prove that it is pam
// or is another pam, or where nothing has answered until the dial's limit. Then there is nobody left to report to: the
// task is ended, and TaskStarter ends as it did.
//
// "dial again, later": a pam that is short of descriptors closes calls to make room, and one that is being killed may
// take one more call before its port closes. So a connection that is closed before pam has welcomed the task is dialed
// again after 0.1 s, doubled each time up to 2 s: never in a hot loop. Only a Welcome ends such a row and its limit
// (30 s, or the patience of the last Welcome); the time for which a connection stands does not count. A pam that says when to dial again
// lives, so its answer ends the limit too: but not that of a TaskStarter without a task, or whose task has ended, when its launcher is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/exit_status.hpp"
#include "common/base/job_clock.hpp"
#include "taskstarter/policy/signal_pairing.hpp"

namespace rollcall::taskstarter {

// Times, all on the job's clock.
inline constexpr Duration kRedialLimit =
    std::chrono::seconds(30);  // a pam that has never answered is dialed so long
inline constexpr Duration kPamPatience =
    std::chrono::seconds(60);  // one that has welcomed the task, unless it said otherwise
inline constexpr Duration kRedialPause = std::chrono::milliseconds(500);
inline constexpr Duration kHangUpPause = std::chrono::milliseconds(100);  // doubled each time, up to the next
inline constexpr Duration kLongestHangUpPause = 4 * kRedialPause;
// What a pam without room may ask for; more or less is cut.
inline constexpr Duration kShortestWait = std::chrono::milliseconds(10);
inline constexpr Duration kLongestWait = std::chrono::seconds(60);
inline constexpr Duration kKillGrace = std::chrono::seconds(1);             // from our own TERM to KILL
inline constexpr Duration kStopGrace = std::chrono::milliseconds(100);      // from TSTP to STOP
inline constexpr Duration kLeftoverGrace = std::chrono::milliseconds(100);  // for what ends by itself
inline constexpr Duration kKillAgain = std::chrono::milliseconds(50);  // doubled each time, up to a second
inline constexpr Duration kDelivery = std::chrono::seconds(1);  // for the relay to pass the task's end on
inline constexpr Duration kGiveUp =
    std::chrono::seconds(5);  // for what KILL does not end (state D, another's)

// Our own exit codes; the rest are the task's.
inline constexpr int kCannotBegin = 125;
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

enum class Phase { dialing, running, ending, leftovers, reporting, finished };
enum class Link { dialing, up, waiting, gone };  // waiting: for the next dial
// turned_away: pam has proved itself, and closed the connection without a Welcome.
enum class DialFailure { no_answer, hung_up, refused, unknown_host, stranger, other_pam, turned_away };

// What was so at the start.
struct Settings {
  // The task shares the group of the terminal's foreground: the terminal reaches it without us.
  bool shared_group = false;
  std::uint64_t ignored_signals = 0;  // bit signo - 1: ignored when we were started, so ignored by the task
};

// Events.
struct Began {};
struct Answered {};      // somebody's kernel took the connection; nothing is proved yet
struct Connected {       // pam has proved itself
  bool relayed = false;  // to the relay of this host
};
struct DialFailed {
  DialFailure why;
};
struct PutOff {  // pam has no room now; it proved that it is pam
  Duration pause;
};
struct Welcomed {  // pam has taken the registration
  Duration patience = kPamPatience;
};
struct LinkLost {};
// The kernel has taken all that was said to pam; or the relay says that it is in its connection to pam, which has answered on it.
struct Delivered {};
struct TaskStarted {};
struct StartFailed {
  bool not_found;
};
struct TaskStopped {};
struct TaskContinued {};
struct TaskExited {
  ExitStatus status;
  bool left;
};  // left: descendants are alive
struct DescendantsChanged {
  unsigned left;
};
struct SignalArrived {
  int signo;
  SignalSource source;
  std::uint32_t sequence = 0;
};
struct EndRequested {
  Duration grace;
};
struct OrphansReported {};  // pam says that a TaskStarter on this host may have died with both its levels
struct ParentGone {};
struct OuterGone {};
struct TimePassed {};
using Event =
    std::variant<Began, Answered, Connected, DialFailed, PutOff, Welcomed, LinkLost, Delivered, TaskStarted,
                 StartFailed, TaskStopped, TaskContinued, TaskExited, DescendantsChanged, SignalArrived,
                 EndRequested, OrphansReported, ParentGone, OuterGone, TimePassed>;

// Effects.
struct Dial {};
struct StartTask {};
struct SendRegistration {};
struct SendParentLost {};
struct SendStarterLost {};
struct SendTaskEnded {};
// To the task's process group (in a shared group: to the task and its descendants in it); STOP and CONT reach
// all descendants, whatever their group.
struct SignalTask {
  int signo;
};
struct SignalDescendants {
  int signo;
};
struct ContinueOuter {};
struct EndOrphans {};  // of TaskStarters of this job on this host that are gone
enum class Complaint { no_pam, pam_dead, pam_silent, cannot_execute, cannot_end_leftovers };
struct Complain {
  Complaint what;
  DialFailure why = DialFailure::no_answer;
};
struct Finish {
  ExitStatus status;
};  // the outer level relays it
using Effect = std::variant<Dial, StartTask, SendRegistration, SendParentLost, SendStarterLost, SendTaskEnded,
                            SignalTask, SignalDescendants, ContinueOuter, EndOrphans, Complain, Finish>;
using Effects = std::vector<Effect>;

struct State {
  Settings settings;
  Phase phase = Phase::dialing;
  Link link = Link::waiting;
  std::optional<TimePoint> dial_at;     // link == waiting
  std::optional<TimePoint> dial_limit;  // link is dialing or waiting
  std::optional<Duration> limit_left;   // while a connection stands that is not welcomed: of the dial's limit
  bool relayed = false;                 // the connection that is up is to the relay of this host
  std::optional<TimePoint> deliver_at;  // reporting through a relay: then pam is dialed
  bool welcomed = false;                // on the connection that is up, or was the last
  Duration redial_limit = kRedialLimit;               // of a row
  Duration hang_up_pause{0};                          // the last one in this row
  DialFailure last_failure = DialFailure::no_answer;  // in this row
  SignalPairing pairing;
  std::vector<int> held;  // signals that came before the task
  bool stopped = false;
  std::optional<TimePoint> stop_at;     // STOP for what has not followed TSTP
  std::optional<TimePoint> term_at;     // leftovers
  std::optional<TimePoint> kill_at;     // ending, leftovers; after the first KILL: the next
  std::optional<TimePoint> give_up_at;  // leftovers, killing
  bool terminal_stop = false;           // the terminal alone has asked the task to stop
  bool told_to_end = false;             // by a signal, by pam, by a loss
  bool killing = false;
  Duration kill_pause{0};
  unsigned left = 0;                 // descendants alive, where known
  unsigned leftovers = 0;            // of them, how many had to be told to end
  std::optional<ExitStatus> status;  // the task's
  bool not_started = false;          // it could not be started: `status` is TaskStarter's own
  bool parent_gone = false;
  bool outer_gone = false;
};

Effects step(State& state, const Event& event, TimePoint now);

// When TimePassed is due; nothing where only an event can change anything.
std::optional<TimePoint> next_deadline(const State& state);

// True where DescendantsChanged is of use: the caller looks at /proc only then.
bool wants_descendants(const State& state);

// One line each, for tests and traces.
std::string text(const Event& event);
std::string text(const Effect& effect);

}  // namespace rollcall::taskstarter
