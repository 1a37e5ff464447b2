#include "pam/policy/roll.hpp"

#include <csignal>

#include "pam/policy/roll_endings.hpp"
#include "pam/policy/roll_messages.hpp"

namespace rollcall::pam {
namespace {

// One step of the Roll: the state, the time, and the actions so far.
class RollStep : private Endings {
 public:
  RollStep(Roll& roll, TimePoint now) : Endings(roll, now) {}

  void on(const event::LauncherStarted& e) {
    roll_.phase = Phase::launching;
    roll_.launcher_pid = e.pid;
    roll_.launched_us = e.at_us;
    if (roll_.rules.registration_timeout > Duration{0})
      roll_.all_deadline = now_ + roll_.rules.registration_timeout;
    if (roll_.rules.first_timeout && *roll_.rules.first_timeout > Duration{0})
      roll_.first_deadline = now_ + *roll_.rules.first_timeout;
  }

  void on(const event::LauncherNotStarted& e) {
    say("cannot " + e.failure.stage + " " + e.failure.path + ": " + errno_text(e.failure.error) +
        ": no task was started");
    roll_.verdict = e.exit_code;
    roll_.why = "the launcher could not be started";
    finish();
  }

  void on(const event::TaskRegistered& e) {
    // Its connection was lost before its number arrived, or it went on without its relay, which passes the first words on late.
    if (const auto known = roll_.tasks.find(e.registration))
      return on(event::TaskResumed{e.connection, *known, e.registration.host, e.registration.starter_pid});
    const Tid tid = roll_.tasks.add(e.registration, e.connection);
    roll_.last_registered = now_;
    roll_.tasks[tid].known_us = e.at_us;
    note_no_cgroup(e);
    const bool started = roll_.tasks[tid].live();
    if (!started) ++roll_.not_started;
    out_.push_back(effect::Welcome{e.connection, tid, roll_.rules.cut_link});
    if (started) became_live(tid);
    if (started) deliver_missed(tid, now_ + -kMissed);
    roll_.first_deadline.reset();
    roll_.linger_at.reset();
    if (!roll_.rules.expected && roll_.phase == Phase::launching) roll_.settle_at = now_ + kSettle;
    raise_expected();
    if (started && (roll_.phase == Phase::ending || roll_.launcher_status)) end_one(tid);
    check_complete();
  }

  void on(const event::TaskResumed& e) {
    Task* task = e.tid < roll_.tasks.size() ? &roll_.tasks[e.tid] : nullptr;
    if (task == nullptr || task->starter_pid != e.starter_pid || roll_.tasks.host(*task) != e.host) {
      out_.push_back(effect::Refuse{e.connection});
      return;
    }
    if (task->state == TaskState::ended || task->state == TaskState::not_started) {
      // It has told all, and waits to hear that we have it.
      out_.push_back(effect::Welcome{e.connection, e.tid, roll_.rules.cut_link});
      return;
    }
    // It knew of the cut before we did: the old connection is dead.
    if (task->state == TaskState::running) out_.push_back(effect::Refuse{task->connection});
    if (task->state == TaskState::lost) {
      say(task_name(roll_, e.tid) + " is back");
      --roll_.lost;
      std::erase_if(roll_.losses, [&](const Roll::Loss& loss) { return loss.tid == e.tid; });
      became_live(e.tid);
    }
    task->state = TaskState::running;
    task->connection = e.connection;
    task->end_us = 0;
    roll_.away.remove(e.tid);
    if (roll_.cut_hosts.erase(e.host) != 0) say("the link to " + e.host + " is back");
    out_.push_back(effect::Welcome{e.connection, e.tid, roll_.rules.cut_link});
    deliver_missed(e.tid, TimePoint{});
    if (roll_.phase == Phase::ending || roll_.launcher_status) end_one(e.tid);
  }

  void on(const event::TaskEnded& e) {
    if (e.tid >= roll_.tasks.size() || !roll_.tasks[e.tid].live()) return;
    Task& task = roll_.tasks[e.tid];
    if (const Away* away = known_loss(e.tid)) tell_loss(e.tid, away->expected, away->cause);
    no_longer_live(e.tid, TaskState::ended);
    task.status = e.status;
    task.end_us = e.end_us;
    roll_.tasks.add_usage(e.tid, e.usage);
    if (e.leftovers > 0)
      note(task_name(roll_, e.tid) + " left " + std::to_string(e.leftovers) +
           " processes behind: they were ended");
    if (!e.status.success() && roll_.rules.clean_job_delay && !roll_.clean_at && !roll_.parent_lost &&
        roll_.phase != Phase::ending) {
      roll_.clean_at = now_ + *roll_.rules.clean_job_delay;
      roll_.clean_status = e.status;
    }
    check_all_ended();
  }

  void on(const event::LinkEnded& e) {
    if (e.tid >= roll_.tasks.size()) return;
    Task& task = roll_.tasks[e.tid];
    if (const Away* away = known_loss(e.tid)) {
      const Away known = *away;
      return lose(e.tid, known.expected, known.cause);
    }
    if (task.state != TaskState::running) return;
    goes_away(e.tid, e.at_us, e.cut ? roll_.rules.cut_link : kClosedLink, {});
    const std::string& host = roll_.tasks.host(task);
    if (!e.cut) expect_orphans(host);
    if (e.cut && roll_.cut_hosts.insert(host).second)
      say("the link to " + host + " is cut: waiting " + patience_text() + "for its tasks");
  }

  void on(const event::StarterLost& e) {
    if (e.tid >= roll_.tasks.size() || roll_.tasks[e.tid].state != TaskState::running) return;
    goes_away(e.tid, e.at_us, kGiveUp, {LossCause::Kind::starter_killed, e.pid});
  }

  void on(const event::ParentLost& e) {
    if (e.tid >= roll_.tasks.size()) return;
    const bool by_design = e.status ? e.status->success() : e.background;
    const std::string line = lost_process(e.name, e.pid, roll_.tasks.host(roll_.tasks[e.tid]), e.status);
    if (by_design) {
      note(line + ", and left its TaskStarter running: not an error");
      return;
    }
    if (roll_.parent_lost || !roll_.launcher_running() || roll_.phase == Phase::ending) return;
    roll_.parent_lost = e;
    roll_.verdict_at = now_ + kVerdict;
  }

  void on(const event::LauncherEnded& e) {
    roll_.launcher_status = e.status;
    if (!e.status.by_signal() && !e.status.success())
      count_failed_task("the launcher with " + e.status.text());
    roll_.first_deadline.reset();
    roll_.all_deadline.reset();
    roll_.settle_at.reset();
    roll_.linger_at.reset();
    roll_.clean_at.reset();
    roll_.verdict_at.reset();
    roll_.launcher_term_at.reset();
    roll_.launcher_kill_at.reset();
    const bool foreign = e.status.by_signal() && roll_.sent_to_launcher.count(e.status.signo()) == 0;
    if (foreign)
      say("the launcher " +
          lost_process(roll_.rules.launcher, *roll_.launcher_pid, roll_.rules.host, e.status));
    if (roll_.why.empty()) roll_.why = "the launcher ended: " + e.status.text();
    if (roll_.phase == Phase::ending) return;
    if (foreign)
      end_tasks_left(kQuickKill);
    else if (roll_.live > 0 || !nothing_in_flight())
      roll_.drain_at = now_ + kDrain;
  }

  void on(const event::SignalArrived& e) {
    switch (e.signo) {
      case SIGTSTP:
        deliver(SIGTSTP);
        if (!e.from_terminal) signal_launcher(SIGTSTP, false);
        roll_.stop_at = now_ + kStopGrace;
        return;
      case SIGCONT:
        roll_.stop_at.reset();
        signal_launcher(SIGCONT, false);
        deliver(SIGCONT);
        return;
      case SIGINT:
      case SIGTERM:
        deliver(e.signo);
        if (e.from_terminal)
          roll_.sent_to_launcher.insert(e.signo);
        else
          signal_launcher(e.signo, false);
        if (e.signo == SIGTERM) told_to_end();
        return;
      case SIGUSR1:
      case SIGUSR2:
      case SIGQUIT:
        deliver(e.signo);
        if (e.from_terminal)
          roll_.sent_to_launcher.insert(e.signo);
        else
          signal_launcher(e.signo, true);
        return;
      default:  // HUP: launchers that catch it end the job for it; WINCH: they do nothing
        deliver(e.signo);
        if (e.from_terminal || e.signo == SIGHUP) roll_.sent_to_launcher.insert(e.signo);
    }
  }

  void on(const event::StartersWait& e) { roll_.waiting = e.count; }
  void on(const event::Tick&) {}

  Effects finish_turn() {
    if (!roll_.finished()) run_timers();
    if (roll_.live == 0 && nothing_in_flight()) roll_.drain_at.reset();
    const bool tasks_done = roll_.live == 0 && !roll_.drain_at;
    if (!roll_.finished() && roll_.launcher_status && tasks_done) finish();
    return std::move(out_);
  }

 private:
  std::string patience_text() const {
    return roll_.rules.cut_link >= kForEver ? "" : seconds_text(roll_.rules.cut_link) + " ";
  }
};

}  // namespace

Effects step(Roll& roll, const Event& event, TimePoint now) {
  if (roll.finished()) return {};
  RollStep turn(roll, now);
  std::visit([&](const auto& e) { turn.on(e); }, event);
  return turn.finish_turn();
}

}  // namespace rollcall::pam
