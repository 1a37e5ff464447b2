// LifePart: the part here of a job on hosts of several clusters (is_part): a layer of the stepper below Life. Private to job_life.cpp.
//
// Its first host is another cluster's, which starts the job and says when it is over. Each host here is one where tasks may be started. Rule of
// all of it: the slots are in use until every host has said that nothing of the attempt is left there; no timeout ends a part.
//
//   event \ the part | waits for its hosts       | runs                     | is released
//   -----------------+---------------------------+--------------------------+--------------------------------
//   Prepared         | of the last host: runs    | -                        | -
//   NotPrepared      | released, not started     | released, lost           | -
//   StartNotTaken    | released, not started     | -                        | -
//   KillAsked        | released                  | released                 | -
//   PartReleased     | released                  | released                 | -
//   PartGone         | -                         | -                        | of the last host: DONE, EXIT
//   RemoveAsked (admin) | EXIT at once           | EXIT at once             | EXIT at once
//   HostLost         | -                         | -                        | -
// docs/decisions/0106.
#pragma once

#include "sched/policy/jobs/job_life_elsewhere.hpp"

namespace rollcall::sched::jobs {

class LifePart : protected LifeElsewhere {
 protected:
  using LifeElsewhere::LifeElsewhere;

  bool part() const { return is_part(record_); }
  bool releasing() const { return record_.from().releasing(); }

  // What is there ends; the attempt is over when every host has said so.
  void release_part(wire::ForwardedFrom::LentEnd how, const std::string& why) {
    if (releasing() || !placed(status())) return;
    auto& from = *record_.mutable_from();
    from.set_releasing(true);
    from.set_lent_end(how);
    record_.set_start_failure(why);
    go_was_given();
    record_.set_starting(false);
    release();
    changed();
  }

  // `due_to`: the host that is to be avoided by the next attempt; "": none.
  void part_not_prepared(const std::string& due_to, const std::string& why) {
    if (!placed(status()) || releasing()) return;
    record_.mutable_from()->set_due_to_host(due_to);
    if (waits_for_go()) return release_part(wire::ForwardedFrom::LENT_NOT_STARTED, why);
    record_.set_lost(true);
    release_part(wire::ForwardedFrom::LENT_ENDED, why);
  }

  void kill_part(const event::By& by, const std::string& reason) {
    if (finished(status()) || record_.kill_asked()) return;
    record_.set_kill_asked(true);
    record_.set_killer(by.user);
    record_.set_killer_is_admin(!by.owner);
    record_.set_kill_reason(reason);
    record_signal("KILL", by, reason);
    if (releasing()) return save();
    release_part(
        record_.from().withdrawn() ? wire::ForwardedFrom::LENT_WITHDRAWN : wire::ForwardedFrom::LENT_ENDED,
        reason);
  }

  void part_is_gone_from(const std::string& host) {
    if (!part() || !placed(status()) || !releasing()) return;
    auto& gone = launch_.gone;
    if (std::find(gone.begin(), gone.end(), host) == gone.end()) gone.push_back(host);
    for (const auto& each : record_.hosts())
      if (std::find(gone.begin(), gone.end(), each.name()) == gone.end()) return;
    const bool ran = record_.started() && record_.from().lent_end() == wire::ForwardedFrom::LENT_ENDED;
    if (ran && !record_.kill_asked() && !record_.lost())
      return finish(wire::STATUS_DONE, 0, TERM_UNKNOWN, now_.us);
    finish(wire::STATUS_EXIT, record_.started() ? kKilled : kInterrupted,
           record_.kill_asked() ? asked_reason() : TERM_UNKNOWN, now_.us, record_.start_failure());
  }
};

}  // namespace rollcall::sched::jobs
