// What bhist and bacct ask, against what the store has: which events and finished jobs fit. Pure; the pages are mbatchd's.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::events {

// bacct: "" is the caller, "all" everybody.
bool fits(const wire::AskFinished& ask, const Identity& who, const wire::JobEvent::Finish& finish);

// bhist: events of a job fit by the job they belong to, an array's by their element too. `asked`: the submission, of JOB_NEW.
bool names_job(const wire::AskEvents& ask, JobKey key);
bool fits(const wire::AskEvents& ask, const Identity& who, const wire::Submission& asked);
// badmin hhist, qhist, hist, mbdhist.
bool fits_system(const wire::AskEvents& ask, const wire::JobEvent& event);

// The jobs of bhist as their events come by, each after its JOB_NEW: whether an event is of one of them.
class JobsAsked {
 public:
  JobsAsked(wire::AskEvents ask, Identity who) : ask_(std::move(ask)), who_(std::move(who)) {}
  bool wants(const wire::JobEvent& event);

 private:
  wire::AskEvents ask_;
  Identity who_;
  std::unordered_set<std::int32_t> jobs_;  // their ids alone: there may be a million, of many kilobytes each
};

// An event as it may be sent: without scripts and environments.
wire::JobEvent sent_event(wire::JobEvent event);

}  // namespace rollcall::sched::events
