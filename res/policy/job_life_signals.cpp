// Sends signals to a job: those of orders, and the steps that end it.
#include <algorithm>
#include <csignal>
#include <utility>

#include "common/base/exit_status.hpp"
#include "res/policy/job_life_steps.hpp"

namespace rollcall::res::life {
namespace {

using namespace std::chrono_literals;

constexpr Duration kStopGrace = 100ms;

constexpr Duration kLookInterval = 1s;
constexpr Duration kLookSoon = 250ms;
constexpr Duration kTerminateCommand =
    60s;  // a command of JOB_CONTROLS may need that long to end a stopped job

void thaw(JobLife& life, Effects& out) {
  if (std::exchange(life.frozen, false)) out.push_back(effect::Thaw{});
}

// The stop itself was a signal that no process can ignore: what runs from here on was continued.
void watch(JobLife& life, TimePoint now) {
  life.look_at = now + kLookInterval;
  life.runs_for_signals = life.rules.terminate_interval;
}

// A stopped process handles a signal only after CONT. `time`: that it may run for it.
void signal_all(JobLife& life, int signo, Duration time, TimePoint now, Effects& out) {
  out.push_back(effect::Signal{signo});
  if (!life.stopped || signo == SIGKILL || signo == SIGSTOP || signo == SIGTSTP || signo == SIGCONT) return;
  if (life.look_at) {
    time = std::min(time, life.runs_for_signals);
    if (time <= Duration{0}) return;
    life.runs_for_signals -= time;
    life.look_at = std::max(*life.look_at, now + time);
  }
  thaw(life, out);
  out.push_back(effect::Signal{SIGCONT});
}

}  // namespace

void look_again(JobLife& life, TimePoint now, Effects& out) {
  life.look_at = now + kLookInterval;
  out.push_back(effect::LookForRunning{});
}

void stop_again(JobLife& life, TimePoint now, Effects& out) {
  if (!life.stopped || !life.look_at || !(alive(life) || life.phase == Phase::pre_exec)) return;
  out.push_back(effect::Signal{SIGSTOP});
  out.push_back(effect::Freeze{});
  life.frozen = true;
  life.look_at = now + kLookSoon;
}

void take_step(JobLife& life, TimePoint now, Effects& out) {
  auto& escalation = *life.escalation;
  const auto step = escalation.steps[escalation.next++];
  // Each step has its time, and the last one ends it.
  if (life.look_at) life.runs_for_signals = life.rules.terminate_interval;
  signal_all(life, step.signo, step.wait, now, out);
  if (escalation.next == escalation.steps.size())
    life.escalation.reset();
  else
    escalation.due = now + step.wait;
}

void escalate(JobLife& life, std::vector<Escalation::Step> steps, int reason, TimePoint now, Effects& out) {
  if (life.reason == 0) life.reason = reason;
  life.ended_by_us = true;
  if (before_job(life)) {
    life.outcome = {How::ENDED, (128 + steps.back().signo) << 8, life.reason, "", false, false};
    return clear(life, out);
  }
  if (life.escalation && life.escalation->steps.size() - life.escalation->next < steps.size()) return;
  life.escalation = Escalation{std::move(steps), 0, now};
  take_step(life, now, out);
}

std::vector<Escalation::Step> softly(Duration interval) {
  return {{SIGINT, interval}, {SIGTERM, interval}, {SIGKILL, interval}};
}

namespace {

void stop(JobLife& life, const Order& order, TimePoint now, Effects& out) {
  if (!life.rules.controls.suspend().empty() && signal_number(life.rules.controls.suspend()) == 0) {
    out.push_back(effect::RunControl{life.rules.controls.suspend(), order.suspend_reasons()});
  } else {
    int signo = signal_number(life.rules.controls.suspend());
    if (signo == 0) signo = order.signal() != 0 ? order.signal() : life.rules.stop_signal;
    if (signo == 0) signo = life.rules.polite_stop ? SIGTSTP : SIGSTOP;
    out.push_back(effect::Signal{signo});
    // The kernel ignores TSTP in an orphaned process group, such as that of the job's own session: STOP follows.
    if (signo == SIGTSTP) life.stop_for_good = now + kStopGrace;
    if (signo == SIGSTOP || signo == SIGTSTP) watch(life, now);
  }
  if (!life.stopped) out.push_back(effect::TellStopped{});
  life.stopped = true;
}

void resume(JobLife& life, Effects& out) {
  life.stop_for_good.reset();
  life.look_at.reset();
  thaw(life, out);
  const auto& control = life.rules.controls.resume();
  const int signo = signal_number(control);
  if (!control.empty() && signo == 0)
    out.push_back(effect::RunControl{control, 0});
  else
    out.push_back(effect::Signal{signo == 0 ? SIGCONT : signo});
  if (life.stopped) out.push_back(effect::TellResumed{});
  life.stopped = false;
}

// A pre-execution may run for hours on slots that another job has. JOB_CONTROLS are for the job.
void stop_before_job(JobLife& life, TimePoint now, Effects& out) {
  if (life.stopped) return;
  life.stopped = true;
  life.hook_stopped = now;
  if (life.phase == Phase::pre_exec) {
    out.push_back(effect::Signal{SIGSTOP});
    watch(life, now);
  }
  out.push_back(effect::TellStopped{});
}

void resume_before_job(JobLife& life, TimePoint now, Effects& out) {
  if (!std::exchange(life.stopped, false)) return;
  life.look_at.reset();
  thaw(life, out);
  if (life.hook_until) *life.hook_until = *life.hook_until + (now - life.hook_stopped);
  if (life.phase == Phase::pre_exec) out.push_back(effect::Signal{SIGCONT});
  out.push_back(effect::TellResumed{});
}

bool requeues(const Order& order) {
  return order.term_reason() == kTermRequeueOwner || order.term_reason() == kTermRequeueAdmin;
}

void terminate(JobLife& life, const Order& order, TimePoint now, Effects& out) {
  const auto& control = life.rules.controls.terminate();
  // TERMINATE[brequeue $LSB_JOBID] would run itself again and again: brequeue orders TERMINATE too.
  if (alive(life) && !control.empty() && !(life.ran_terminate && requeues(order))) {
    if (life.reason == 0) life.reason = order.term_reason();
    life.ended_by_us = true;
    if (const int signo = signal_number(control); signo != 0)
      return signal_all(life, signo, life.rules.terminate_interval, now, out);
    life.ran_terminate = true;
    if (life.look_at) life.look_at = now + kTerminateCommand;
    thaw(life, out);
    out.push_back(effect::RunControl{control, 0});
    return;
  }
  if (order.sequential())
    return escalate(life, softly(life.rules.terminate_interval), order.term_reason(), now, out);
  escalate(life, {{SIGKILL, 0s}}, order.term_reason(), now, out);
}

void send(JobLife& life, const Order& order, TimePoint now, Effects& out) {
  const int signo = order.signal();
  if (signo == SIGKILL) return escalate(life, {{SIGKILL, 0s}}, order.term_reason(), now, out);
  if (!alive(life)) {
    if (before_job(life) && (signo == SIGTERM || signo == SIGINT))
      escalate(life, {{signo, 0s}}, order.term_reason(), now, out);
    return;
  }
  if (signo == SIGSTOP || signo == SIGTSTP) {
    out.push_back(effect::Signal{signo});
    if (signo == SIGTSTP) life.stop_for_good = now + kStopGrace;
    watch(life, now);
    if (!life.stopped) out.push_back(effect::TellStopped{});
    life.stopped = true;
    return;
  }
  if (signo == SIGCONT) return resume(life, out);
  if (order.term_reason() != 0 && life.reason == 0) life.reason = order.term_reason();
  life.ended_by_us = true;  // if the job dies of this signal, the reason is not an external signal
  const bool ends = signo == SIGTERM || signo == SIGINT;
  signal_all(life, signo, ends ? life.rules.terminate_interval : kLookInterval, now, out);
}

bool means_an_end(const Order& order) {
  const int signo = order.signal();
  return order.action() == Order::TERMINATE ||
         (order.action() == Order::SEND && (signo == SIGKILL || signo == SIGTERM || signo == SIGINT));
}

}  // namespace

// It was stopped before it started: its client came meanwhile.
void started_stopped(JobLife& life, TimePoint now, Effects& out) {
  life.stopped = false;
  thaw(life, out);
  stop(life, Order(), now, out);
}

// Skips an order whose number is not above the last one's: it was carried out already.
void ordered(JobLife& life, const Order& order, TimePoint now, Effects& out) {
  if (order.number() != 0 && order.number() <= life.last_order) return;
  life.last_order = std::max(life.last_order, order.number());
  if (life.phase == Phase::copying) return means_an_end(order) ? clear(life, out) : void();
  if (life.phase == Phase::post_exec && means_an_end(order)) return kill_post_exec(life, out);
  if (life.phase == Phase::clearing || life.phase == Phase::post_exec || life.phase == Phase::over) return;
  switch (order.action()) {
    case Order::TERMINATE:
      return terminate(life, order, now, out);
    case Order::SUSPEND:
      return alive(life) ? stop(life, order, now, out) : stop_before_job(life, now, out);
    case Order::RESUME:
      return alive(life) ? resume(life, out) : resume_before_job(life, now, out);
    case Order::LIMITS:
      life.rules.limits = order.limits();
      out.push_back(effect::ChangeLimits{order.limits(), order.terminate_us()});
      return;
    default:
      return send(life, order, now, out);
  }
}

}  // namespace rollcall::res::life
