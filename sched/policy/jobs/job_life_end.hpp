// LifeEnd: how a job's attempt ends, and what becomes of the job: the middle layer of the stepper, (c) of the table in
// job_life.hpp. Private to job_life.cpp.
#pragma once

#include "sched/policy/jobs/job_life_record.hpp"
#include "sched/policy/jobs/requeue_pause.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::sched::jobs {

class LifeEnd : protected LifeRecord {
 protected:
  static constexpr std::int32_t kPreExecAbort = 99 << 8;  // LSB_EXIT_PRE_ABORT: it would fail everywhere

  using LifeRecord::LifeRecord;

  void could_not_start(const report::Over& told) {
    acknowledge_and_release();
    const bool pre_exec = told.how == How::pre_exec_failed;
    record_.set_start_failure(!told.why.empty() ? told.why
                              : pre_exec        ? "pre-execution failed with exit code " +
                                               std::to_string((told.exit_status >> 8) & 0xff)
                                         : "the host could not start it");
    if (record_.kill_asked()) return end_of_a_kill(told);
    if (!pre_exec && asked_.interactive() != wire::Submission::NONE)
      return finish(wire::STATUS_EXIT, kInterrupted, told.term_reason, told.end_us);
    // The directory of bsub -cwd would be missing next time too.
    if (told.cwd_missing) return finish(wire::STATUS_EXIT, told.exit_status, TERM_CWD_NOTEXIST, told.end_us);
    if (pre_exec && told.exit_status == kPreExecAbort)
      return finish(wire::STATUS_EXIT, told.exit_status, TERM_UNKNOWN, told.end_us);
    if (on_lent_slots(record_))
      return over_on_lent_slots(
          pre_exec ? wire::ForwardedFrom::LENT_PRE_EXEC_FAILED : wire::ForwardedFrom::LENT_NOT_STARTED, told);
    if (pre_exec) record_.set_preexec_failures(record_.preexec_failures() + 1);
    avoid(host_of_end(told));
    if (pre_exec && record_.has_from()) {
      if (record_.preexec_failures() >= rules_.most_remote_preexec_retries)
        return give_back_to_its_cluster(told);
    } else if (pre_exec && rules_.most_preexec_retries &&
               record_.preexec_failures() >= *rules_.most_preexec_retries) {
      if (rules_.exit_after_preexec_retries)
        return finish(wire::STATUS_EXIT, told.exit_status, TERM_PRE_EXEC_FAIL, told.end_us);
      record_.set_preexec_failures(0);
      record_.set_requeue_held(true);
    }
    pend_again(record_.start_failure());
  }

  // The host that could not start the attempt. Of what another cluster says, hosts of the job alone count.
  std::string host_of_end(const report::Over& told) const {
    for (const auto& host : record_.hosts())
      if (!told.due_to.empty() && host.name() == told.due_to) return told.due_to;
    return record_.hosts(0).name();
  }

  // Another cluster's job that has not started.
  void goes_back(const std::string& why) {
    if (!record_.has_from() || !pending(status())) return;
    auto& from = *record_.mutable_from();
    from.set_withdrawn(true);
    if (!why.empty()) record_.set_start_failure(why);
    finish(wire::STATUS_EXIT, kInterrupted, TERM_UNKNOWN, now_.us,
           "given back to cluster " + from.cluster() + (why.empty() ? ", which asked for it" : ": " + why));
  }

  void give_back_to_its_cluster(const report::Over& told) {
    record_.mutable_from()->set_withdrawn(true);
    finish(wire::STATUS_EXIT, told.exit_status, TERM_PRE_EXEC_FAIL, told.end_us,
           "given back to cluster " + record_.from().cluster() + ": " + record_.start_failure());
  }

  // Its own cluster counts the failure and starts the job again.
  void over_on_lent_slots(wire::ForwardedFrom::LentEnd how, const report::Over& told) {
    record_.mutable_from()->set_lent_end(how);
    finish(wire::STATUS_EXIT, told.exit_status != 0 ? told.exit_status : kInterrupted, TERM_UNKNOWN,
           told.end_us, record_.start_failure());
  }

  // A kill that came before the job ran, or while its slots were taken back.
  void end_of_a_kill(const report::Over& told) {
    if (record_.requeue_asked()) return pend_again({});
    // A lease that takes its slots back ends no job: the kill does, which its cluster may not even have heard of.
    if (told.how == How::withdrawn)
      return finish(wire::STATUS_EXIT, told.exit_status != 0 ? told.exit_status : kInterrupted,
                    asked_reason(), told.end_us);
    const std::int32_t reason = told.term_reason != 0 ? told.term_reason : asked_reason();
    finish(wire::STATUS_EXIT, kInterrupted, reason, told.end_us);
  }

  // The order to start never reached the host, or the host lost it before it acted on it.
  void never_arrived(bool knows_go) {
    if (ends_for_a_part()) return take_back(record_.kill_reason());
    if (record_.kill_asked()) {
      release();
      return end_of_a_kill_here();
    }
    if (knows_go)
      withhold_go_again();
    else
      go_is_not_needed();
    order_start();
    order_again();
  }
  // The first host has the order and no go-ahead. If one was given, it was lost on the way.
  void has_only_the_order() {
    if (ends_for_a_part()) return take_back(record_.kill_reason());
    if (record_.kill_asked()) {
      revoke();
      return end_of_a_kill_here();
    }
    if (launch_.go_given) withhold_go_again();
    if (!has_prepared(record_.hosts(0).name())) launch_.prepared.push_back(record_.hosts(0).name());
    for (int i = 1; i < record_.hosts_size(); ++i)
      if (!has_prepared(record_.hosts(i).name())) order_expect(i);
    order_again();
    go_when_all_have_prepared();
  }
  // A host of another cluster does not serve the attempt any longer (PartLost), and no one has killed the job. Whether it ran was not known
  // then, since mbatchd had been restarted.
  bool ends_for_a_part() const {
    return record_.kill_asked() && record_.killer().empty() && record_.killer_is_admin();
  }
  void end_of_a_kill_here() {
    report::Over told;
    told.end_us = now_.us;
    end_of_a_kill(told);
  }

  // No part of the attempt has run, and none will. A job that was stopped meanwhile stays stopped.
  void take_back(const std::string& why) {
    revoke();
    record_.set_start_failure(why);
    if (record_.stopped_by_user() || record_.stopped_by_admin()) record_.set_requeue_held(true);
    pend_again(why);
  }

  void was_lost(const report::Over& told, std::int32_t reason) {
    begins();
    acknowledge_and_release();
    if (record_.requeue_asked()) return pend_again({});
    if (!record_.kill_asked() && rules_.rerunnable) return pend_again(lost_text(told));
    record_.set_lost(!record_.kill_asked());
    record_.set_start_failure(lost_text(told));
    if (told.term_reason != 0)
      reason = told.term_reason;
    else if (record_.kill_asked())
      reason = asked_reason();
    finish(wire::STATUS_EXIT, told.exit_status != 0 ? told.exit_status : kKilled, reason, told.end_us,
           record_.start_failure());
  }

  static std::string lost_text(const report::Over& told) {
    if (!told.why.empty()) return told.why;
    switch (told.how) {
      case How::host_restarted:
        return "the host was restarted under the job";
      case How::supervisor_lost:
        return "the job's shepherd was killed";
      default:
        return "the host knows nothing of the job any longer";
    }
  }

  void ran_to_its_end(const report::Over& told) {
    begins();
    acknowledge_and_release();
    record_.set_started(true);
    record_.clear_start_failure();
    if (record_.requeue_asked()) return pend_again({});
    const int code =
        (told.exit_status & 0x7f) != 0 ? 128 + (told.exit_status & 0x7f) : (told.exit_status >> 8) & 0xff;
    // Another cluster has requeued the job itself, by its own queue's codes and those of bsub -Q.
    if (!record_.kill_asked() && !record_.has_forwarded() && may_requeue(code)) {
      record_.set_requeues(record_.requeues() + 1);
      if (excludes(code)) exclude(record_.hosts(0).name());
      return pend_after_a_run("exit code " + std::to_string(code));
    }
    std::int32_t reason = told.term_reason;
    if (reason == 0 && told.cwd_missing) reason = TERM_CWD_NOTEXIST;
    if (reason == 0 && record_.kill_asked() && code > 128) reason = asked_reason();
    if (told.post_follows) record_.set_post_status(wire::POST_RUNNING);
    record_.set_start_failure(told.why);  // e.g. the file of -i is missing, or where the output was put
    if (record_.kill_as_done()) return finish(wire::STATUS_DONE, 0, TERM_UNKNOWN, told.end_us, told.why);
    finish(told.exit_status == 0 ? wire::STATUS_DONE : wire::STATUS_EXIT, told.exit_status,
           told.exit_status == 0 ? TERM_UNKNOWN : reason, told.end_us, told.why);
  }

  // Keeps a job that ends at once, or whose lent slots are refused at once, from starting thousands of times a minute. Seconds.
  std::int64_t pause_after_a_short_run() {
    const RequeuePause next = requeue_pause(
        record_.short_runs(), over_at_.value_or(now_).us - record_.start_us(), rules_.longest_pause_s);
    record_.set_short_runs(next.short_runs);
    if (next.pause_s > 0) record_.set_paused_until_us(now_.us + next.pause_s * 1'000'000);
    return next.pause_s;
  }
  void pend_after_a_run(std::string why) {
    if (const std::int64_t pause_s = pause_after_a_short_run(); pause_s > 0)
      why += " after a short run; it starts again after " + std::to_string(pause_s) + " s";
    pend_again(why);
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
  // Of an attempt on lent slots its own cluster does, which plans the job again.
  void avoid(const std::string& host) {
    if (on_lent_slots(record_)) return record_.mutable_from()->set_due_to_host(host);
    auto& excluded = *record_.mutable_excluded_hosts();
    const bool there = std::find(excluded.begin(), excluded.end(), host) != excluded.end();
    for (auto& avoided : *record_.mutable_avoided())
      if (avoided.host() == host) return avoided.set_until_us(now_.us + rules_.avoid_s * 1'000'000);
    if (there) return;  // excluded for good already
    exclude(host);
    auto& avoided = *record_.add_avoided();
    avoided.set_host(host);
    avoided.set_until_us(now_.us + rules_.avoid_s * 1'000'000);
  }

  // Its host was lost and the job may run elsewhere. Keeps the facts of the attempt that take_late_success() needs.
  void give_up(const std::string& why) {
    wire::JobRecord kept;
    *kept.mutable_hosts() = record_.hosts();
    kept.set_start_us(record_.start_us());
    kept.set_pid(record_.pid());
    kept.set_pgid(record_.pgid());
    kept.set_exec_user(record_.exec_user());
    kept.set_exec_home(record_.exec_home());
    kept.set_exec_cwd(record_.exec_cwd());
    kept.set_effective_resreq(record_.effective_resreq());
    kept.set_cpu_factor(record_.cpu_factor());
    const bool asked = record_.requeue_asked();
    release();
    pend_again(why);
    if (!asked) *record_.mutable_given_up() = std::move(kept);
  }
  // The attempt that was given up has succeeded after all, and no other attempt has begun.
  void take_late_success(const report::Over& told) {
    const wire::JobRecord kept = record_.given_up();
    clear_attempt();
    record_.MergeFrom(kept);
    ran_to_its_end(told);
  }

  // Back to PEND, or to PSUSP, stopped by whom it was. `why`: the reason, if the job is requeued without brequeue. An attempt on lent slots is over.
  void pend_again(const std::string& why) {
    if (on_lent_slots(record_)) {
      record_.set_start_failure(why);
      report::Over told;
      told.end_us = now_.us;
      return over_on_lent_slots(wire::ForwardedFrom::LENT_WITHDRAWN, told);
    }
    const WallTime since = over_at_.value_or(now_);
    const bool held = record_.requeue_held();
    const bool asked = record_.requeue_asked();
    const bool by_admin = held && record_.stopped_by_admin();
    const bool by_user = held && (record_.stopped_by_user() || !by_admin);
    const std::string killer = record_.killer();
    if (!asked) {
      wire::JobEvent::Status& status = *add_event().mutable_status();
      status.set_status(held ? wire::STATUS_PSUSP : wire::STATUS_PEND);
      status.set_why(why);
      status.set_end_us(since.us);
    } else {
      no_pause();
      wire::JobEvent& event = add_event();
      event.set_at_us(since.us);
      event.mutable_requeue()->set_user(killer);
    }
    count_until(since);
    const std::string failure = record_.start_failure();
    clear_attempt();
    record_.set_start_failure(failure);
    record_.set_why_requeued(why);
    to(held ? wire::STATUS_PSUSP : wire::STATUS_PEND);
    record_.set_status_us(since.us);
    record_.set_stopped_by_user(by_user);
    record_.set_stopped_by_admin(by_admin);
    if (held && asked) record_status({});  // JOB_REQUEUE by itself means PEND
    changed_the_plan();
  }

  // Another cluster's job that never ran here is no finished job of this cluster: bacct leaves it out.
  bool given_back_unstarted() const {
    const auto& from = record_.from();
    return record_.has_from() && !record_.started() &&
           (from.withdrawn() || from.lent_end() != wire::ForwardedFrom::LENT_ENDED);
  }

  // `why`: what the host adds, such as where the output is.
  void finish(wire::JobStatus status, std::int32_t exit_status, std::int32_t reason, std::int64_t end_us,
              const std::string& why = {}) {
    record_.set_exit_status(exit_status);
    record_.set_term_reason(reason);
    // The time is from the host's clock, which may differ by hours: ignore an end outside the attempt.
    record_.set_end_us(end_us < record_.start_us() || end_us > now_.us || end_us == 0 ? now_.us : end_us);
    count_until({record_.end_us()});
    record_.clear_reserved();
    record_.clear_signals();
    record_.clear_carried_out();
    record_.clear_avoided();
    record_.clear_status_before_unknown();
    record_.clear_given_up();
    no_pause();
    record_.set_suspend_reasons(0);
    end_preemption();
    if (record_.has_from())
      record_.mutable_from()->clear_programs();  // its host has them where they run still
    record_.set_stopped_by_user(false);
    record_.set_stopped_by_admin(false);
    to(status);
    record_.set_starting(false);
    go_was_given();
    record_status(why);
    // Without post-execution the log gets the event of its end at once.
    if (status == wire::STATUS_DONE && record_.post_status() == wire::POST_NONE) {
      record_status({});
      std::get<effect::RecordEvent>(effects_.back()).event.mutable_status()->set_post(wire::POST_DONE);
    }
    if (given_back_unstarted()) return changed_the_plan();
    auto& finish = *add_event().mutable_finish();
    *finish.mutable_record() = record_;
    name_hosts_elsewhere(*finish.mutable_record());
    finish.set_cpu_factor(record_.cpu_factor());
    changed_the_plan();
  }
};

}  // namespace rollcall::sched::jobs
