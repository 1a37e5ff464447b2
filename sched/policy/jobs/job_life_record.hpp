// LifeRecord: the changes that events of a job's life make to its record, and the effects that follow: the lowest layer of the
// stepper. Private to job_life.cpp; the table is in job_life.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <set>

#include "sched/policy/jobs/job_life.hpp"

namespace rollcall::sched::jobs {

inline constexpr std::int32_t kKilled = 137 << 8;       // exit status of a shell whose job got SIGKILL
inline constexpr std::int32_t kInterrupted = 130 << 8;  // exit status of a job that was killed before it ran
inline constexpr int kSignalsKept = 16;
inline constexpr std::uint32_t kAskedFor = wire::SUSPEND_USER | wire::SUSPEND_ADMIN;

void add_present_seconds(wire::JobRecord& record, WallTime now);
// Of a job that is unknown and was over before that: the seconds from `end` until then are not of the status that it had.
void take_seconds_back(wire::JobRecord& record, WallTime end);

class LifeRecord {
 protected:
  using Sent = wire::SentSignal;
  using How = report::Over::How;

  LifeRecord(Job& job, const JobRules& rules, WallTime now, Effects& effects)
      : asked_(*job.asked),
        record_(job.record),
        launch_(job.launch),
        rules_(rules),
        now_(now),
        effects_(effects) {}

  wire::JobStatus status() const { return record_.status(); }
  bool unknown() const { return status() == wire::STATUS_UNKWN || status() == wire::STATUS_ZOMBI; }
  JobKey key() const { return key_of(record_.key()); }

  Attempt attempt() const { return attempt_of(record_); }

  std::int32_t asked_reason() const {
    // An attempt on lent slots that are taken back: LSB_MC_RECALL_EXIT_INFO.
    if (record_.from().withdrawn() && record_.from().term_reason() != 0) return record_.from().term_reason();
    const bool admin = record_.killer_is_admin();
    if (record_.requeue_asked()) return admin ? TERM_REQUEUE_ADMIN : TERM_REQUEUE_OWNER;
    return admin ? TERM_ADMIN : TERM_OWNER;
  }

  // ------------------------------------------------------------ changes

  // The seconds of the present status count until `end`, which may be heard much later, also where the job was UNKWN since. What follows
  // is not added by to().
  void count_until(WallTime end) {
    if (end.us >= record_.status_us())
      add_present_seconds(record_, end);
    else if (unknown())
      take_seconds_back(record_, end);
    record_.set_status_us(now_.us);
  }

  void to(wire::JobStatus next) {
    // A job that was UNKWN and is to be killed goes on being unknown: its end may be before both.
    if (unknown() && next == wire::STATUS_ZOMBI) return record_.set_status(next);
    add_present_seconds(record_, now_);
    const bool was_suspended = record_.suspended_us() != 0;
    const bool suspended =
        next == wire::STATUS_PSUSP || next == wire::STATUS_SSUSP || next == wire::STATUS_USUSP;
    if (suspended && !was_suspended) record_.set_suspended_us(now_.us);
    if (!suspended && next != wire::STATUS_UNKWN && next != wire::STATUS_ZOMBI) record_.set_suspended_us(0);
    record_.set_status(next);
    record_.set_status_us(now_.us);
  }

  void preempt_by(JobKey other, bool ran) {
    set_key(*record_.mutable_preempted_by(), other);
    record_.set_slots_lent(!ran);
    if (!ran) return;
    record_.set_preemptions(record_.preemptions() + 1);
    record_.set_preempted_since_us(now_.us);
  }

  // It has its slots again, or its attempt is over.
  void end_preemption() {
    const std::int64_t since = record_.preempted_since_us();
    if (since != 0)
      record_.set_preempted_for_us(record_.preempted_for_us() + std::max<std::int64_t>(0, now_.us - since));
    record_.set_preempted_since_us(0);
    record_.set_slots_lent(false);
    record_.clear_preempted_by();
  }

  // The host reports again: the job has the status that it had before UNKWN.
  void heard_again() {
    if (!unknown()) return;
    to(record_.status_before_unknown());
    record_.clear_status_before_unknown();
    record_status({});
    changed();
  }

  void clear_attempt() {
    launch_ = {};
    record_.clear_forwarded();
    record_.set_starting(false);
    record_.clear_given_up();
    record_.clear_hosts();
    record_.clear_reserved();
    record_.clear_signals();
    record_.clear_carried_out();
    record_.clear_usage();
    record_.clear_gpus();
    record_.clear_gpu_devices();
    record_.clear_effective_resreq();
    end_preemption();
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

  void no_pause() {
    record_.set_short_runs(0);
    record_.set_paused_until_us(0);
  }

  // ------------------------------------------------------------ the start

  bool waits_for_go() const { return placed(status()) && !launch_.go_given; }
  bool has_prepared(const std::string& host) const {
    return std::find(launch_.prepared.begin(), launch_.prepared.end(), host) != launch_.prepared.end();
  }
  void withhold_go() {
    launch_ = {false, now_.us, {}};
    record_.set_starting(true);
  }
  void go_was_given() { launch_ = {}; }
  // For an attempt that was dispatched before. `starting` is stored, so a change of it is saved; go_given is not. A start that waits already
  // waits no longer for it.
  void withhold_go_again() {
    const bool known = record_.starting();
    const std::int64_t since_us = launch_.go_given ? now_.us : launch_.since_us;
    withhold_go();
    launch_.since_us = since_us;
    if (!known) changed();
  }
  void go_is_not_needed() {
    go_was_given();
    if (!record_.starting()) return;
    record_.set_starting(false);
    changed();
  }
  // Needs no save: the host's next report makes one, and after a restart mbatchd takes every go-ahead as given.
  void go_when_all_have_prepared() {
    // Each host is in the list once.
    if (launch_.prepared.size() < static_cast<std::size_t>(record_.hosts_size())) return;
    for (const auto& host : record_.hosts())
      if (!has_prepared(host.name())) return;
    go_was_given();
    if (is_part(record_)) return part_begins();
    effects_.push_back(effect::OrderGo{key(), record_.hosts(0).name(), record_.attempt()});
  }
  // Tasks of the job may come from its first host, which is elsewhere.
  void part_begins() {
    begins();
    record_.set_started(true);
    changed();
  }
  // The first host has begun the job: it runs from now on. Needs no save either.
  void begins() {
    go_was_given();
    if (!record_.starting()) return;
    if (!unknown()) {
      add_present_seconds(record_, now_);
      record_.set_status_us(now_.us);
    }
    record_.set_starting(false);
    effects_.push_back(effect::TellWaiters{key()});
  }

  // ------------------------------------------------------------ orders

  void order_expect(int host) {
    effects_.push_back(effect::OrderExpect{key(), record_.hosts(host).name(), record_.attempt()});
  }
  void order_start() {
    for (int i = other_hosts_from(); i < record_.hosts_size(); ++i) order_expect(i);
    if (!is_part(record_))
      effects_.push_back(effect::OrderStart{key(), record_.hosts(0).name(), record_.attempt()});
  }
  // The place in the list of hosts from which on they are other hosts than the first one.
  int other_hosts_from() const { return is_part(record_) ? 0 : 1; }

  void acknowledge_and_release() {
    effects_.push_back(effect::OrderAcknowledge{record_.hosts(0).name(), attempt()});
    release();
  }
  // Takes back an attempt without go-ahead: all its hosts are released.
  void revoke() {
    effects_.push_back(effect::OrderRelease{record_.hosts(0).name(), attempt()});
    release();
  }
  // Of the borrowed hosts of one cluster the first one: its order is for all of them.
  void release() {
    std::set<std::string, std::less<>> ordered;
    if (!is_part(record_)) ordered.emplace(HostId(record_.hosts(0).name()).cluster());
    for (int i = other_hosts_from(); i < record_.hosts_size(); ++i) {
      const HostId host(record_.hosts(i).name());
      if (host.ours() || ordered.emplace(host.cluster()).second)
        effects_.push_back(effect::OrderRelease{host.text(), attempt()});
    }
  }

  void terminate(bool sequential, std::int32_t reason) {
    order(Sent::TERMINATE, 0, reason, sequential);
    if (status() != wire::STATUS_UNKWN) return;
    to(wire::STATUS_ZOMBI);
    record_status({});
  }

  void order(Sent::Action action, int signal, std::int32_t reason, bool sequential = true) {
    record_.set_signal_number(record_.signal_number() + 1);
    forget_superseded(action);
    auto& sent = *record_.add_signals();
    sent.set_number(record_.signal_number());
    sent.set_action(action);
    sent.set_signal(signal);
    sent.set_sequential(sequential);
    sent.set_term_reason(reason);
    send_to_all(sent);
  }
  void order_limits(const wire::Limits& effective) {
    record_.set_signal_number(record_.signal_number() + 1);
    forget_superseded(Sent::LIMITS);
    auto& sent = *record_.add_signals();
    sent.set_number(record_.signal_number());
    sent.set_action(Sent::LIMITS);
    *sent.mutable_limits() = effective;
    sent.set_terminate_us(asked_.terminate_us());
    send_to_all(sent);
  }
  void send_to_all(const Sent& sent) {
    for (const auto& host : record_.hosts())
      effects_.push_back(effect::OrderSignal{host.name(), signal_order(record_, sent)});
  }

  // A later stop or resume replaces earlier ones, a later kill replaces earlier kills.
  void forget_superseded(Sent::Action action) {
    auto& signals = *record_.mutable_signals();
    const auto kind = [](Sent::Action a) { return a == Sent::RESUME ? Sent::SUSPEND : a; };
    const auto ours = kind(action);
    for (int i = signals.size() - 1; i >= 0; --i)
      if (kind(signals[i].action()) == ours && (ours != Sent::SEND || signals.size() > kSignalsKept))
        signals.DeleteSubrange(i, 1);
  }

  // Only to the first host: the others get theirs when they connect (HostLedger).
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
    // One that waits in another cluster has not begun.
    status.set_status(is_elsewhere(record_) ? shown_status(record_) : record_.status());
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
  // As changed(), and the scheduler should make a new plan.
  void changed_the_plan() {
    changed();
    effects_.push_back(effect::ScheduleSoon{});
  }

  const wire::Submission& asked_;
  wire::JobRecord& record_;
  Launch& launch_;
  const JobRules& rules_;
  WallTime now_;
  std::optional<WallTime>
      over_at_;  // when the attempt was over, where its cluster tells that later; none: now
  Effects& effects_;
};

}  // namespace rollcall::sched::jobs
