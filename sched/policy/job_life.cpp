#include "sched/policy/job_life.hpp"

#include <algorithm>

namespace rollcall::sched {
namespace {

using wire::FromRes;
using wire::ToRes;

constexpr std::int32_t kKilled = 137 << 8;       // what a job's shell says of a KILL
constexpr std::int32_t kInterrupted = 130 << 8;  // of a job that was killed before it ran
constexpr int kSignalsKept = 16;
constexpr int kKill = 9;
constexpr std::uint32_t kAskedFor = wire::SUSPEND_USER | wire::SUSPEND_ADMIN;

// Whole seconds, so that the sums of all states are the time from first to last.
std::int64_t seconds_since(std::int64_t from_us, WallTime now) {
  return from_us == 0 ? 0 : std::max<std::int64_t>(0, now.seconds() - from_us / 1'000'000);
}

void add_present_seconds(wire::JobRecord& record, WallTime now) {
  const std::int64_t s = seconds_since(record.status_us(), now);
  switch (record.status()) {
    case wire::STATUS_PSUSP:
      return record.set_psusp_s(record.psusp_s() + s);
    case wire::STATUS_RUN:
      return record.set_run_s(record.run_s() + s);
    case wire::STATUS_USUSP:
      return record.set_ususp_s(record.ususp_s() + s);
    case wire::STATUS_SSUSP:
      return record.set_ssusp_s(record.ssusp_s() + s);
    case wire::STATUS_UNKWN:
    case wire::STATUS_ZOMBI:
      return record.set_unkwn_s(record.unkwn_s() + s);
    case wire::STATUS_DONE:
    case wire::STATUS_EXIT:
      return;
    default:
      return record.set_pend_s(record.pend_s() + s);
  }
}

std::string signal_symbol(int signal) {
  switch (signal) {
    case 1:
      return "HUP";
    case 2:
      return "INT";
    case 3:
      return "QUIT";
    case 9:
      return "KILL";
    case 10:
      return "USR1";
    case 12:
      return "USR2";
    case 15:
      return "TERM";
    case 18:
      return "CONT";
    case 19:
      return "STOP";
    case 20:
      return "TSTP";
    case 23:
      return "URG";
    default:
      return std::to_string(signal);
  }
}

wire::JobAttempt attempt_of(const wire::JobRecord& record) {
  wire::JobAttempt attempt;
  *attempt.mutable_key() = record.key();
  attempt.set_attempt(record.attempt());
  return attempt;
}

class Life {
 public:
  Life(Job& job, const LifeRules& rules, WallTime now, Effects& effects)
      : asked_(*job.asked), record_(job.record), rules_(rules), now_(now), effects_(effects) {}

  // ------------------------------------------------------------ the scheduler

  void on(const event::Dispatched& plan) {
    if (status() != wire::STATUS_PEND || plan.hosts.empty()) return;
    clear_attempt();
    record_.set_attempt(record_.attempt() + 1);
    for (const auto& host : plan.hosts) *record_.add_hosts() = host;
    for (const auto& reserved : plan.reserved) *record_.add_reserved() = reserved;
    record_.set_effective_resreq(plan.effective_resreq);
    record_.set_gpus(plan.gpus);
    record_.set_exclusive_hosts(plan.exclusive);
    record_.set_cpu_factor(plan.cpu_factor);
    record_.set_start_us(now_.us);
    to(wire::STATUS_RUN);
    record_start();
    order_start();
    changed();
  }

  void on(const event::SuspendPlanned& plan) {
    if (status() != wire::STATUS_RUN && status() != wire::STATUS_SSUSP && status() != wire::STATUS_USUSP)
      return;
    const std::uint32_t reasons = record_.suspend_reasons() | plan.reasons;
    if (reasons == record_.suspend_reasons()) return;
    record_.set_suspend_reasons(reasons);
    if (status() == wire::STATUS_RUN) {
      to(wire::STATUS_SSUSP);
      order(ToRes::SignalJob::SUSPEND, 0, 0);
    }
    record_status(plan.why);
    changed();
  }

  void on(const event::ResumePlanned&) {
    const std::uint32_t asked_for = record_.suspend_reasons() & kAskedFor;
    if ((status() != wire::STATUS_SSUSP && status() != wire::STATUS_USUSP) ||
        asked_for == record_.suspend_reasons())
      return;
    record_.set_suspend_reasons(asked_for);
    if (status() == wire::STATUS_SSUSP) {
      to(wire::STATUS_RUN);
      order(ToRes::SignalJob::RESUME, 0, 0);
    }
    record_status({});
    changed();
  }

  // ------------------------------------------------------------ the host

  void on(const event::Ran& ran) {
    if (!placed(status())) return;
    heard_again();
    const auto& told = ran.told;
    if (record_.started() && record_.pid() == told.pid()) return;
    record_.set_started(true);
    record_.set_pid(told.pid());
    record_.set_pgid(told.pgid());
    record_.set_exec_user(told.user());
    record_.set_exec_home(told.home());
    record_.set_exec_cwd(told.cwd());
    record_.set_preexec_failures(0);
    record_.clear_start_failure();
    auto& accepted = *add_event().mutable_start_accept();
    accepted.set_pid(told.pid());
    accepted.set_pgid(told.pgid());
    auto& execute = *add_event().mutable_execute();
    execute.set_uid(told.uid());
    execute.set_pid(told.pid());
    execute.set_pgid(told.pgid());
    execute.set_cwd(told.cwd());
    execute.set_home(told.home());
    execute.set_user(told.user());
    changed();
  }

  // What stopped it there was not asked for here.
  void on(const event::StoppedThere&) {
    heard_again();
    if (status() != wire::STATUS_RUN) return;
    record_.set_suspend_reasons(record_.suspend_reasons() | wire::SUSPEND_USER);
    to(wire::STATUS_USUSP);
    record_status({});
    changed_the_plan();
  }

  void on(const event::ResumedThere&) {
    heard_again();
    if (status() != wire::STATUS_USUSP || record_.stopped_by_user() || record_.stopped_by_admin()) return;
    record_.set_suspend_reasons(record_.suspend_reasons() & ~kAskedFor);
    to(record_.suspend_reasons() == 0 ? wire::STATUS_RUN : wire::STATUS_SSUSP);
    record_status({});
    changed_the_plan();
  }

  void on(const event::Ended& ended) {
    if (!placed(status())) return;
    const auto& told = ended.told;
    switch (told.how()) {
      case FromRes::JobOver::PRE_EXEC_FAILED:
        return could_not_start(told);
      case FromRes::JobOver::NOT_STARTED:
        return could_not_start(told);
      case FromRes::JobOver::NEVER_SEEN:
        if (!record_.started()) return never_arrived();
        return was_lost(told, TERM_ZOMBIE);
      case FromRes::JobOver::HOST_RESTARTED:
        return was_lost(told, TERM_ZOMBIE);
      case FromRes::JobOver::SHEPHERD_LOST:
        return was_lost(told, TERM_EXTERNAL_SIGNAL);
      default:
        return ran_to_its_end(told);
    }
  }

  void on(const event::PostEnded& post) {
    if (!finished(status()) || record_.post_status() != wire::POST_RUNNING) return;
    record_.set_post_status(post.failed ? wire::POST_ERR : wire::POST_DONE);
    record_status({});
    changed();
  }

  void on(const event::HostBack& back) {
    if (!placed(status())) return;
    heard_again();
    if (!back.held) {
      if (!record_.started()) return never_arrived();
      FromRes::JobOver told;
      told.set_how(FromRes::JobOver::NEVER_SEEN);
      told.set_end_us(now_.us);
      return was_lost(told, TERM_ZOMBIE);
    }
    if (*back.held == FromRes::Held::OVER) return;
    const bool runs = *back.held == FromRes::Held::RUNNING || *back.held == FromRes::Held::STOPPED;
    if (runs && !record_.started()) {
      record_.set_started(true);
      changed();
    }
    order_again();
  }

  void on(const event::HostLost&) {
    if (!placed(status()) || unknown()) return;
    if (rules_.rerunnable && (!record_.kill_asked() || record_.requeue_asked())) {
      release();
      return pend_again("the host was not heard of");
    }
    record_.set_status_before_unknown(status());
    to(record_.kill_asked() ? wire::STATUS_ZOMBI : wire::STATUS_UNKWN);
    record_status({});
    changed();
  }

  // ------------------------------------------------------------ people

  void on(const event::KillAsked& kill) {
    if (finished(status())) return;
    if (kill.requeue && !placed(status())) return;
    record_.set_kill_asked(true);
    record_.set_killer(kill.by.user);
    record_.set_killer_is_admin(!kill.by.owner);
    record_.set_kill_reason(kill.reason);
    record_.set_kill_signal(kill.signal);
    record_.set_requeue_asked(kill.requeue);
    record_.set_requeue_held(kill.hold);
    record_.set_kill_as_done(kill.as_done);
    record_signal(kill.signal == 0 ? "KILL" : signal_symbol(kill.signal), kill.by, kill.reason);
    if (!placed(status())) return finish(wire::STATUS_EXIT, kInterrupted, asked_reason(), now_.us);
    terminate(kill.signal == kKill ? false : rules_.sequential, asked_reason());
    changed();
  }

  void on(const event::RemoveAsked& remove) {
    if (finished(status())) return;
    const bool unheard = unknown();
    record_.set_kill_asked(true);
    record_.set_killer(remove.by.user);
    record_.set_killer_is_admin(!remove.by.owner);
    record_.set_kill_reason(remove.reason);
    record_.set_kill_signal(kKill);
    record_signal("KILL", remove.by, remove.reason);
    if (!placed(status())) return finish(wire::STATUS_EXIT, kInterrupted, asked_reason(), now_.us);
    const std::int32_t reason = !unheard          ? asked_reason()
                                : remove.by.owner ? TERM_FORCE_OWNER
                                                  : TERM_FORCE_ADMIN;
    order(ToRes::SignalJob::TERMINATE, 0, reason, false);
    release();
    finish(wire::STATUS_EXIT, kKilled, reason, now_.us);
  }

  void on(const event::SignalAsked& signal) {
    if (!placed(status())) return;
    record_signal(signal_symbol(signal.signal), signal.by, {});
    order(ToRes::SignalJob::SEND, signal.signal, 0);
    save();
  }

  void on(const event::StopAsked& stop) {
    if (finished(status()) || status() == wire::STATUS_ZOMBI) return;
    const bool was_stopped = record_.stopped_by_user() || record_.stopped_by_admin();
    (stop.by.owner ? record_.set_stopped_by_user(true) : record_.set_stopped_by_admin(true));
    record_signal("STOP", stop.by, {});
    if (pending(status())) {
      if (status() != wire::STATUS_PSUSP) to(wire::STATUS_PSUSP);
    } else {
      record_.set_suspend_reasons(record_.suspend_reasons() |
                                  (stop.by.owner ? wire::SUSPEND_USER : wire::SUSPEND_ADMIN));
      if (status() == wire::STATUS_UNKWN)
        record_.set_status_before_unknown(wire::STATUS_USUSP);
      else if (status() != wire::STATUS_USUSP)
        to(wire::STATUS_USUSP);
      if (!was_stopped) order(ToRes::SignalJob::SUSPEND, 0, 0);
    }
    record_status({});
    changed_the_plan();
  }

  void on(const event::ResumeAsked& resume) {
    if (record_.stopped_by_admin() && !resume.by.admin) return;
    const bool held_here = status() == wire::STATUS_PSUSP;
    const bool stopped_there =
        status() == wire::STATUS_USUSP ||
        (status() == wire::STATUS_UNKWN && record_.status_before_unknown() == wire::STATUS_USUSP);
    if (!held_here && !stopped_there) return;
    record_.set_stopped_by_user(false);
    record_.set_stopped_by_admin(false);
    record_.set_suspend_reasons(record_.suspend_reasons() & ~kAskedFor);
    record_signal("CONT", resume.by, {});
    if (held_here) {
      to(wire::STATUS_PEND);
    } else {
      const bool held_by_us = record_.suspend_reasons() != 0;
      const auto next = held_by_us ? wire::STATUS_SSUSP : wire::STATUS_RUN;
      if (unknown())
        record_.set_status_before_unknown(next);
      else
        to(next);
      if (!held_by_us) order(ToRes::SignalJob::RESUME, 0, 0);
    }
    record_status({});
    changed_the_plan();
  }

  void on(const event::RestartAsked& restart) {
    if (!finished(status())) return;
    record_.set_killer(restart.by.user);
    record_.set_requeue_asked(true);
    record_.set_requeue_held(restart.hold);
    pend_again({});
  }

  // ------------------------------------------------------------ the clock

  void on(const event::TerminateTimeCame&) {
    if (finished(status()) || record_.kill_asked()) return;
    record_.set_kill_asked(true);
    record_.set_kill_reason("termination time");
    if (!placed(status())) return finish(wire::STATUS_EXIT, kInterrupted, TERM_DEADLINE, now_.us);
    terminate(rules_.sequential, TERM_DEADLINE);
    changed();
  }

  void on(const event::AvoidanceOver&) {
    auto& avoided = *record_.mutable_avoided();
    auto& excluded = *record_.mutable_excluded_hosts();
    for (int i = avoided.size() - 1; i >= 0; --i) {
      if (avoided[i].until_us() > now_.us) continue;
      const auto host = std::find(excluded.begin(), excluded.end(), avoided[i].host());
      if (host != excluded.end()) excluded.erase(host);
      avoided.DeleteSubrange(i, 1);
    }
    save();
    effects_.push_back(effect::ScheduleSoon{});
  }

 private:
  wire::JobStatus status() const { return record_.status(); }
  bool unknown() const { return status() == wire::STATUS_UNKWN || status() == wire::STATUS_ZOMBI; }
  JobKey key() const { return key_of(record_.key()); }

  wire::JobAttempt attempt() const { return attempt_of(record_); }

  std::int32_t asked_reason() const {
    const bool admin = record_.killer_is_admin();
    if (record_.requeue_asked()) return admin ? TERM_REQUEUE_ADMIN : TERM_REQUEUE_OWNER;
    return admin ? TERM_ADMIN : TERM_OWNER;
  }

  // ------------------------------------------------------------ changes

  void to(wire::JobStatus next) {
    add_present_seconds(record_, now_);
    const bool was_suspended = record_.suspended_us() != 0;
    const bool suspended =
        next == wire::STATUS_PSUSP || next == wire::STATUS_SSUSP || next == wire::STATUS_USUSP;
    if (suspended && !was_suspended) record_.set_suspended_us(now_.us);
    if (!suspended && next != wire::STATUS_UNKWN && next != wire::STATUS_ZOMBI) record_.set_suspended_us(0);
    record_.set_status(next);
    record_.set_status_us(now_.us);
  }

  // The host is heard of again: the job is what it was before it was not.
  void heard_again() {
    if (!unknown()) return;
    to(record_.status_before_unknown());
    record_.clear_status_before_unknown();
    record_status({});
    changed();
  }

  void clear_attempt() {
    record_.clear_hosts();
    record_.clear_reserved();
    record_.clear_signals();
    record_.clear_usage();
    record_.clear_gpus();
    record_.clear_effective_resreq();
    record_.clear_exec_user();
    record_.clear_exec_home();
    record_.clear_exec_cwd();
    record_.clear_kill_reason();
    record_.clear_killer();
    record_.set_exclusive_hosts(false);
    record_.set_started(false);
    record_.set_start_us(0);
    record_.set_end_us(0);
    record_.set_pid(0);
    record_.set_pgid(0);
    record_.set_exit_status(0);
    record_.set_term_reason(TERM_UNKNOWN);
    record_.set_kill_asked(false);
    record_.set_kill_signal(0);
    record_.set_killer_is_admin(false);
    record_.set_requeue_asked(false);
    record_.set_requeue_held(false);
    record_.set_kill_as_done(false);
    record_.set_stopped_by_user(false);
    record_.set_stopped_by_admin(false);
    record_.set_suspend_reasons(0);
    record_.set_post_status(wire::POST_NONE);
    record_.clear_status_before_unknown();
    record_.set_lost(false);
    record_.set_cpu_factor(0);
  }

  // ------------------------------------------------------------ ends

  void could_not_start(const FromRes::JobOver& told) {
    acknowledge_and_release();
    const bool pre_exec = told.how() == FromRes::JobOver::PRE_EXEC_FAILED;
    record_.set_start_failure(!told.why().empty() ? told.why()
                              : pre_exec          ? "pre-execution failed with exit code " +
                                               std::to_string((told.exit_status() >> 8) & 0xff)
                                         : "the host could not start it");
    if (record_.kill_asked()) return end_of_a_kill(told);
    if (!pre_exec && asked_.interactive() != wire::Submission::NONE)
      return finish(wire::STATUS_EXIT, kInterrupted, told.term_reason(), told.end_us());
    if (pre_exec) record_.set_preexec_failures(record_.preexec_failures() + 1);
    const std::string host = record_.hosts(0).name();
    avoid(host);
    if (pre_exec && rules_.most_preexec_retries &&
        record_.preexec_failures() >= *rules_.most_preexec_retries) {
      if (rules_.exit_after_preexec_retries)
        return finish(wire::STATUS_EXIT, told.exit_status(), TERM_PRE_EXEC_FAIL, told.end_us());
      record_.set_preexec_failures(0);
      record_.set_requeue_held(true);
    }
    pend_again(record_.start_failure());
  }

  // A kill that came before the job ran.
  void end_of_a_kill(const FromRes::JobOver& told) {
    if (record_.requeue_asked()) return pend_again({});
    const std::int32_t reason = told.term_reason() != 0 ? told.term_reason() : asked_reason();
    finish(wire::STATUS_EXIT, kInterrupted, reason, told.end_us());
  }

  // The order to start never came to the host, or the host has lost it before it did anything.
  void never_arrived() {
    if (record_.kill_asked()) {
      release();
      FromRes::JobOver told;
      told.set_end_us(now_.us);
      return end_of_a_kill(told);
    }
    order_start();
    order_again();
  }

  void was_lost(const FromRes::JobOver& told, std::int32_t reason) {
    acknowledge_and_release();
    if (record_.requeue_asked()) return pend_again({});
    if (!record_.kill_asked() && rules_.rerunnable) return pend_again(lost_text(told));
    record_.set_lost(!record_.kill_asked());
    record_.set_start_failure(lost_text(told));
    if (told.term_reason() != 0)
      reason = told.term_reason();
    else if (record_.kill_asked())
      reason = asked_reason();
    finish(wire::STATUS_EXIT, told.exit_status() != 0 ? told.exit_status() : kKilled, reason, told.end_us());
  }

  static std::string lost_text(const FromRes::JobOver& told) {
    if (!told.why().empty()) return told.why();
    switch (told.how()) {
      case FromRes::JobOver::HOST_RESTARTED:
        return "the host was restarted under the job";
      case FromRes::JobOver::SHEPHERD_LOST:
        return "the job's shepherd was killed";
      default:
        return "the host knows nothing of the job any longer";
    }
  }

  void ran_to_its_end(const FromRes::JobOver& told) {
    acknowledge_and_release();
    record_.set_started(true);
    if (record_.requeue_asked()) return pend_again({});
    const int code = (told.exit_status() & 0x7f) != 0 ? 128 + (told.exit_status() & 0x7f)
                                                      : (told.exit_status() >> 8) & 0xff;
    if (!record_.kill_asked() && may_requeue(code)) {
      record_.set_requeues(record_.requeues() + 1);
      if (excludes(code)) exclude(record_.hosts(0).name());
      return pend_again("exit code " + std::to_string(code));
    }
    std::int32_t reason = told.term_reason();
    if (reason == 0 && told.cwd_missing()) reason = TERM_CWD_NOTEXIST;
    if (reason == 0 && record_.kill_asked() && code > 128) reason = asked_reason();
    if (told.post_follows()) record_.set_post_status(wire::POST_RUNNING);
    if (record_.kill_as_done()) return finish(wire::STATUS_DONE, 0, TERM_UNKNOWN, told.end_us());
    finish(told.exit_status() == 0 ? wire::STATUS_DONE : wire::STATUS_EXIT, told.exit_status(),
           told.exit_status() == 0 ? TERM_UNKNOWN : reason, told.end_us());
  }

  bool excludes(int code) const {
    const auto& excluded = rules_.requeue_exits.excluded;
    return std::find(excluded.begin(), excluded.end(), code) != excluded.end();
  }
  bool may_requeue(int code) const {
    if (rules_.most_requeues && record_.requeues() >= *rules_.most_requeues) return false;
    if (excludes(code)) return true;
    const auto& codes = rules_.requeue_exits.codes;
    const bool named = std::find(codes.begin(), codes.end(), code) != codes.end();
    return rules_.requeue_exits.all ? !named && code != 0 : named;
  }

  void exclude(const std::string& host) {
    auto& excluded = *record_.mutable_excluded_hosts();
    if (std::find(excluded.begin(), excluded.end(), host) == excluded.end()) *excluded.Add() = host;
  }
  void avoid(const std::string& host) {
    auto& excluded = *record_.mutable_excluded_hosts();
    const bool there = std::find(excluded.begin(), excluded.end(), host) != excluded.end();
    for (auto& avoided : *record_.mutable_avoided())
      if (avoided.host() == host) return avoided.set_until_us(now_.us + rules_.avoid_s * 1'000'000);
    if (there) return;  // for good
    exclude(host);
    auto& avoided = *record_.add_avoided();
    avoided.set_host(host);
    avoided.set_until_us(now_.us + rules_.avoid_s * 1'000'000);
  }

  // Back to PEND or PSUSP. `why`: of a requeueing that nobody asked for.
  void pend_again(const std::string& why) {
    const bool held = record_.requeue_held();
    const bool asked = record_.requeue_asked();
    const std::string killer = record_.killer();
    if (!asked) {
      wire::JobEvent::Status& status = *add_event().mutable_status();
      status.set_status(held ? wire::STATUS_PSUSP : wire::STATUS_PEND);
      status.set_why(why);
      status.set_end_us(now_.us);
    } else {
      auto& requeue = *add_event().mutable_requeue();
      requeue.set_user(killer);
    }
    const std::string failure = record_.start_failure();
    clear_attempt();
    record_.set_start_failure(failure);
    record_.set_why_requeued(why);
    to(held ? wire::STATUS_PSUSP : wire::STATUS_PEND);
    if (held) record_.set_stopped_by_user(true);
    changed_the_plan();
  }

  void finish(wire::JobStatus status, std::int32_t exit_status, std::int32_t reason, std::int64_t end_us) {
    record_.set_exit_status(exit_status);
    record_.set_term_reason(reason);
    record_.set_end_us(end_us == 0 ? now_.us : std::max(end_us, record_.start_us()));
    record_.clear_reserved();
    record_.clear_signals();
    record_.clear_avoided();
    record_.clear_status_before_unknown();
    record_.set_suspend_reasons(0);
    record_.set_stopped_by_user(false);
    record_.set_stopped_by_admin(false);
    to(status);
    record_status({});
    // A log without post-execution says at once what it would say after one.
    if (status == wire::STATUS_DONE && record_.post_status() == wire::POST_NONE) {
      record_status({});
      std::get<effect::RecordEvent>(effects_.back()).event.mutable_status()->set_post(wire::POST_DONE);
    }
    auto& finish = *add_event().mutable_finish();
    *finish.mutable_record() = record_;
    finish.set_cpu_factor(record_.cpu_factor());
    changed_the_plan();
  }

  // ------------------------------------------------------------ orders

  void order_start() {
    for (int i = 1; i < record_.hosts_size(); ++i)
      effects_.push_back(effect::OrderExpect{key(), record_.hosts(i).name(), record_.attempt()});
    effects_.push_back(effect::OrderStart{key(), record_.hosts(0).name(), record_.attempt()});
  }

  void acknowledge_and_release() {
    effects_.push_back(effect::OrderAcknowledge{record_.hosts(0).name(), attempt()});
    release();
  }
  void release() {
    for (int i = 1; i < record_.hosts_size(); ++i)
      effects_.push_back(effect::OrderRelease{record_.hosts(i).name(), attempt()});
  }

  void terminate(bool sequential, std::int32_t reason) {
    order(ToRes::SignalJob::TERMINATE, 0, reason, sequential);
    if (status() != wire::STATUS_UNKWN) return;
    to(wire::STATUS_ZOMBI);
    record_status({});
  }

  void order(ToRes::SignalJob::Action action, int signal, std::int32_t reason, bool sequential = true) {
    record_.set_signal_number(record_.signal_number() + 1);
    forget_superseded(action);
    auto& sent = *record_.add_signals();
    sent.set_number(record_.signal_number());
    sent.set_action(action);
    sent.set_signal(signal);
    sent.set_sequential(sequential);
    sent.set_term_reason(reason);
    for (const auto& host : record_.hosts())
      effects_.push_back(effect::OrderSignal{host.name(), signal_order(record_, sent)});
  }

  // A later stop or continuation takes the place of earlier ones, a later kill that of earlier kills.
  void forget_superseded(ToRes::SignalJob::Action action) {
    auto& signals = *record_.mutable_signals();
    const auto kind = [](std::uint32_t a) {
      return a == ToRes::SignalJob::RESUME ? std::uint32_t{ToRes::SignalJob::SUSPEND} : a;
    };
    const std::uint32_t ours = kind(action);
    for (int i = signals.size() - 1; i >= 0; --i)
      if (kind(signals[i].action()) == ours &&
          (ours != ToRes::SignalJob::SEND || signals.size() > kSignalsKept))
        signals.DeleteSubrange(i, 1);
  }

  // To the first host; the others say hello themselves.
  void order_again() {
    for (const auto& sent : record_.signals())
      effects_.push_back(effect::OrderSignal{record_.hosts(0).name(), signal_order(record_, sent)});
  }

  // ------------------------------------------------------------ what is told

  wire::JobEvent& add_event() {
    effect::RecordEvent recorded;
    recorded.event.set_at_us(now_.us);
    *recorded.event.mutable_key() = record_.key();
    effects_.push_back(std::move(recorded));
    return std::get<effect::RecordEvent>(effects_.back()).event;
  }

  void record_start() {
    auto& start = *add_event().mutable_start();
    *start.mutable_hosts() = record_.hosts();
    start.set_attempt(record_.attempt());
    start.set_effective_resreq(record_.effective_resreq());
    start.set_cpu_factor(record_.cpu_factor());
    start.set_pre_exec(rules_.queue_pre_exec);
    start.set_post_exec(rules_.queue_post_exec);
    start.set_user_group(asked_.user_group());
  }

  void record_status(const std::string& why) {
    auto& status = *add_event().mutable_status();
    status.set_status(record_.status());
    status.set_post(record_.post_status());
    status.set_reasons(record_.suspend_reasons());
    status.set_why(why);
    if (!finished(record_.status())) return;
    status.set_exit_status(record_.exit_status());
    status.set_term_reason(record_.term_reason());
    status.set_end_us(record_.end_us());
    if (record_.has_usage()) *status.mutable_usage() = record_.usage();
  }

  void record_signal(const std::string& symbol, const event::By& by, const std::string& reason) {
    auto& signal = *add_event().mutable_signal();
    signal.set_symbol(symbol);
    signal.set_user(by.user);
    signal.set_uid(by.uid);
    signal.set_run_count(static_cast<std::int32_t>(record_.attempt()));
    signal.set_reason(reason);
  }

  void save() { effects_.push_back(effect::SaveJob{key()}); }
  void changed() {
    save();
    effects_.push_back(effect::TellWaiters{key()});
  }
  // ... and another plan may be possible.
  void changed_the_plan() {
    changed();
    effects_.push_back(effect::ScheduleSoon{});
  }

  const wire::Submission& asked_;
  wire::JobRecord& record_;
  const LifeRules& rules_;
  WallTime now_;
  Effects& effects_;
};

}  // namespace

wire::JobRecord new_record(const wire::Submission& asked, JobKey key, std::uint64_t submission,
                           const std::string& queue, WallTime now) {
  wire::JobRecord record;
  set_key(*record.mutable_key(), key);
  record.set_submission(submission);
  record.set_status(asked.hold() ? wire::STATUS_PSUSP : wire::STATUS_PEND);
  record.set_status_us(now.us);
  record.set_submit_us(now.us);
  record.set_queue(queue);
  if (asked.hold()) {
    record.set_stopped_by_user(true);
    record.set_suspended_us(now.us);
  }
  return record;
}

void step(Job& job, const LifeRules& rules, const JobHappening& event, WallTime now, Effects& effects) {
  std::visit([life = Life(job, rules, now, effects)](const auto& e) mutable { life.on(e); }, event);
}

wire::ToRes::SignalJob signal_order(const wire::JobRecord& record, const wire::SentSignal& sent) {
  ToRes::SignalJob signal;
  *signal.mutable_job() = attempt_of(record);
  signal.set_action(static_cast<ToRes::SignalJob::Action>(sent.action()));
  signal.set_signal(sent.signal());
  signal.set_sequential(sent.sequential());
  signal.set_term_reason(sent.term_reason());
  signal.set_number(sent.number());
  return signal;
}

wire::JobRecord with_present_seconds(wire::JobRecord record, WallTime now) {
  add_present_seconds(record, now);
  return record;
}

std::string broken_invariant(const wire::JobRecord& r) {
  const auto job = "job " + text(key_of(r.key())) + ": ";
  const wire::JobStatus status = r.status();
  if (!pending(status) && !placed(status) && !finished(status)) return job + "has no status";
  if (placed(status) && (r.hosts_size() == 0 || r.attempt() == 0)) return job + "is placed nowhere";
  if (pending(status) && (r.hosts_size() != 0 || r.started() || r.reserved_size() != 0))
    return job + "pends and has hosts";
  if (status == wire::STATUS_PSUSP && !r.stopped_by_user() && !r.stopped_by_admin())
    return job + "is held by nobody";
  if (status == wire::STATUS_PEND && (r.stopped_by_user() || r.stopped_by_admin() || r.kill_asked()))
    return job + "pends and is held or killed";
  if (status == wire::STATUS_RUN && r.suspend_reasons() != 0) return job + "runs and is suspended";
  if ((status == wire::STATUS_SSUSP || status == wire::STATUS_USUSP) && r.suspend_reasons() == 0)
    return job + "is suspended for no reason";
  const bool unknown = status == wire::STATUS_UNKWN || status == wire::STATUS_ZOMBI;
  if (unknown != (r.status_before_unknown() != wire::STATUS_NULL)) return job + "was unknown or is, not both";
  if (finished(status) && (r.end_us() == 0 || r.reserved_size() != 0 || r.signals_size() != 0))
    return job + "is over and is not";
  if (status == wire::STATUS_DONE && r.exit_status() != 0) return job + "is done and has failed";
  if (!placed(status) && r.signals_size() != 0) return job + "has signals and no process";
  if (r.avoided_size() > r.excluded_hosts_size()) return job + "avoids hosts that are not excluded";
  if (r.submit_us() == 0 || r.status_us() == 0) return job + "has no dates";
  return {};
}

}  // namespace rollcall::sched
