// LifeElsewhere: an attempt that was forwarded to another cluster: the upper layer of the stepper below Life. Private to job_life.cpp.
//
// The other cluster tells how the job stands, and this record follows it. Here the attempt is RUN from its offer on, and `starting`
// until the job has begun there, so it is shown as PEND. Rule of all of it: only the other cluster's answer ends the attempt, or an
// administrator who says that it will never come (badmin hforget -jobs). The attempt is not given up when that cluster is silent, and a
// recall is a question.
//
//   told \ record    | starting (shown PEND)            | begun
//   -----------------+----------------------------------+------------------------------------------------------------
//   PEND, PSUSP      | accepted; held, or no longer     | starting again: it was requeued there
//   RUN SSUSP USUSP  | begun; follows                   | follows, unless an order of ours is still on its way
//   UNKWN, ZOMBI     | begun, UNKWN                     | UNKWN, ZOMBI
//   refused          | PEND, in its old place; after it | lost: EXIT, or PEND if it may be rerun
//                    | was accepted also a return       |
//   withdrawn        | PEND, in its old place; a return | before its process ran (pre-execution): as before its begin; else lost
//   ended            | DONE, EXIT; brequeue: PEND       | DONE, EXIT; brequeue: PEND; its post-execution may be open, and ends later
//   cluster is back, | offered again, or EXIT if killed | lost: EXIT, or PEND if it may be rerun
//    without it      |                                  |
//   RecallDue        | asked back, once                 | -
//   WrittenOff       | PEND; killed: EXIT               | lost: EXIT, or PEND if it may be rerun
//   StopAsked,       | ordered; the status follows when | ordered; the status follows when it is told
//    ResumeAsked     | it is told                       |
// docs/decisions/0090.
#pragma once

#include "sched/policy/jobs/job_life_end.hpp"
#include "sched/policy/jobs/two_sided_stop.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::sched::jobs {

class LifeElsewhere : protected LifeEnd {
 protected:
  using LifeEnd::LifeEnd;

  bool elsewhere() const { return is_elsewhere(record_); }

  void forward(const wire::ForwardedTo& to_whom) {
    auto& forwarded = *record_.mutable_forwarded();
    forwarded = to_whom;
    forwarded.set_at_us(now_.us);
    forwarded.clear_there();
    record_.set_starting(true);
    to(wire::STATUS_RUN);
    auto& event = *add_event().mutable_forward();
    event.set_cluster(forwarded.cluster());
    event.set_queue(forwarded.queue());
    event.set_attempt(record_.attempt());
    event.set_why(forwarded.why());
    order_start();
    changed();
  }

  void take(const wire::JobElsewhere& job) {
    auto& forwarded = *record_.mutable_forwarded();
    const bool accepted = !forwarded.has_there();
    const bool news = accepted || differ_beyond_usage(forwarded.there(), job);
    *forwarded.mutable_there() = job;
    if (job.has_usage()) {
      *record_.mutable_usage() = job.usage();
      record_.mutable_usage()->set_sampled_us(now_.us);  // that cluster's clock is another one
    }
    if (!news) return;
    if (accepted) record_accepted(job);
    if (!pending(job.status()))
      has_begun();
    else if (!record_.starting())
      pends_there_again(job.why());
    if (record_.started()) note_place(job);
    if (job.signal_number() >= record_.signal_number()) follow(job);
    changed();
  }

  // Its cluster says that the job has not run. A cluster that had said otherwise is not believed: the job would run twice. An honest
  // one refuses only what it has not accepted, and withdraws a job whose pre-execution has failed.
  void given_back(report::Over told) {
    const bool ran = record_.started() && (told.how == How::refused || record_.pid() != 0);
    if (ran) {
      told.how = How::never_seen;
      told.why = "cluster " + record_.forwarded().cluster() + " gives the job back, which had begun there";
      return was_lost(told, TERM_ZOMBIE);
    }
    if (record_.forwarded().has_there()) told.how = How::withdrawn;
    give_back(told);
  }

  void give_back(const report::Over& told) {
    acknowledge_and_release();
    if (record_.kill_asked()) return end_of_a_kill(told);
    const std::string why = why_back(told);
    if (told.how == How::withdrawn && record_.has_forwarded()) count_return(told);
    if (!record_.has_forwarded()) pause_after_a_short_run();
    if (!told.due_to.empty()) avoid(host_of_end(told));
    // Slots of a lease that are taken back: the attempt may have run.
    record_.set_start_failure(told.how == How::withdrawn && !record_.has_forwarded() ? "" : told.why);
    if (record_.stopped_by_user() || record_.stopped_by_admin()) record_.set_requeue_held(true);
    pend_again(why);
  }

  void ended_elsewhere(report::Over told) {
    // An end says too that the job was accepted, and as which one: that was lost with a connection, or given up with its cluster.
    if (told.there && !record_.forwarded().has_there()) {
      *record_.mutable_forwarded()->mutable_there() = *told.there;
      record_accepted(*told.there);
    }
    if (record_.starting())
      began_unheard(told);
    else if (told.ended_s_ago)
      take_durations(told);
    else if (record_.status() == wire::STATUS_RUN)
      end_with_its_run(told);
    ran_to_its_end(told);
  }

  void cluster_is_back(const event::HostBack& back) {
    if (back.held) {
      order_again();
      if (record_.forwarded().recalled()) recall();
      return;
    }
    report::Over told;
    told.end_us = now_.us;
    if (record_.started()) {
      told.how = How::never_seen;
      told.why = "cluster " + record_.forwarded().cluster() + " knows nothing of the job any longer";
      return was_lost(told, TERM_ZOMBIE);
    }
    if (record_.kill_asked() || record_.forwarded().recalled()) {
      told.how = How::refused;
      return give_back(told);
    }
    if (record_.forwarded().has_there()) {  // the acceptance is lost, and it may refuse this offer
      record_.mutable_forwarded()->clear_there();
      save();
    }
    order_start();
    order_again();
  }

  void written_off() {
    if (!elsewhere()) return;
    report::Over told;
    told.end_us = now_.us;
    told.why = "cluster " + record_.forwarded().cluster() + " was written off by an administrator";
    told.how = record_.started() ? How::never_seen : How::refused;
    record_.started() ? was_lost(told, TERM_ZOMBIE) : give_back(told);
  }

  // The suspension of a job on borrowed hosts, by their cluster's word. It is no order of ours that has stopped it: two_sided_stop.hpp.
  void suspended_there(const wire::JobElsewhere& told) {
    std::uint32_t reasons = record_.suspend_reasons() | reasons_of_a_waiting_stop();
    const bool by_them =
        told.status() == wire::STATUS_USUSP && (told.suspend_reasons() & wire::SUSPEND_ADMIN) != 0;
    if (by_them)
      reasons |= wire::SUSPEND_ADMIN;
    else if (!record_.stopped_by_admin())
      reasons &= ~std::uint32_t{wire::SUSPEND_ADMIN};
    // Our cycle suspended it, and has let it go on while they had it stopped.
    const bool goes_on = reasons == 0 && told.status() == wire::STATUS_SSUSP;
    if (reasons == 0 && !goes_on) reasons = wire::SUSPEND_USER;  // the job itself, or its terminal
    const auto next = goes_on                      ? wire::STATUS_RUN
                      : (reasons & kAskedFor) != 0 ? wire::STATUS_USUSP
                                                   : wire::STATUS_SSUSP;
    if (reasons == record_.suspend_reasons() && next == status()) return;
    record_.set_suspend_reasons(reasons);
    if (next != status()) to(next);
    if (goes_on) order(Sent::RESUME, 0, 0);
    record_status(by_them ? "an administrator of cluster " +
                                std::string(HostId(record_.hosts(0).name()).cluster()) + " has stopped it"
                          : std::string());
    changed_the_plan();
  }

  // Of a job on lent slots: its own cluster, or an administrator here, lets go what that side has stopped. Its cluster's cycle may do so while
  // the job is unknown here.
  void resume_own_side(const event::ResumeAsked& resume) {
    const std::uint32_t admins = wire::SUSPEND_ADMIN;
    const std::uint32_t own = record_.suspend_reasons() & (resume.by.owner ? ~admins : admins);
    const auto there = status_there();
    if ((there != wire::STATUS_USUSP && there != wire::STATUS_SSUSP) || own == 0) return;
    const std::uint32_t left = record_.suspend_reasons() & ~own;
    (resume.by.owner ? record_.set_stopped_by_user(false) : record_.set_stopped_by_admin(false));
    record_.set_suspend_reasons(left);
    if ((own & kAskedFor) != 0) record_signal("CONT", resume.by, {});
    const auto next = (left & kAskedFor) != 0 ? wire::STATUS_USUSP
                      : left != 0             ? wire::STATUS_SSUSP
                                              : wire::STATUS_RUN;
    if (unknown())
      record_.set_status_before_unknown(next);
    else if (next != status())
      to(next);
    if (next == wire::STATUS_RUN) order(Sent::RESUME, 0, 0);
    record_status({});
    changed_the_plan();
  }

  // The order is sent; the status follows when the other cluster has carried it out. Also of a job on borrowed hosts.
  void stop_there(const event::StopAsked& stop) {
    const bool was_asked = stop_is_asked(record_);
    (stop.by.owner ? record_.set_stopped_by_user(true) : record_.set_stopped_by_admin(true));
    record_signal("STOP", stop.by, {});
    if (!was_asked && (rules_.terminate_for & kAskedFor) != 0)
      terminate(rules_.sequential, stop.by.owner ? TERM_OWNER : TERM_ADMIN);
    else if (!was_asked)
      order(Sent::SUSPEND, 0, 0);
    changed();
  }

  void resume_there(const event::ResumeAsked& resume) {
    const bool is_stopped = status_there() == wire::STATUS_USUSP;
    const bool held = held_when_requeued(record_);
    if (!is_stopped && !held && !stop_is_asked(record_)) return;
    // From here on an administrator's stop would be read as one of the other cluster's (two_sided_stop.hpp).
    const bool shown = (record_.suspend_reasons() & wire::SUSPEND_ADMIN) != 0;
    if (!elsewhere() && shown && record_.stopped_by_admin())
      record_.set_suspend_reasons((record_.suspend_reasons() & ~std::uint32_t{wire::SUSPEND_ADMIN}) |
                                  wire::SUSPEND_USER);
    record_.set_requeue_held(false);
    record_.set_stopped_by_user(false);
    record_.set_stopped_by_admin(false);
    record_signal("CONT", resume.by, {});
    if (is_stopped || !held) order(Sent::RESUME, 0, 0);
    changed();
  }

  void recall_when_due() {
    if (!elsewhere() || !record_.starting() || record_.kill_asked() || record_.forwarded().recalled()) return;
    record_.mutable_forwarded()->set_recalled(true);
    recall();
    changed();
  }

  // Its cluster tells durations and no times, and the end may be heard long after it. A job on borrowed hosts has begun when it was sent there,
  // so it is over after what it took. Of one that was forwarded other runs may have followed the one that we have heard of.
  void take_durations(report::Over& told) {
    if (record_.starting() || record_.start_us() == 0) return;
    std::optional<std::int64_t> s;  // since its start
    if (told.took_s && !elsewhere())
      s = *told.took_s;
    else if (told.ended_s_ago)
      s = (now_.us - record_.start_us()) / 1'000'000 - *told.ended_s_ago;
    else if (told.run_s > 0 && !elsewhere())
      s = told.run_s + own_suspensions();
    if (!s) return;
    const std::int64_t most =
        std::max<std::int64_t>(0, now_.us - record_.start_us());  // the clock may be set
    over_at_ = WallTime{record_.start_us() + std::clamp<std::int64_t>(*s, 0, most / 1'000'000) * 1'000'000};
    told.end_us = over_at_->us;
  }

  // A bstop that its cluster has not carried out: what is suspended for another reason meanwhile is stopped by it, too.
  std::uint32_t reasons_of_a_waiting_stop() const {
    if (elsewhere() || !stop_is_asked(record_)) return 0;
    std::uint32_t reasons = 0;
    if (record_.stopped_by_user()) reasons |= wire::SUSPEND_USER;
    if (record_.stopped_by_admin()) reasons |= wire::SUSPEND_ADMIN;
    return reasons;
  }

  // The last order to the job lets it go on, and its cluster has not carried that out.
  bool resume_waits() const {
    const auto& sent = record_.signals();
    if (status() != wire::STATUS_USUSP || sent.empty() || sent.rbegin()->action() != Sent::RESUME)
      return false;
    const auto clusters = ordered_clusters(record_);
    return !clusters.empty() && !clusters.front().part && !waiting_orders(record_, clusters.front()).empty();
  }

  wire::JobStatus status_there() const { return unknown() ? record_.status_before_unknown() : status(); }

 private:
  // For an older release, which does not tell what the attempt took. The sums have the suspensions of earlier attempts, too.
  std::int64_t own_suspensions() const {
    return record_.attempt() > 1 ? 0 : record_.ssusp_s() + record_.ususp_s();
  }

  // The report of its begin never came: it has begun and ended while its cluster was out of reach, or faster than that was told.
  void began_unheard(report::Over& told) {
    if (told.there) {
      *record_.mutable_forwarded()->mutable_there() = *told.there;
      note_place(*told.there);
    }
    const std::int64_t least = std::min(record_.status_us(), now_.us);  // the clock may be set
    told.end_us = std::clamp(now_.us - told.ended_s_ago.value_or(0) * 1'000'000, least, now_.us);
    const WallTime began{std::max(least, told.end_us - told.took_s.value_or(told.run_s) * 1'000'000)};
    add_present_seconds(record_, began);
    record_.set_status_us(began.us);
    record_.set_start_us(began.us);
    record_.set_starting(false);
    record_begin(began);
  }

  // Why it pends here again.
  std::string why_back(const report::Over& told) const {
    if (!record_.has_forwarded() && told.how == How::withdrawn)
      return "slots on " + record_.hosts(0).name() + " were taken back" +
             (told.why.empty() ? "" : ": " + told.why);
    if (!told.why.empty() || !record_.has_forwarded()) return told.why;
    const auto& forwarded = record_.forwarded();
    const std::string cluster = "cluster " + forwarded.cluster();
    if (!forwarded.recalled()) return cluster + " has given it back";
    const bool waited_too_long =
        rules_.recall_after_s && now_.us - forwarded.at_us() >= *rules_.recall_after_s * 1'000'000;
    return waited_too_long ? "it has waited in " + cluster + " for MAX_RSCHED_TIME"
                           : "it was asked back from " + cluster + " to be changed";
  }

  // The end may be heard long after it: the job ran as long as that cluster says, if that is less than the time since we heard of its begin.
  void end_with_its_run(report::Over& told) {
    // The record has the seconds of earlier attempts, too.
    const std::int64_t here = std::min<std::int64_t>(with_present_seconds(record_, now_).run_s(),
                                                     (now_.us - record_.start_us()) / 1'000'000);
    const std::int64_t more = here - told.run_s;
    if (more <= 0 || told.run_s == 0) return;  // 0: not told
    const WallTime ended{std::max(record_.status_us(), now_.us - more * 1'000'000)};
    add_present_seconds(record_, ended);
    record_.set_status_us(now_.us);
    told.end_us = ended.us;
  }
  void recall() { effects_.push_back(effect::OrderRelease{record_.hosts(0).name(), attempt()}); }

  void record_accepted(const wire::JobElsewhere& job) {
    auto& event = *add_event().mutable_accept();
    event.set_cluster(record_.forwarded().cluster());
    event.set_queue(job.queue());
    *event.mutable_there() = job.key();
  }

  void has_begun() {
    if (!record_.starting()) return;
    begins();
    record_.mutable_forwarded()->set_recalled(false);
    record_.set_started(true);
    record_.set_start_us(now_.us);
    record_.clear_start_failure();
    record_begin(now_);
  }

  // `at`: earlier than events that are recorded already where the begin is heard with the end.
  void record_begin(WallTime at) {
    wire::JobRecord named = record_;
    name_hosts_elsewhere(named);
    wire::JobEvent& event = add_event();
    event.set_at_us(at.us);
    auto& start = *event.mutable_start();
    start.mutable_hosts()->Swap(named.mutable_hosts());
    start.set_attempt(record_.attempt());
    start.set_user_group(asked_.user_group());
  }

  // Its host tells these a moment after its begin.
  void note_place(const wire::JobElsewhere& job) {
    record_.set_pid(job.pid());
    record_.set_pgid(job.pgid());
    record_.set_exec_user(job.exec_user());
    record_.set_exec_home(job.exec_home());
    record_.set_exec_cwd(job.exec_cwd());
  }

  // `why`: as its cluster has told, such as that its pre-execution has failed; "": nothing.
  void pends_there_again(const std::string& why) {
    if (unknown()) heard_again();
    add_present_seconds(record_, now_);
    record_.set_status_us(now_.us);
    record_.set_starting(true);
    record_.set_started(false);
    if (status() == wire::STATUS_RUN)
      record_status("it waits in cluster " + record_.forwarded().cluster() + " again" +
                    (why.empty() ? "" : ": " + why));
  }

  void follow(const wire::JobElsewhere& job) {
    if (job.status() == wire::STATUS_UNKWN || job.status() == wire::STATUS_ZOMBI) return unheard_there();
    if (unknown()) heard_again();
    const auto [next, reasons] = meant(job);
    if ((reasons & kAskedFor) == 0 && !held_when_requeued(record_)) {
      record_.set_stopped_by_user(false);
      record_.set_stopped_by_admin(false);
    }
    if (next == status() && reasons == record_.suspend_reasons()) return;
    record_.set_suspend_reasons(reasons);
    if (next != status()) to(next);
    // Which job that is only its cluster knows.
    const bool preempted = next == wire::STATUS_SSUSP && (reasons & wire::SUSPEND_PREEMPT) != 0;
    record_status(preempted ? "The job was preempted by a job of a higher priority queue" : "");
    effects_.push_back(effect::ScheduleSoon{});
  }

  void unheard_there() {
    if (unknown()) return;
    record_.set_status_before_unknown(status());
    to(record_.kill_asked() ? wire::STATUS_ZOMBI : wire::STATUS_UNKWN);
    record_status({});
  }

  static std::pair<wire::JobStatus, std::uint32_t> meant(const wire::JobElsewhere& job) {
    const std::uint32_t reasons = job.suspend_reasons();
    switch (job.status()) {
      case wire::STATUS_PSUSP:
        // An older release does not tell who has stopped it.
        return {wire::STATUS_USUSP, (reasons & kAskedFor) != 0 ? reasons : reasons | wire::SUSPEND_USER};
      case wire::STATUS_USUSP:
        return {wire::STATUS_USUSP, reasons == 0 ? std::uint32_t{wire::SUSPEND_USER} : reasons};
      case wire::STATUS_SSUSP:
        return {wire::STATUS_SSUSP, reasons == 0 ? std::uint32_t{wire::SUSPEND_LOAD} : reasons};
      default:
        return {wire::STATUS_RUN, 0};
    }
  }

  void count_return(const report::Over& told) {
    const auto& forwarded = record_.forwarded();
    auto& returns = *record_.mutable_returns();
    auto known = std::find_if(returns.begin(), returns.end(), [&](const wire::ForwardReturn& one) {
      return one.cluster() == forwarded.cluster() && one.queue() == forwarded.queue();
    });
    wire::ForwardReturn& one = known == returns.end() ? *returns.Add() : *known;
    one.set_cluster(forwarded.cluster());
    one.set_queue(forwarded.queue());
    one.set_times(one.times() + 1);
    one.set_at_us(now_.us);
    one.clear_figures();
    if (told.figures) *one.mutable_figures() = *told.figures;
  }
};

}  // namespace rollcall::sched::jobs
