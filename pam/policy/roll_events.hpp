// What can happen to a parallel job, and what pam can do about it: the words of the roll (roll.hpp).
//
// Events are past tense, effects are imperatives. Both are plain values with a one-line text form that logs and
// tests share.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/exit_status.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/task_usage.hpp"

namespace rollcall::pam {

using ConnectionId = std::uint64_t;  // the shell's name for one connection of a TaskStarter
using Tid = std::uint32_t;           // a task's place in the order of registration, from 0

// Why a TaskStarter could not start its task: reads as "cannot STAGE PATH: REASON".
struct StartFailure {
  std::string stage;
  int error = 0;  // errno
  std::string path;
  friend auto operator<=>(const StartFailure&, const StartFailure&) = default;
};

// What a TaskStarter says of itself when it registers.
struct Registration {
  std::string host;
  pid_t starter_pid = 0;      // what the launcher started
  pid_t inner_pid = 0;        // the task's parent
  std::int64_t start_us = 0;  // microseconds since 1970
  std::optional<std::uint32_t> rank;
  std::string command;
  pid_t parent_pid = 0;
  std::string parent_name;
  std::variant<pid_t, StartFailure> outcome = pid_t{0};  // the task's pid, or why there is none
};

namespace event {

struct LauncherStarted {
  pid_t pid = 0;
  std::int64_t at_us = 0;  // when it was asked for, microseconds since 1970
};
struct LauncherNotStarted {
  StartFailure failure;
  int exit_code = 127;  // 127 not found, 126 otherwise
};
struct LauncherEnded {
  ExitStatus status;
};
struct TaskRegistered {
  ConnectionId connection = 0;
  Registration registration;
  std::string no_cgroup;   // why the task is in no cgroup of its job; "": it is in one
  std::int64_t at_us = 0;  // when it came, microseconds since 1970
};
// A TaskStarter whose connection was cut is back.
struct TaskResumed {
  ConnectionId connection = 0;
  Tid tid = 0;
  std::string host;
  pid_t starter_pid = 0;
};
struct TaskEnded {
  Tid tid = 0;
  ExitStatus status = ExitStatus::exited(0);
  std::int64_t end_us = 0;
  TaskUsage usage;
  std::uint32_t leftovers = 0;  // processes the task left behind, which its TaskStarter ended
};
// The connection ended without the task's end being told. cut: the network did it, the TaskStarter may be back.
struct LinkEnded {
  Tid tid = 0;
  bool cut = false;
  std::int64_t at_us = 0;
};
// The outer TaskStarter was killed; the inner one has ended the task.
struct StarterLost {
  Tid tid = 0;
  pid_t pid = 0;
  std::int64_t at_us = 0;
};
// The TaskStarter's parent is gone while the TaskStarter lives.
struct ParentLost {
  Tid tid = 0;
  pid_t pid = 0;
  std::string name;
  std::optional<ExitStatus> status;  // where the kernel told
  bool background = false;           // a shell had put the TaskStarter in the background
};
struct SignalArrived {
  int signo = 0;
  bool from_terminal = false;  // the launcher, in our group, has it already
};
// So many TaskStarters were told to dial again later, since pam has no room for them.
struct StartersWait {
  std::size_t count = 0;
};
// Time has passed.
struct Tick {};

}  // namespace event

using Event = std::variant<event::LauncherStarted, event::LauncherNotStarted, event::LauncherEnded,
                           event::TaskRegistered, event::TaskResumed, event::TaskEnded, event::LinkEnded,
                           event::StarterLost, event::ParentLost, event::SignalArrived, event::StartersWait,
                           event::Tick>;

namespace effect {

struct Welcome {
  ConnectionId connection = 0;
  Tid tid = 0;
  Duration patience = std::chrono::seconds(60);  // for which its TaskStarter dials a pam that is out of reach
};
// Close a connection that claims to be a task we do not know.
struct Refuse {
  ConnectionId connection = 0;
};
// To every task that is connected; or to one that missed it.
struct DeliverSignal {
  std::uint32_t sequence = 0;
  int signo = 0;
  std::optional<Tid> only;
};
// TERM, after the grace KILL, for every task that is connected, or for one.
struct EndTasks {
  std::uint32_t grace_ms = 0;
  std::optional<Tid> only;
};
// On this host both levels of a TaskStarter may be dead: `by` another one there, or pam itself where it is its own host,
// ends what is in the job's cgroup and has no TaskStarter above it any more.
struct EndOrphans {
  std::string host;
  std::optional<Tid> by;
};
struct SignalLauncher {
  int signo = 0;
  bool only_if_caught = false;  // a launcher without a handler would die of it
};
// The launcher and everything below pam, by children lists.
struct KillLauncherTree {};
// The job was told to stop: pam stops too, so that the shell that waits for it sees it.
struct StopSelf {};
// One line for the user.
struct Say {
  std::string text;
};
// One line for -v.
struct Note {
  std::string text;
};
struct Finish {
  int exit_code = 0;
  std::string why;
};

}  // namespace effect

using Effect = std::variant<effect::Welcome, effect::Refuse, effect::DeliverSignal, effect::EndTasks,
                            effect::EndOrphans, effect::SignalLauncher, effect::KillLauncherTree,
                            effect::StopSelf, effect::Say, effect::Note, effect::Finish>;
using Effects = std::vector<Effect>;

std::string text(const Event& event);
std::string text(const Effect& effect);

}  // namespace rollcall::pam
