#include "res/policy/job_life.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "res/policy/job_life_steps.hpp"

namespace rollcall::res {
namespace life {

bool alive(const JobLife& life) { return life.phase == Phase::running || life.phase == Phase::serving; }
bool before_job(const JobLife& life) {
  return life.phase == Phase::pre_exec || life.phase == Phase::awaiting || life.phase == Phase::fresh;
}

void clear(JobLife& life, Effects& out) {
  life.phase = Phase::clearing;
  life.escalation.reset();
  life.stop_for_good.reset();
  life.look_at.reset();
  life.client_until.reset();
  life.hook_until.reset();
  out.push_back(effect::KillAll{});
}

void kill_post_exec(JobLife& life, Effects& out) {
  life.post_killed = true;
  clear(life, out);
}

void not_started(JobLife& life, How::How how, int status, std::string why, Effects& out) {
  life.outcome = {how, status, life.reason, std::move(why), false, false};
  clear(life, out);
}

namespace {

constexpr int kPreExecTimeout = 98;  // LSF's exit code of a pre-execution that took too long

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

// The kernel also applies -c to each process, and may act before we sample the usage. A shell reports the signal that ended
// its last process as 128 + signal.
bool ended_by_the_kernels_cpu_limit(const JobLife& life, int status) {
  if (!life.rules.limits.has_cpu_s()) return false;
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGXCPU : WEXITSTATUS(status) == 128 + SIGXCPU;
}

void job_ended(JobLife& life, int status, Effects& out) {
  int reason = life.reason;
  if (reason == 0 && ended_by_the_kernels_cpu_limit(life, status)) reason = kTermCpuLimit;
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
  out.push_back(effect::RunCopiesBack{life.never_ran});
}

// A stopped pre-execution has its time when it goes on.
bool hook_is_timed(const JobLife& life) {
  return life.hook_until && !(life.stopped && life.phase == Phase::pre_exec);
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
    if (life.phase != Phase::running) return;
    out.push_back(effect::TellRunning{});
    if (life.stopped) started_stopped(life, now, out);
  }
  void operator()(const event::JobNotStarted& e) {
    // The job's own faults: another start would fail as well.
    if (const int code = e.no_input ? 1 : e.no_program; code != 0) {
      life.outcome = {How::ENDED, code << 8, life.reason, e.why, life.rules.post_exec, false};
      life.copy_back = life.rules.returns_output;
      life.never_ran = true;
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
  void operator()(const event::Sampled& e) { check_usage(life, e, now, out); }
  void operator()(const event::Ordered& e) { ordered(life, e.order, now, out); }
  void operator()(const event::DeadlinePassed&) { end_of_time(life, kTermDeadline, now, out); }
  void operator()(const event::FoundRunning&) { stop_again(life, now, out); }
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
    if (hook_is_timed(life) && now >= *life.hook_until) return hook_took_too_long(life, out);
    if (life.stop_for_good && now >= *life.stop_for_good) {
      life.stop_for_good.reset();
      out.push_back(effect::Signal{SIGSTOP});
    }
    if (life.look_at && now >= *life.look_at) look_again(life, now, out);
    if (life.escalation && now >= life.escalation->due) take_step(life, now, out);
    check_time(life, now, out);
  }
};

}  // namespace
}  // namespace life

std::vector<Effect> step(JobLife& life, const Event& event, TimePoint now) {
  if (life.phase == Phase::running && !life.stopped) life.run += std::max(now - life.turned, Duration{0});
  life.turned = now;
  life::Step next{life, now, {}};
  std::visit(next, event);
  return std::move(next.out);
}

std::optional<TimePoint> next_deadline(const JobLife& life) {
  std::optional<TimePoint> first;
  const auto at_most = [&](TimePoint t) { first = first ? std::min(*first, t) : t; };
  if (life.client_until) at_most(*life.client_until);
  if (life::hook_is_timed(life)) at_most(*life.hook_until);
  if (life.stop_for_good) at_most(*life.stop_for_good);
  if (life.look_at) at_most(*life.look_at);
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

}  // namespace rollcall::res
