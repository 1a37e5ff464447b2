// How a job's tasks are counted, lost and ended: the part of a turn of the roll that several events share.
//
// Internal to roll.cpp, which holds the events; roll.hpp is what others see, and its table names the rules (a) to (h).
#pragma once

#include <string>
#include <system_error>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

inline constexpr int kTimedOut = 124;  // as timeout(1) exits
// 128 + KILL: where the launcher claims success after a process of it was lost.
inline constexpr int kLostParentStatus = 137;
inline constexpr std::size_t kSignalsKept = 64;

class Endings {
 protected:
  Endings(Roll& roll, TimePoint now) : roll_(roll), now_(now) {}

  // True where every task that is known to exist has reported.
  bool nothing_in_flight() const { return roll_.expected ? roll_.complete() : roll_.registered() > 0; }

  void say(std::string text) { out_.push_back(effect::Say{std::move(text)}); }
  void note(std::string text) { out_.push_back(effect::Note{std::move(text)}); }
  static std::string errno_text(int error) { return std::generic_category().message(error); }

  static bool due(const std::optional<TimePoint>& at, TimePoint now) { return at && *at <= now; }
  // True once, when the timer has run out.
  bool take(std::optional<TimePoint>& at) {
    if (!due(at, now_)) return false;
    at.reset();
    return true;
  }

  void became_live(Tid tid);
  void no_longer_live(Tid tid, TaskState state);
  void goes_away(Tid tid, std::int64_t at_us, Duration wait, LossCause cause);
  // Where the task is away and the reason is known; else null.
  const Away* known_loss(Tid tid) const;
  void lose(Tid tid, bool expected, LossCause cause);

  void note_no_cgroup(const event::TaskRegistered& e);
  void expect_orphans(const std::string& host);
  void end_orphans();
  // expected: launchers kill TaskStarters when they clean up.
  void tell_loss(Tid tid, bool expected, LossCause cause);

  // The first to be lost is the cause; a launcher that ends the others for it would make a line of each.
  void say_losses();
  void raise_expected();

  // (c), and the end of the launch.
  void check_complete();
  void say_not_started();
  int not_started_code() const;

  // (f)
  void check_all_ended();
  int worst_status() const;
  void deliver(int signo);

  // Delivers the signals that the other tasks have had since then; a TaskStarter recognises repeats by their number.
  void deliver_missed(Tid tid, TimePoint since);
  void signal_launcher(int signo, bool only_if_caught);

  // The launcher, then the tasks: TERM now, KILL after the grace.
  void begin_ending(const std::string& why, std::optional<int> verdict, Duration grace);
  void term_launcher();
  void end_tasks(Duration grace);

  // Only ever sooner: an end that is under way is not put off by a second reason for it.
  void kill_tasks_in(Duration grace);

  // A task that came, or came back, when the job is being ended.
  void end_one(Tid tid);

  // (e)
  void end_tasks_left(Duration grace);

  // TERM to pam itself: it has been passed on; what does not heed it is killed.
  void told_to_end();
  void run_timers();

  // (b)
  // (b): whether the time for registrations goes on.
  bool more_come();
  void too_late(Duration timeout, const char* parameter);

  // (f)
  void lingered();

  // (g)
  void failed_task();
  // The launcher acts on a failed task in its own way: which of the two is faster must not show in pam's status.
  void count_failed_task(const std::string& then);

  // (h)
  void parent_was_lost();

  // The launcher has ended and what was in flight has arrived.
  void drained();

  // A launcher that only passes TSTP on would run while the shell has the terminal: Open MPI's then reads from it.
  void stop();
  void run_link_timers();
  void run_kill_timers();
  void finish();

  Roll& roll_;
  TimePoint now_;
  Effects out_;
};

}  // namespace rollcall::pam
