#include "sched/policy/jobs/job_life.hpp"

#include "sched/policy/jobs/job_life_part.hpp"

namespace rollcall::sched::jobs {
namespace {

constexpr int kKill = 9;
constexpr std::int32_t kNotStarted = 127 << 8;  // the exit status of a job that its host could not start

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

class Life : LifePart {
 public:
  Life(Job& job, const JobRules& rules, WallTime now, Effects& effects)
      : LifePart(job, rules, now, effects) {}

  // ------------------------------------------------------------ the scheduler

  void on(const event::Dispatched& plan) {
    if (status() != wire::STATUS_PEND || plan.placement.hosts.empty()) return;
    clear_attempt();
    record_.set_paused_until_us(0);
    record_.set_attempt(record_.attempt() + 1);
    put(plan.placement, record_);
    record_.set_effective_resreq(plan.effective_resreq);
    if (plan.forwarded) return forward(*plan.forwarded);
    record_.set_start_us(now_.us);
    if (plan.wait_for_go) withhold_go();
    to(wire::STATUS_RUN);
    record_start();
    order_start();
    changed();
  }

  void on(const event::SuspendPlanned& plan) {
    if (status() != wire::STATUS_RUN && status() != wire::STATUS_SSUSP && status() != wire::STATUS_USUSP)
      return;
    // Its cluster lets it go on as soon as it is connected: the order of now has to come behind that.
    const bool goes_on = resume_waits();
    if (goes_on) record_.set_suspend_reasons(record_.suspend_reasons() & ~kAskedFor);
    const bool runs = status() == wire::STATUS_RUN || goes_on;
    const std::uint32_t reasons =
        record_.suspend_reasons() | plan.reasons | (runs ? reasons_of_a_waiting_stop() : 0);
    if (reasons == record_.suspend_reasons()) return;
    const std::uint32_t added = reasons & ~record_.suspend_reasons();
    std::uint32_t fatal = added & plan.reasons & rules_.terminate_for;
    // A job that is suspended already lends its slots: it is not preempted.
    if (!runs) fatal &= ~static_cast<std::uint32_t>(wire::SUSPEND_PREEMPT);
    record_.set_suspend_reasons(reasons);
    if ((added & wire::SUSPEND_PREEMPT) != 0) preempt_by(plan.preempted_by, runs);
    if (runs) to((reasons & kAskedFor) != 0 ? wire::STATUS_USUSP : wire::STATUS_SSUSP);
    if (fatal != 0)
      terminate(rules_.sequential, (fatal & wire::SUSPEND_WINDOW) != 0    ? TERM_WINDOW
                                   : (fatal & wire::SUSPEND_PREEMPT) != 0 ? TERM_PREEMPT
                                                                          : TERM_LOAD);
    else if (runs)
      order(Sent::SUSPEND, 0, 0);
    record_status(plan.why);
    changed();
  }

  void on(const event::ResumePlanned& plan) {
    const std::uint32_t left = record_.suspend_reasons() & (kAskedFor | ~plan.reasons);
    if ((status() != wire::STATUS_SSUSP && status() != wire::STATUS_USUSP) ||
        left == record_.suspend_reasons())
      return;
    record_.set_suspend_reasons(left);
    if ((left & wire::SUSPEND_PREEMPT) == 0) end_preemption();
    if (status() == wire::STATUS_SSUSP && (left & ~kAskedFor) == 0) {
      to(wire::STATUS_RUN);
      order(Sent::RESUME, 0, 0);
    }
    record_status({});
    changed();
  }

  // ------------------------------------------------------------ the host

  void on(const event::Prepared& prepared) {
    // mbatchd was restarted meanwhile: which hosts had prepared is not stored.
    if (part() && record_.starting() && launch_.go_given) withhold_go();
    if (!waits_for_go() || has_prepared(prepared.host)) return;
    launch_.prepared.push_back(prepared.host);
    go_when_all_have_prepared();
  }

  void on(const event::NotPrepared& refused) {
    if (part()) return part_not_prepared(refused.host, refused.host + ": " + refused.why);
    if (!waits_for_go()) return;
    // Before the go-ahead no bsub has connected to an interactive job yet, so it may pend again as any job. After the go-ahead it
    // ends instead if its first host cannot start it (could_not_start).
    const bool interactive = asked_.interactive() != wire::Submission::NONE;
    if (refused.host == record_.hosts(0).name() && !interactive) {
      report::Over told;
      told.how = How::not_started;
      told.exit_status = kNotStarted;
      told.end_us = now_.us;
      told.why = refused.why;
      return could_not_start(told);
    }
    avoid(refused.host);
    take_back(refused.host + ": " + refused.why);
  }

  void on(const event::StartNotTaken& start) {
    if (!waits_for_go()) return;
    if (part()) return part_not_prepared(start.avoid, start.why);
    if (!start.avoid.empty()) avoid(start.avoid);
    take_back(start.why);
  }

  void on(const event::Begun&) {
    if (!placed(status())) return;
    heard_again();
    begins();
  }

  void on(const event::Ran& ran) {
    if (!placed(status())) return;
    heard_again();
    begins();
    const auto& told = ran.told;
    if (record_.started() && record_.pid() == told.pid) return;
    record_.set_started(true);
    record_.set_pid(told.pid);
    record_.set_pgid(told.pgid);
    record_.set_exec_user(told.user);
    record_.set_exec_home(told.home);
    record_.set_exec_cwd(told.cwd);
    record_.set_preexec_failures(0);
    record_.clear_start_failure();
    auto& accepted = *add_event().mutable_start_accept();
    accepted.set_pid(told.pid);
    accepted.set_pgid(told.pgid);
    auto& execute = *add_event().mutable_execute();
    execute.set_uid(told.uid);
    execute.set_pid(told.pid);
    execute.set_pgid(told.pgid);
    execute.set_cwd(told.cwd);
    execute.set_home(told.home);
    execute.set_user(told.user);
    changed();
  }

  // The job was stopped on its host, not by an order of mbatchd.
  void on(const event::StoppedThere&) {
    heard_again();
    if (status() != wire::STATUS_RUN) return;
    // An order that waited for its cluster is carried out: it has the name of whoever gave it.
    const bool by_admin = record_.stopped_by_admin() && !record_.stopped_by_user();
    record_.set_suspend_reasons(record_.suspend_reasons() |
                                (by_admin ? wire::SUSPEND_ADMIN : wire::SUSPEND_USER));
    to(wire::STATUS_USUSP);
    record_status({});
    changed_the_plan();
  }

  void on(const event::ResumedThere&) {
    heard_again();
    if (status() != wire::STATUS_USUSP || record_.stopped_by_user() || record_.stopped_by_admin()) return;
    record_.set_suspend_reasons(record_.suspend_reasons() & ~kAskedFor);
    to(record_.suspend_reasons() == 0 ? wire::STATUS_RUN : wire::STATUS_SSUSP);
    // Its cycle has found it stopped already, and ordered nothing.
    if (status() == wire::STATUS_SSUSP && !HostId(record_.hosts(0).name()).ours()) order(Sent::SUSPEND, 0, 0);
    record_status({});
    changed_the_plan();
  }

  void on(const event::CarriedOut& told) {
    if (!placed(status()) || elsewhere()) return;
    auto& all = *record_.mutable_carried_out();
    auto of_it =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.cluster() == told.cluster; });
    const std::uint64_t number = std::min(told.number, record_.signal_number());
    if (number <= (of_it == all.end() ? 0 : of_it->signal_number())) return;
    wire::CarriedOut& of = of_it == all.end() ? *all.Add() : *of_it;
    of.set_cluster(told.cluster);
    of.set_signal_number(number);
    save();
  }

  void on(const event::Ended& ended) {
    if (!placed(status())) return;
    report::Over told = ended.told;
    if (elsewhere() && told.how == How::ended) return ended_elsewhere(told);
    take_durations(told);
    switch (told.how) {
      case How::pre_exec_failed:
        return could_not_start(told);
      case How::not_started:
        return could_not_start(told);
      case How::never_seen:
        if (elsewhere()) return cluster_is_back({});
        if (!record_.started()) return never_arrived(record_.starting());
        return was_lost(told, TERM_ZOMBIE);
      case How::host_restarted:
        return was_lost(told, TERM_ZOMBIE);
      case How::refused:
      case How::withdrawn:
        return elsewhere() ? given_back(told) : give_back(told);
      case How::supervisor_lost:
        return was_lost(told, TERM_EXTERNAL_SIGNAL);
      default:
        return ran_to_its_end(told);
    }
  }

  void on(const event::EndHeld& held) {
    if (!placed(status()) || unknown()) return;
    record_.set_status_before_unknown(status());
    record_.set_start_failure(held.why);
    to(wire::STATUS_UNKWN);
    record_status(held.why);
    changed();
  }

  void on(const event::PostEnded& post) {
    if (!finished(status()) || record_.post_status() != wire::POST_RUNNING) return;
    record_.set_post_status(post.failed ? wire::POST_ERR : wire::POST_DONE);
    record_status({});
    changed();
  }

  void on(const event::HostBack& back) {
    if (!placed(status())) return;
    if (elsewhere()) return cluster_is_back(back);
    using State = report::Held::State;
    // Its cluster tells next when it was over: it was not heard of again before.
    if (back.held == State::over && !HostId(record_.hosts(0).name()).ours()) return;
    heard_again();
    const bool runs_nothing = !back.held || *back.held == State::prepared;
    const bool may_have_run = record_.started() || (back.blank && launch_.go_given);
    if (runs_nothing && !may_have_run) return back.held ? has_only_the_order() : never_arrived(back.knows_go);
    if (runs_nothing) {
      report::Over told;
      told.how = back.blank ? How::host_restarted : How::never_seen;
      if (back.blank)
        told.why = "the host has forgotten its jobs: its disk is new, or badmin hforget was used";
      told.end_us = now_.us;
      return was_lost(told, TERM_ZOMBIE);
    }
    if (*back.held == State::over) return;
    begins();
    const bool runs = *back.held == State::running || *back.held == State::stopped;
    if (runs && !record_.started()) {
      record_.set_started(true);
      changed();
    }
    order_again();
  }

  void on(const event::HostLost& lost) {
    if (!placed(status()) || elsewhere() || part()) return;
    if (rules_.rerunnable && !lost.all_hosts && (!record_.kill_asked() || record_.requeue_asked()))
      return give_up("the host was not heard of");
    if (unknown()) return;
    record_.set_status_before_unknown(status());
    to(record_.kill_asked() ? wire::STATUS_ZOMBI : wire::STATUS_UNKWN);
    record_status({});
    changed();
  }

  void on(const event::GivenUpEnded& ended) {
    const bool success = ended.told.how == How::ended && ended.told.exit_status == 0;
    if (pending(status()) && record_.has_given_up() && success) take_late_success(ended.told);
  }

  // ------------------------------------------------------------ people

  // The job is over; only its post-execution command may still run.
  void end_post_execution(const event::KillAsked& kill) {
    if (record_.post_status() != wire::POST_RUNNING || record_.hosts().empty()) return;
    record_.set_signal_number(record_.signal_number() + 1);
    Sent sent;
    sent.set_number(record_.signal_number());
    sent.set_action(Sent::SEND);
    sent.set_signal(kKill);
    record_signal("KILL", kill.by, kill.reason);
    effects_.push_back(effect::OrderSignal{record_.hosts(0).name(), signal_order(record_, sent)});
    changed();
  }

  void on(const event::KillAsked& kill) {
    if (finished(status())) return end_post_execution(kill);
    if (part()) return kill_part(kill.by, kill.reason);
    if (kill.requeue && !placed(status())) return;
    if (waits_for_go() && !kill.requeue) {
      take_back({});
      if (finished(status())) return;
    }
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
    if (waits_for_go()) return take_back({});
    terminate(kill.signal == kKill ? false : rules_.sequential, asked_reason());
    changed();
  }

  void on(const event::Elsewhere& told) {
    if (elsewhere()) return take(told.job);
    if (!placed(status()) || HostId(record_.hosts(0).name()).ours()) return;
    heard_again();
    suspended_there(told.job);
  }

  // A host of another cluster does not serve the job any longer: what is left of it is ended.
  void on(const event::PartLost& lost) {
    if (!placed(status()) || elsewhere()) return;
    if (waits_for_go()) {
      if (lost.recalled)
        pause_after_a_short_run();
      else
        avoid(lost.host);
      return take_back(lost.host + ": " + lost.why);
    }
    if (record_.kill_asked()) return;
    event::By by;
    by.admin = true;
    const bool stopped = record_.stopped_by_user() || record_.stopped_by_admin();
    on(event::KillAsked{by, 0, lost.host + ": " + lost.why, lost.recalled || rules_.rerunnable, stopped});
  }
  void on(const event::PartReleased&) {
    if (part() && placed(status())) release_part(wire::ForwardedFrom::LENT_ENDED, {});
  }
  void on(const event::PartGone& told) { part_is_gone_from(told.host); }

  void on(const event::RecallDue&) { recall_when_due(); }
  void on(const event::WrittenOff&) { written_off(); }
  void on(const event::GivenBack& back) { goes_back(back.why); }

  void on(const event::RemoveAsked& remove) {
    if (finished(status())) return;
    if (elsewhere()) return on(event::KillAsked{remove.by, kKill, remove.reason});
    // A user's word does not free slots of a part: processes may be left there.
    if (part() && !remove.by.admin) return kill_part(remove.by, remove.reason);
    if (waits_for_go() && !part()) take_back({});
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
    // SIGKILL, not TERMINATE, which the queue's JOB_CONTROLS may redefine: mbatchd does not track the job any more.
    order(Sent::SEND, kKill, reason, false);
    release();
    finish(wire::STATUS_EXIT, kKilled, reason, now_.us);
  }

  void on(const event::SignalAsked& signal) {
    if (!placed(status())) return;
    record_signal(signal_symbol(signal.signal), signal.by, {});
    order(Sent::SEND, signal.signal, 0);
    save();
  }

  // Its attempt is being ended, and there is nothing to stop: the job pends again as a stopped one.
  void hold_when_requeued(const event::StopAsked& stop) {
    record_.set_requeue_held(true);
    (stop.by.owner ? record_.set_stopped_by_user(true) : record_.set_stopped_by_admin(true));
    record_signal("STOP", stop.by, {});
    changed();
  }

  void on(const event::StopAsked& stop) {
    if (finished(status()) || status() == wire::STATUS_ZOMBI) return;
    if (part() && (waits_for_go() || releasing())) return;
    if (waits_for_go()) take_back({});
    if (finished(status())) return;
    if (record_.requeue_asked() && placed(status())) return hold_when_requeued(stop);
    if (elsewhere()) return stop_there(stop);
    // A job that the system has stopped needs no order that its cluster carries out.
    if (stop.cut_off && status_there() != wire::STATUS_SSUSP) return stop_there(stop);
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
      if (!was_stopped && (rules_.terminate_for & kAskedFor) != 0)
        terminate(rules_.sequential, stop.by.owner ? TERM_OWNER : TERM_ADMIN);
      else if (!was_stopped)
        order(Sent::SUSPEND, 0, 0);
    }
    record_status({});
    changed_the_plan();
  }

  // Its attempt is still being ended: the job pends again without a hold.
  void do_not_hold(const event::ResumeAsked& resume) {
    record_.set_requeue_held(false);
    record_.set_stopped_by_user(false);
    record_.set_stopped_by_admin(false);
    record_signal("CONT", resume.by, {});
    changed();
  }

  void on(const event::ResumeAsked& resume) {
    if (on_lent_slots(record_) && !held_when_requeued(record_)) return resume_own_side(resume);
    if (record_.stopped_by_admin() && !resume.by.admin) return;
    if (elsewhere()) return resume_there(resume);
    const bool held_here = status() == wire::STATUS_PSUSP;
    const bool stopped_there =
        status() == wire::STATUS_USUSP ||
        (status() == wire::STATUS_UNKWN && record_.status_before_unknown() == wire::STATUS_USUSP);
    if (!held_here && !stopped_there) {
      if (held_when_requeued(record_)) return do_not_hold(resume);
      return stop_is_asked(record_) ? resume_there(resume) : void();
    }
    const bool goes_on = (record_.suspend_reasons() & ~kAskedFor) == 0;
    if (resume.cut_off && goes_on) return resume_there(resume);
    record_.set_requeue_held(false);
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
      if (!held_by_us) order(Sent::RESUME, 0, 0);
    }
    record_status({});
    changed_the_plan();
  }

  void on(const event::LimitsChanged& limits) {
    if (!placed(status())) return;
    order_limits(limits.effective);
    changed();
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
    if (part()) return kill_part({}, "termination time");
    if (waits_for_go()) take_back({});
    if (finished(status())) return;
    record_.set_kill_asked(true);
    record_.set_kill_reason("termination time");
    if (!placed(status())) return finish(wire::STATUS_EXIT, kInterrupted, TERM_DEADLINE, now_.us);
    terminate(rules_.sequential, TERM_DEADLINE);
    changed();
  }

  void on(const event::PauseOver&) {
    if (record_.paused_until_us() == 0) return;
    record_.set_paused_until_us(0);
    changed_the_plan();
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
};

}  // namespace

bool held_when_requeued(const wire::JobRecord& record) {
  return record.requeue_asked() && record.requeue_held() && placed(record.status());
}

bool may_be_of_a_recall(const wire::JobRecord& record, const report::Over& told) {
  return told.how == report::Over::How::ended && told.exit_status != 0 && told.term_reason == 0 &&
         !record.kill_asked() && !is_part(record) && !is_elsewhere(record);
}

void step(Job& job, const JobRules& rules, const JobHappening& event, WallTime now, Effects& effects) {
  std::visit([life = Life(job, rules, now, effects)](const auto& e) mutable { life.on(e); }, event);
}

}  // namespace rollcall::sched::jobs
