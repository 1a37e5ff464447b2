#include "res/policy/job_life.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "common/base/exit_status.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;
using How = wire::FromRes::JobOver;
using Order = wire::ToRes::SignalJob;
using Effects = std::vector<Effect>;

constexpr Duration kStopGrace = 100ms;
constexpr Duration kCpuInterval = 10s;
constexpr Duration kRunGrace = 10min;
constexpr int kPreExecTimeout = 98;  // LSF's exit code of a pre-execution that took too long

bool alive(const JobLife& life) { return life.phase == Phase::running || life.phase == Phase::serving; }
bool before_job(const JobLife& life) {
  return life.phase == Phase::pre_exec || life.phase == Phase::awaiting || life.phase == Phase::fresh;
}

void clear(JobLife& life, Effects& out) {
  life.phase = Phase::clearing;
  life.escalation.reset();
  life.stop_for_good.reset();
  life.client_until.reset();
  life.hook_until.reset();
  out.push_back(effect::KillAll{});
}

// How the job ended was told before.
void kill_post_exec(JobLife& life, Effects& out) {
  life.post_killed = true;
  clear(life, out);
}

// ---- signals to the job

void signal_all(JobLife& life, int signo, Effects& out) {
  out.push_back(effect::Signal{signo});
  // A stopped process takes no other signal: it is to see this one.
  if (life.stopped && signo != SIGKILL && signo != SIGSTOP && signo != SIGTSTP && signo != SIGCONT)
    out.push_back(effect::Signal{SIGCONT});
}

void take_step(JobLife& life, TimePoint now, Effects& out) {
  auto& escalation = *life.escalation;
  const auto step = escalation.steps[escalation.next++];
  signal_all(life, step.signo, out);
  if (escalation.next == escalation.steps.size())
    life.escalation.reset();
  else
    escalation.due = now + step.wait;
}

// A harder one replaces a softer one that is under way; the first reason stays.
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

void stop(JobLife& life, const Order& order, TimePoint now, Effects& out) {
  if (!life.rules.controls.suspend().empty() && signal_number(life.rules.controls.suspend()) == 0) {
    out.push_back(effect::RunControl{life.rules.controls.suspend()});
  } else {
    int signo = signal_number(life.rules.controls.suspend());
    if (signo == 0) signo = order.signal() != 0 ? order.signal() : life.rules.stop_signal;
    if (signo == 0) signo = life.rules.polite_stop ? SIGTSTP : SIGSTOP;
    out.push_back(effect::Signal{signo});
    // In a session of its own nobody could continue the job: the kernel passes TSTP over there.
    if (signo == SIGTSTP) life.stop_for_good = now + kStopGrace;
  }
  if (!life.stopped) out.push_back(effect::TellStopped{});
  life.stopped = true;
}

void resume(JobLife& life, Effects& out) {
  life.stop_for_good.reset();
  const auto& control = life.rules.controls.resume();
  const int signo = signal_number(control);
  if (!control.empty() && signo == 0)
    out.push_back(effect::RunControl{control});
  else
    out.push_back(effect::Signal{signo == 0 ? SIGCONT : signo});
  if (life.stopped) out.push_back(effect::TellResumed{});
  life.stopped = false;
}

void terminate(JobLife& life, const Order& order, TimePoint now, Effects& out) {
  const auto& control = life.rules.controls.terminate();
  if (alive(life) && !control.empty()) {
    if (life.reason == 0) life.reason = order.term_reason();
    life.ended_by_us = true;
    if (const int signo = signal_number(control); signo != 0) return signal_all(life, signo, out);
    out.push_back(effect::RunControl{control});
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
    if (!life.stopped) out.push_back(effect::TellStopped{});
    life.stopped = true;
    return;
  }
  if (signo == SIGCONT) return resume(life, out);
  if (order.term_reason() != 0 && life.reason == 0) life.reason = order.term_reason();
  life.ended_by_us = true;  // what it does with it is its own matter; the signal was no stranger's
  signal_all(life, signo, out);
}

// ---- limits

bool breaks_a_limit(const JobLife& life, const event::Sampled& s) {
  const auto& limits = life.rules.limits;
  return (life.rules.memory_of_job && limits.has_memory_kb() && s.memory_kb > limits.memory_kb()) ||
         (limits.has_swap_kb() && s.swap_kb > limits.swap_kb()) ||
         (limits.has_processes() && s.processes > limits.processes()) ||
         (limits.has_threads() && s.threads > limits.threads());
}

void check(JobLife& life, const event::Sampled& s, TimePoint now, Effects& out) {
  if (life.phase == Phase::post_exec && breaks_a_limit(life, s)) return kill_post_exec(life, out);
  if (!alive(life) && life.phase != Phase::pre_exec) return;
  const auto& limits = life.rules.limits;
  const auto interval = life.rules.terminate_interval;
  if (life.rules.memory_of_job && limits.has_memory_kb() && s.memory_kb > limits.memory_kb())
    return escalate(life,
                    limits.memory_hard() ? std::vector<Escalation::Step>{{SIGKILL, 0s}} : softly(interval),
                    kTermMemLimit, now, out);
  if (limits.has_swap_kb() && s.swap_kb > limits.swap_kb())
    return escalate(life, softly(interval), kTermSwap, now, out);
  if (limits.has_processes() && s.processes > limits.processes())
    return escalate(life, softly(interval), kTermProcessLimit, now, out);
  if (limits.has_threads() && s.threads > limits.threads())
    return escalate(life, softly(interval), kTermThreadLimit, now, out);
  if (life.rules.cpu_of_job && limits.has_cpu_s() && s.cpu_s >= static_cast<double>(limits.cpu_s()))
    escalate(
        life,
        {{SIGXCPU, kCpuInterval}, {SIGINT, kCpuInterval}, {SIGTERM, kCpuInterval}, {SIGKILL, kCpuInterval}},
        kTermCpuLimit, now, out);
}

void end_of_time(JobLife& life, int reason, TimePoint now, Effects& out) {
  if (life.run_limit_reached || !alive(life)) return;
  life.run_limit_reached = true;
  escalate(life, {{SIGUSR2, kRunGrace}, {SIGKILL, 0s}}, reason, now, out);
}

void check_time(JobLife& life, TimePoint now, Effects& out) {
  if (life.phase != Phase::running || !life.rules.first_host || !life.rules.limits.has_run_s()) return;
  const Duration limit = std::chrono::seconds(life.rules.limits.run_s());
  if (life.rules.warning_signal != 0 && !life.warned && life.run >= limit - life.rules.warning_before) {
    life.warned = true;
    out.push_back(effect::Signal{life.rules.warning_signal});
  }
  if (life.run >= limit) end_of_time(life, kTermRunLimit, now, out);
}

// ---- the way of the job

void not_started(JobLife& life, How::How how, int status, std::string why, Effects& out) {
  life.outcome = {how, status, life.reason, std::move(why), false, false};
  clear(life, out);
}

void go_on(JobLife& life, TimePoint now, Effects& out) {
  if (life.rules.interactive && life.phase != Phase::awaiting) {
    life.phase = Phase::awaiting;
    life.client_until = now + life.rules.patience;
    out.push_back(effect::AwaitClient{});
    return;
  }
  life.client_until.reset();
  life.phase = Phase::running;
  out.push_back(effect::StartJob{});
}

bool fault(int signo) {
  return signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL || signo == SIGABRT ||
         signo == SIGSYS || signo == SIGTRAP || signo == SIGPIPE || signo == SIGXFSZ || signo == SIGXCPU;
}

void job_ended(JobLife& life, int status, Effects& out) {
  int reason = life.reason;
  if (reason == 0 && !life.ended_by_us && WIFSIGNALED(status) && !fault(WTERMSIG(status)))
    reason = kTermExternalSignal;
  life.outcome = {How::ENDED, job_exit_status(status), reason, "", life.rules.post_exec, false};
  life.copy_back = life.rules.copies_back;
  clear(life, out);
}

void tell_end(JobLife& life, TimePoint now, Effects& out) {
  out.push_back(life.outcome);
  if (life.outcome.post_follows) {
    life.phase = Phase::post_exec;
    if (life.rules.post_patience) life.hook_until = now + *life.rules.post_patience;
    out.push_back(effect::RunPostExec{life.outcome.exit_status});
  } else {
    life.phase = Phase::over;
    out.push_back(effect::Finish{});
  }
}

void emptied(JobLife& life, TimePoint now, Effects& out) {
  if (life.phase != Phase::clearing) return;
  if (life.post_killed) {
    life.phase = Phase::over;
    out.push_back(effect::TellPostOver{true});
    out.push_back(effect::Finish{});
    return;
  }
  if (!life.rules.first_host) {
    life.phase = Phase::over;
    out.push_back(effect::Finish{});
    return;
  }
  if (!std::exchange(life.copy_back, false)) return tell_end(life, now, out);
  life.phase = Phase::copying;
  out.push_back(effect::RunCopiesBack{});
}

bool means_an_end(const Order& order) {
  const int signo = order.signal();
  return order.action() == Order::TERMINATE ||
         (order.action() == Order::SEND && (signo == SIGKILL || signo == SIGTERM || signo == SIGINT));
}

void hook_took_too_long(JobLife& life, Effects& out) {
  if (life.phase == Phase::post_exec) return kill_post_exec(life, out);
  not_started(life, How::PRE_EXEC_FAILED, kPreExecTimeout << 8,
              "The pre-execution command did not end within JOB_PREPROC_TIMEOUT", out);
}

struct Step {
  JobLife& life;
  TimePoint now;
  Effects out;

  void operator()(const event::Began&) {
    if (!life.rules.first_host) {
      life.phase = Phase::serving;
    } else if (life.rules.pre_exec) {
      life.phase = Phase::pre_exec;
      if (life.rules.pre_patience) life.hook_until = now + *life.rules.pre_patience;
      out.push_back(effect::RunPreExec{});
    } else {
      go_on(life, now, out);
    }
  }
  void operator()(const event::PreEnded& e) {
    if (life.phase != Phase::pre_exec) return;
    life.hook_until.reset();
    if (e.status == 0) return go_on(life, now, out);
    const int status = job_exit_status(e.status);
    not_started(life, How::PRE_EXEC_FAILED, status,
                !e.why.empty()
                    ? e.why
                    : "The pre-execution command failed with exit code " + std::to_string(status >> 8),
                out);
  }
  void operator()(const event::ClientCame&) {
    if (life.phase == Phase::awaiting) go_on(life, now, out);
  }
  void operator()(const event::JobStarted&) {
    if (life.phase == Phase::running) out.push_back(effect::TellRunning{});
  }
  void operator()(const event::JobNotStarted& e) {
    if (e.no_input) {
      life.outcome = {How::ENDED, 1 << 8, life.reason, e.why, life.rules.post_exec, false};
      return clear(life, out);
    }
    if (e.no_directory) life.reason = kTermCwdNotExist;
    not_started(life, How::NOT_STARTED, 127 << 8, e.why, out);
    life.outcome.cwd_missing = e.no_directory;
  }
  void operator()(const event::JobEnded& e) {
    if (life.phase == Phase::running) job_ended(life, e.status, out);
  }
  void operator()(const event::Emptied&) { emptied(life, now, out); }
  void operator()(const event::CopiesEnded&) {
    if (life.phase == Phase::copying) tell_end(life, now, out);
  }
  void operator()(const event::PostEnded& e) {
    if (life.phase != Phase::post_exec) return;
    life.hook_until.reset();
    life.phase = Phase::over;
    out.push_back(effect::TellPostOver{e.status != 0});
    out.push_back(effect::Finish{});
  }
  void operator()(const event::Sampled& e) { check(life, e, now, out); }
  void operator()(const event::Ordered& e) {
    if (e.order.number() != 0 && e.order.number() <= life.last_order) return;
    life.last_order = std::max(life.last_order, e.order.number());
    if (life.phase == Phase::copying) return means_an_end(e.order) ? clear(life, out) : void();
    if (life.phase == Phase::post_exec && means_an_end(e.order)) return kill_post_exec(life, out);
    if (life.phase == Phase::clearing || life.phase == Phase::post_exec || life.phase == Phase::over) return;
    switch (e.order.action()) {
      case Order::TERMINATE:
        return terminate(life, e.order, now, out);
      case Order::SUSPEND:
        return alive(life) ? stop(life, e.order, now, out) : void();
      case Order::RESUME:
        return alive(life) ? resume(life, out) : void();
      case Order::LIMITS:
        life.rules.limits = e.order.limits();
        out.push_back(effect::ChangeLimits{e.order.limits(), e.order.terminate_us()});
        return;
      default:
        return send(life, e.order, now, out);
    }
  }
  void operator()(const event::DeadlinePassed&) { end_of_time(life, kTermDeadline, now, out); }
  void operator()(const event::Released&) {
    if (life.phase == Phase::serving) clear(life, out);
  }
  void operator()(const event::GuardGone&) {
    life.rules.post_exec = life.outcome.post_follows = false;
    if (life.phase == Phase::clearing || life.phase == Phase::over) return;
    if (life.phase == Phase::post_exec) return kill_post_exec(life, out);
    life.outcome = {How::SHEPHERD_LOST,
                    (128 + SIGKILL) << 8,
                    life.reason,
                    "the guard of the job was killed",
                    false,
                    false};
    clear(life, out);
  }
  void operator()(const event::TimePassed&) {
    if (life.client_until && now >= *life.client_until) {
      life.client_until.reset();
      return not_started(life, How::NOT_STARTED, 127 << 8, "No client came for the interactive job", out);
    }
    if (life.hook_until && now >= *life.hook_until) return hook_took_too_long(life, out);
    if (life.stop_for_good && now >= *life.stop_for_good) {
      life.stop_for_good.reset();
      out.push_back(effect::Signal{SIGSTOP});
    }
    if (life.escalation && now >= life.escalation->due) take_step(life, now, out);
    check_time(life, now, out);
  }
};

}  // namespace

LifeRules life_rules(const wire::JobOrder& order) {
  LifeRules rules;
  rules.first_host = order.has_start();
  rules.limits = order.has_start() ? order.start().limits() : order.expect().limits();
  rules.memory_of_job = order.enforcement().memory_of_job();
  rules.cpu_of_job = order.enforcement().cpu_of_job();
  rules.stop_signal = order.stop_signal();
  if (order.settings().terminate_interval_ms() != 0)
    rules.terminate_interval = std::chrono::milliseconds(order.settings().terminate_interval_ms());
  if (!order.has_start()) {
    rules.polite_stop = true;
    return rules;
  }
  const auto& start = order.start();
  const auto& asked = start.submission();
  using Transfer = wire::FileTransfer;
  for (const auto& transfer : asked.transfers()) {
    if (transfer.direction() == Transfer::TO_HOST || transfer.direction() == Transfer::BOTH)
      rules.pre_exec = true;
    if (transfer.direction() != Transfer::TO_HOST) rules.copies_back = true;
  }
  if (!start.queue_pre_exec().empty() || !asked.pre_exec().empty()) rules.pre_exec = true;
  rules.post_exec = !start.queue_post_exec().empty() || !asked.post_exec().empty();
  rules.interactive = asked.interactive() != wire::Submission::NONE;
  unsigned slots = 0;
  for (const auto& host : start.hosts()) slots += host.slots();
  rules.polite_stop = rules.interactive || slots > 1;
  rules.controls = start.controls();
  rules.warning_signal = asked.warning_signal();
  rules.warning_before = std::chrono::seconds(asked.warning_seconds());
  if (const auto s = order.settings().pre_exec_seconds(); s != 0)
    rules.pre_patience = std::chrono::seconds(s);
  if (const auto s = order.settings().post_exec_seconds(); s != 0)
    rules.post_patience = std::chrono::seconds(s);
  return rules;
}

std::vector<Effect> step(JobLife& life, const Event& event, TimePoint now) {
  if (life.phase == Phase::running && !life.stopped) life.run += std::max(now - life.turned, Duration{0});
  life.turned = now;
  Step next{life, now, {}};
  std::visit(next, event);
  return std::move(next.out);
}

std::optional<TimePoint> next_deadline(const JobLife& life) {
  std::optional<TimePoint> first;
  const auto at_most = [&](TimePoint t) { first = first ? std::min(*first, t) : t; };
  if (life.client_until) at_most(*life.client_until);
  if (life.hook_until) at_most(*life.hook_until);
  if (life.stop_for_good) at_most(*life.stop_for_good);
  if (life.escalation) at_most(life.escalation->due);
  if (life.phase == Phase::running && !life.stopped && !life.run_limit_reached && life.rules.first_host &&
      life.rules.limits.has_run_s()) {
    Duration left = std::chrono::seconds(life.rules.limits.run_s());
    if (life.rules.warning_signal != 0 && !life.warned) left -= life.rules.warning_before;
    at_most(life.turned + std::max(left - life.run, Duration{0}));
  }
  return first;
}

int job_exit_status(int wait_status) {
  const int code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  return code << 8;
}

namespace {
struct Texts {
  std::string operator()(const effect::RunPreExec&) const { return "run the pre-execution"; }
  std::string operator()(const effect::AwaitClient&) const { return "await the client"; }
  std::string operator()(const effect::StartJob&) const { return "start the job"; }
  std::string operator()(const effect::Signal& e) const { return "signal " + signal_name(e.signo); }
  std::string operator()(const effect::RunControl& e) const { return "run the control " + e.command; }
  std::string operator()(const effect::KillAll&) const { return "kill all"; }
  std::string operator()(const effect::ChangeLimits&) const { return "change limits"; }
  std::string operator()(const effect::RunCopiesBack&) const { return "run copies back"; }
  std::string operator()(const effect::TellRunning&) const { return "tell running"; }
  std::string operator()(const effect::TellStopped&) const { return "tell stopped"; }
  std::string operator()(const effect::TellResumed&) const { return "tell resumed"; }
  std::string operator()(const effect::TellOver& e) const {
    return "tell over " + std::to_string(e.how) + " " + std::to_string(e.exit_status) + " " +
           std::to_string(e.term_reason);
  }
  std::string operator()(const effect::RunPostExec&) const { return "run the post-execution"; }
  std::string operator()(const effect::TellPostOver& e) const {
    return e.failed ? "tell post failed" : "tell post done";
  }
  std::string operator()(const effect::Finish&) const { return "finish"; }
};
}  // namespace
std::string text(const Effect& effect) { return std::visit(Texts{}, effect); }

}  // namespace rollcall::res
