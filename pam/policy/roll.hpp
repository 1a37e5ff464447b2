// Roll: one parallel job as pam sees it, from the launcher's start to pam's exit status.
//
// A stepper: step() takes what happened and returns what to do; it touches nothing. The rules are those of "Using
// Platform LSF HPC 7.3", Error handling (the letters below), and of docs/decisions for what it leaves open.
//
//   phase \ event    | launcher started | cannot be started | tasks register     | last expected task ended
//   -----------------+------------------+-------------------+--------------------+--------------------------------
//   waiting          | -> launching     | (a) -> done       |                    |
//   launching        |                  |                   | all -> running;    | (f) timer, a new registration
//   running          |                  |                   | more are accepted  |     cancels it -> ending
//   ending           |                  |                   | are ended too      | launcher gone too -> done
//
//   in launching, running:
//   (b) not all registered in time, and no task in     -> ending: launcher, then tasks; 124
//       the last tenth of it, or since it was over
//   (c) all reported, one could not start its task     -> ending: launcher, then tasks; 127 or 126. Where no task lives the
//                                                         launcher has 5 s to end by itself before its TERM
//   (d) a TaskStarter lost before it reported          its task is Lost; nothing else: pam ends with the launcher
//   (e) launcher exits, tasks are left                 -> ending: TERM, KILL after terminate_interval
//       launcher dies of a signal pam did not send     -> ending: TERM, KILL after 1 s
//   (f) tasks all ended, launcher stays over `linger`  -> ending: launcher; status of the worst task
//   (g) a task fails and clean_job_delay is set        -> ending after that delay; status of that task, also where the
//                                                         launcher ends badly, or a parent is lost, within the delay
//   (h) a TaskStarter's parent is lost, launcher lives -> ending: TERM, KILL after 1 s
//   TERM to pam                                        delivered; KILL after terminate_interval; a second one: 1 s
//
//   a link that is closed without the task's end      EndOrphans 50 ms later: by another task of that host, or by pam
//                                                      where it is pam's own (docs/decisions/0012)
//
//   a task:  registered -> running | not started;  running -> ended | lost | away (link gone);
//            away -> running (resumed) | lost (1 s after a closed link, cut_link after a cut one; at once where the inner
//            TaskStarter had said that the outer one was killed: its link closes when nothing of the task is left)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/host_list.hpp"
#include "common/base/job_clock.hpp"
#include "pam/policy/away_tasks.hpp"
#include "pam/policy/rank_ranges.hpp"
#include "pam/policy/roll_events.hpp"
#include "pam/policy/tasks.hpp"

namespace rollcall::pam {

inline constexpr Duration kForEver = std::chrono::hours(24 * 365);

// What is fixed for the whole run.
struct RollRules {
  std::string launcher;                                       // its name, for messages
  std::string host;                                           // pam's own host, for messages
  std::optional<int> expected;                                // tasks that must register; none: see kSettle
  Duration registration_timeout = std::chrono::seconds(300);  // (b); zero: off
  std::optional<Duration> first_timeout;                      // the same for the first task
  Duration linger = std::chrono::seconds(300);                // (f); zero: off
  std::string linger_parameter = "LSF_HPC_PJL_LOADENV_TIMEOUT";  // what to raise, for the message
  std::optional<Duration> clean_job_delay;                       // (g)
  Duration terminate_interval = std::chrono::seconds(10);        // from TERM to KILL
  Duration cut_link =
      std::chrono::seconds(60);  // LSF_RES_ALIVE_TIMEOUT: for the tasks behind a link that is cut
  HostList hosts;                // the allocation, empty where there is none
  bool keep_usage = true;        // for each task, for --usage and --report; else the sums alone
};

inline constexpr Duration kSettle =
    std::chrono::seconds(2);  // without `expected`: no further task for so long
// (b) waits while a task comes at least once in a tenth of the timeout.
inline constexpr int kPartsOfTimeout = 10;
inline constexpr Duration kQuickKill = std::chrono::seconds(1);  // from TERM to KILL for what is broken
// For a launcher none of whose tasks could be started to end by itself: Open MPI's crashes where a TERM meets its own end.
inline constexpr Duration kOwnEnd = std::chrono::seconds(5);
inline constexpr Duration kDrain =
    std::chrono::milliseconds(200);  // for reports in flight when the launcher ends
inline constexpr Duration kVerdict = std::chrono::milliseconds(100);  // for the launcher's own end to be seen
inline constexpr Duration kClosedLink = std::chrono::seconds(1);
inline constexpr Duration kOrphans =
    std::chrono::milliseconds(50);  // for what dies with a TaskStarter to be dead
inline constexpr Duration kMissed =
    std::chrono::seconds(1);  // a task that registers so long after a signal may have run when it came
inline constexpr Duration kStopGrace = std::chrono::milliseconds(100);  // for the launcher to pass TSTP on
inline constexpr Duration kHeadStart =
    std::chrono::milliseconds(500);                           // of the tasks' KILL before the launcher's
inline constexpr Duration kGiveUp = std::chrono::seconds(3);  // after KILL

enum class Phase { waiting, launching, running, ending, done };

struct Roll {
  RollRules rules;
  Phase phase = Phase::waiting;
  Tasks tasks;

  // Counters over `tasks`, kept by step().
  std::size_t live = 0;
  std::size_t not_started = 0;
  std::size_t lost = 0;
  RankRanges live_ranks;
  std::map<std::uint32_t, std::size_t> shared_ranks;  // how many live tasks have a rank that several have

  std::optional<int> expected;  // rules.expected, raised by what registers; settled by kSettle
  std::optional<pid_t> launcher_pid;
  std::int64_t launched_us = 0;  // when the launcher was started, microseconds since 1970; 0: not told
  std::optional<ExitStatus> launcher_status;
  std::set<int> sent_to_launcher;  // signals it may die of on our account

  struct Delivered {
    effect::DeliverSignal signal;
    TimePoint at;
  };
  std::vector<Delivered> signals;  // the last ones, for tasks that were away or had not registered yet
  std::uint32_t sequence = 0;
  bool term_delivered = false;

  // Timers; none: not running.
  std::optional<TimePoint> first_deadline, all_deadline, settle_at, linger_at, clean_at, verdict_at, drain_at;
  std::optional<TimePoint> stop_at, launcher_term_at, launcher_kill_at, tasks_kill_at, give_up_at;
  std::optional<TimePoint> losses_at;
  AwayTasks away;
  std::set<std::string> orphan_hosts;  // where a TaskStarter may have died with both its levels
  std::optional<TimePoint> orphans_at;
  bool said_no_cgroup = false;

  std::optional<TimePoint> last_registered;
  bool extended = false;    // (b): tasks still came when the time was over
  std::size_t waiting = 0;  // TaskStarters that were told to dial again later

  std::optional<ExitStatus> clean_status;  // of the task that started (g)
  std::optional<event::ParentLost> parent_lost;
  std::set<std::string> cut_hosts;  // said once each
  struct Loss {
    Tid tid;
    LossCause cause;
  };
  std::uint32_t gone = 0;      // how often a task has gone away or was given up
  std::vector<Loss> losses;    // said together: a launcher ends the others when one is lost
  std::optional<int> verdict;  // pam's exit code where a rule, not the launcher, decides it
  std::string why;             // why pam ends, for the report

  explicit Roll(RollRules r) : rules(std::move(r)), tasks(rules.keep_usage), expected(rules.expected) {}

  std::size_t registered() const { return tasks.size(); }
  // True once as many tasks have reported as must.
  bool complete() const { return expected && static_cast<int>(tasks.size()) >= *expected; }
  bool launcher_running() const { return launcher_pid && !launcher_status; }
  bool finished() const { return phase == Phase::done; }
};

// What to do about an event. After Finish nothing more is asked for.
Effects step(Roll& roll, const Event& event, TimePoint now);

// When step(Tick) has something to do at the latest; none: nothing is timed.
std::optional<TimePoint> next_deadline(const Roll& roll);

// "" where the state is sound, else what is broken. For tests and the fuzzers: true after every step.
std::string broken_invariant(const Roll& roll);

// The TIDs of the closing table: the launcher's ranks where every task has one and no two have the same, else the
// order of registration.
std::vector<std::uint32_t> table_ids(const Roll& roll);

}  // namespace rollcall::pam
