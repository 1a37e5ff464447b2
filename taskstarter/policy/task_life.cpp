#include "taskstarter/policy/task_life.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace rollcall::taskstarter {
namespace {

class Step {
 public:
  Step(State& state, TimePoint now) : s(state), now_(now) {}
  Effects take() { return std::move(effects_); }

  void on(const Began&) { dial(); }

  // A stopped pam may stay stopped for any time, and its kernel answers for it. The launcher ends us when that is
  // too long; where the launcher's process is gone, we must.
  void on(const Answered&) {
    if (s.phase == Phase::dialing && s.link == Link::dialing && !s.parent_gone) set_limit_aside();
  }

  void on(const Connected& connected) {
    s.link = Link::up;
    s.relayed = connected.relayed;
    s.welcomed = false;
    s.dial_at.reset();
    set_limit_aside();
    if (s.phase == Phase::dialing) return add(StartTask{});
    add(SendRegistration{});
    if (s.not_started) return await_pam();
    if (s.parent_gone) add(SendParentLost{});
    if (s.phase == Phase::reporting) report();
  }

  void on(const DialFailed& failed) {
    if (s.link != Link::dialing) return;
    if (failed.why == DialFailure::no_answer) return dial_later(failed.why, kRedialPause);
    if (failed.why == DialFailure::hung_up) return dial_later(failed.why, next_hang_up_pause());
    pam_dead(Complaint::pam_dead, failed.why);
  }

  void on(const PutOff& told) {
    if (s.link != Link::dialing) return;
    s.link = Link::waiting;
    s.hang_up_pause = Duration{0};
    const bool nobody_ends_us = s.parent_gone && (s.phase == Phase::dialing || s.phase == Phase::reporting);
    if (!nobody_ends_us) {
      s.dial_limit.reset();
      s.limit_left.reset();
    }
    s.dial_at = now_ + std::clamp<Duration>(told.pause, kShortestWait, kLongestWait);
  }

  void on(const Welcomed& welcomed) {
    if (s.link != Link::up) return;
    // Pam reads on to the end. What the relay was told may still be with the relay, but for the registration.
    if (s.phase == Phase::reporting && (s.not_started || !s.relayed)) return finish(*s.status);
    s.redial_limit = welcomed.patience;
    s.welcomed = true;
    s.limit_left.reset();
  }

  void on(const LinkLost&) {
    if (s.link != Link::up) return;
    s.deliver_at.reset();
    if (s.welcomed) return dial();
    dial_later(DialFailure::turned_away, next_hang_up_pause());
  }

  void on(const Delivered&) {
    const bool pam_has_it = s.relayed ? s.deliver_at.has_value() : s.welcomed;
    if (s.phase == Phase::reporting && s.link == Link::up && pam_has_it) finish(*s.status);
  }

  void on(const TaskStarted&) {
    s.phase = Phase::running;
    add(SendRegistration{});
    if (s.parent_gone) add(SendParentLost{});
    for (const int signo : std::exchange(s.held, {})) deliver(signo, SignalSource::launcher);
  }

  void on(const StartFailed& failed) {
    s.not_started = true;
    s.status = ExitStatus::exited(failed.not_found ? kNotFound : kCannotExecute);
    if (s.link == Link::up)
      add(SendRegistration{});
    else
      add(Complain{Complaint::cannot_execute});
    if (s.link != Link::up) return finish(*s.status);
    s.phase = Phase::reporting;
    await_pam();
  }

  void on(const TaskStopped&) { s.stopped = true; }
  void on(const TaskContinued&) { s.stopped = false; }

  void on(const TaskExited& exited) {
    if (s.phase != Phase::running && s.phase != Phase::ending) return;
    s.status = exited.status;
    s.phase = Phase::leftovers;
    s.stop_at.reset();
    if (!exited.left) return report();
    if (s.killing) return kill_again();
    s.term_at = now_ + kLeftoverGrace;
  }

  void on(const DescendantsChanged& changed) {
    s.left = changed.left;
    if (s.phase == Phase::leftovers && s.left == 0) return report();
    if (s.killing && s.left > 0) kill_again();
  }

  void on(const SignalArrived& arrived) {
    if (arrived.source == SignalSource::pam && s.pairing.repeated(arrived.sequence)) return;
    if (s.pairing.first_arrival(arrived.signo, arrived.source, now_))
      return deliver(arrived.signo, arrived.source);
    // Pam or the launcher asks for the same stop: now it is to stop the task whatever that does about TSTP.
    if (arrived.signo == SIGTSTP && s.terminal_stop) stop_soon();
  }

  void on(const EndRequested& request) { end(request.grace); }

  void on(const OrphansReported&) { add(EndOrphans{}); }

  void on(const ParentGone&) {
    if (s.parent_gone) return;
    s.parent_gone = true;
    if (s.phase == Phase::dialing || s.phase == Phase::reporting) return limit_dial();
    if (s.link == Link::up) add(SendParentLost{});
  }

  void on(const OuterGone&) {
    if (s.outer_gone) return;
    s.outer_gone = true;
    s.told_to_end = true;
    if (s.phase == Phase::dialing) return finish(ExitStatus::exited(kCannotBegin));
    if (s.phase == Phase::reporting) return finish(*s.status);
    if (s.link == Link::up) add(SendStarterLost{});
    if (s.phase == Phase::running) s.phase = Phase::ending;
    kill();
  }

  void on(const TimePassed&) {
    s.pairing.forget_old(now_);
    if (due(s.deliver_at)) on(LinkLost{});
    if (due(s.dial_limit)) dial_limit_passed();
    if (due(s.dial_at)) dial_again();
    if (due(s.stop_at) && s.phase == Phase::running) add(SignalTask{SIGSTOP});
    if (due(s.term_at)) term_leftovers();
    if (due(s.give_up_at)) give_up();
    if (due(s.kill_at)) s.killing ? kill_again() : kill();
  }

 private:
  void add(Effect effect) { effects_.push_back(effect); }

  // True once for a deadline that has come; it is then unset.
  bool due(std::optional<TimePoint>& deadline) {
    if (!deadline || now_ < *deadline || s.phase == Phase::finished) return false;
    deadline.reset();
    return true;
  }

  bool has_task() const { return s.phase == Phase::running || s.phase == Phase::ending; }

  // The first of a row.
  void dial() {
    s.limit_left.reset();
    s.hang_up_pause = Duration{0};
    s.last_failure = DialFailure::no_answer;
    limit_dial();
    dial_again();
  }

  void dial_later(DialFailure why, Duration pause) {
    s.link = Link::waiting;
    s.last_failure = why;
    limit_dial();
    s.dial_at = now_ + pause;
  }

  Duration next_hang_up_pause() {
    return s.hang_up_pause = std::clamp<Duration>(s.hang_up_pause * 2, kHangUpPause, kLongestHangUpPause);
  }

  void limit_dial() {
    if (!s.dial_limit) s.dial_limit = now_ + s.limit_left.value_or(s.redial_limit);
    s.limit_left.reset();
  }

  void set_limit_aside() {
    if (s.dial_limit) s.limit_left = std::max(*s.dial_limit - now_, Duration{0});
    s.dial_limit.reset();
  }

  void dial_again() {
    s.link = Link::dialing;
    add(Dial{});
  }

  void dial_limit_passed() {
    const bool silent = s.last_failure == DialFailure::no_answer;
    pam_dead(silent ? Complaint::pam_silent : Complaint::pam_dead, s.last_failure);
  }

  void pam_dead(Complaint what, DialFailure why) {
    s.link = Link::gone;
    s.dial_at.reset();
    s.dial_limit.reset();
    if (s.phase == Phase::dialing) {
      add(Complain{Complaint::no_pam, why});
      return finish(ExitStatus::exited(kCannotBegin));
    }
    if (s.not_started) add(Complain{Complaint::cannot_execute});
    if (s.phase == Phase::reporting) return finish(*s.status);
    const bool tell = has_task();
    end(kKillGrace);
    if (tell) add(Complain{what, why});  // last: a stderr that is not read delays us for a while
  }

  static bool ends_by_default(int signo) {
    return signo == SIGHUP || signo == SIGINT || signo == SIGQUIT || signo == SIGTERM || signo == SIGABRT;
  }
  bool ignored(int signo) const { return (s.settings.ignored_signals >> (signo - 1) & 1) != 0; }

  void deliver(int signo, SignalSource source) {
    const bool ends = ends_by_default(signo) && !ignored(signo);
    s.told_to_end |= ends;
    switch (s.phase) {
      case Phase::dialing:
        if (ends) return finish(ExitStatus::signaled(signo));
        return s.held.push_back(signo);
      case Phase::reporting:
        if (ends) finish(*s.status);
        return;
      case Phase::running:
      case Phase::ending:
        return deliver_to_task(signo, source);
      case Phase::leftovers:
      case Phase::finished:
        return;
    }
  }

  void deliver_to_task(int signo, SignalSource source) {
    if (signo == SIGTSTP && s.phase == Phase::ending) return;
    const bool has_it = s.settings.shared_group && source == SignalSource::terminal;
    if (signo == SIGTSTP) {
      // The terminal alone leaves it to the task, as a shell would.
      has_it ? void(s.terminal_stop = true) : stop_soon();
    }
    if (signo == SIGCONT) {
      s.stop_at.reset();
      s.terminal_stop = false;
      add(ContinueOuter{});
    }
    if (!has_it) add(SignalTask{signo});
  }

  void stop_soon() {
    s.terminal_stop = false;
    if (s.phase == Phase::running) s.stop_at = now_ + kStopGrace;
  }

  void end(Duration grace) {
    s.told_to_end = true;
    switch (s.phase) {
      case Phase::running:
        s.phase = Phase::ending;
        s.stop_at.reset();
        if (grace <= Duration{0}) return kill();
        // The launcher may have passed the same TERM on.
        if (s.pairing.first_arrival(SIGTERM, SignalSource::pam, now_)) add(SignalTask{SIGTERM});
        if (s.stopped) add(SignalTask{SIGCONT});
        s.kill_at = now_ + grace;
        return;
      case Phase::ending:
      case Phase::leftovers:
        if (s.killing) return;
        if (grace <= Duration{0}) return kill();
        s.kill_at = std::min(s.kill_at.value_or(now_ + grace), now_ + grace);
        return;
      default:
        return;
    }
  }

  void term_leftovers() {
    if (s.killing) return;
    s.leftovers = std::max(s.leftovers, s.left);
    add(SignalDescendants{SIGTERM});
    add(SignalDescendants{SIGCONT});  // a stopped process cannot end
    s.kill_at = std::min(s.kill_at.value_or(now_ + kKillGrace), now_ + kKillGrace);
  }

  void kill() {
    s.killing = true;
    s.term_at.reset();
    if (s.phase == Phase::leftovers) s.leftovers = std::max(s.leftovers, std::max(s.left, 1U));
    kill_again();
  }

  void kill_again() {
    add(SignalDescendants{SIGKILL});
    s.kill_pause = std::clamp<Duration>(s.kill_pause * 2, kKillAgain, std::chrono::seconds(1));
    s.kill_at = now_ + s.kill_pause;
    if (s.phase == Phase::leftovers && !s.give_up_at) s.give_up_at = now_ + kGiveUp;
  }

  void give_up() {
    add(Complain{Complaint::cannot_end_leftovers});
    report();
  }

  // No process of the task is left.
  void report() {
    s.term_at.reset();
    s.kill_at.reset();
    s.give_up_at.reset();
    s.killing = false;
    if (s.link == Link::up) add(SendTaskEnded{});
    if (s.link == Link::gone || s.outer_gone) return finish(*s.status);
    s.phase = Phase::reporting;
    if (s.link == Link::up) await_pam();
  }

  // The last message is sent, and may be lost: the connection may be cut, pam closes one unread on which we have not proved ourselves in
  // time, and a relay may be killed with it. Until the kernel, pam or the relay has it we can send it again. If the launcher is gone
  // nobody else ends us.
  void await_pam() {
    if (s.relayed) s.deliver_at = now_ + kDelivery;
    if (s.parent_gone) limit_dial();
  }

  void finish(ExitStatus status) {
    s.phase = Phase::finished;
    add(Finish{status});
  }

  State& s;
  TimePoint now_;
  Effects effects_;
};

}  // namespace

Effects step(State& state, const Event& event, TimePoint now) {
  if (state.phase == Phase::finished) return {};
  Step stepped(state, now);
  std::visit([&](const auto& happened) { stepped.on(happened); }, event);
  return stepped.take();
}

std::optional<TimePoint> next_deadline(const State& state) {
  std::optional<TimePoint> next;
  if (state.phase == Phase::finished) return next;
  for (const auto& deadline : {state.dial_at, state.dial_limit, state.deliver_at, state.stop_at,
                               state.term_at, state.kill_at, state.give_up_at, state.pairing.forgets_at()})
    if (deadline && (!next || *deadline < *next)) next = deadline;
  return next;
}

bool wants_descendants(const State& state) {
  return state.phase == Phase::leftovers || (state.killing && state.phase == Phase::ending);
}

}  // namespace rollcall::taskstarter
