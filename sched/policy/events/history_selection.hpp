// history_selection: which events and finished jobs of the store fit a request of bhist or bacct. Pure; mbatchd reads the store.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::events {

// bacct. User "": the client; "all": all users.
bool fits(const wire::AskFinished& ask, const Identity& who, const wire::JobEvent::Finish& finish);

// bhist: whether the request names the job, or its array; and whether the submission of its JOB_NEW fits.
bool names_job(const wire::AskEvents& ask, JobKey key);
bool fits(const wire::AskEvents& ask, const Identity& who, const wire::Submission& asked);
// badmin hhist, qhist, hist, mbdhist.
bool fits_system(const wire::AskEvents& ask, const wire::JobEvent& event);

// Selects events for bhist while they are read in order: a job's JOB_NEW decides whether its later events are wanted.
class JobsAsked {
 public:
  JobsAsked(wire::AskEvents ask, Identity who) : ask_(std::move(ask)), who_(std::move(who)) {}
  bool wants(const wire::JobEvent& event);

 private:
  wire::AskEvents ask_;
  Identity who_;
  std::unordered_set<std::int32_t> jobs_;  // ids only: there may be a million jobs, of many kilobytes each
};

// Removes scripts and environments, which must not be sent.
wire::JobEvent sent_event(wire::JobEvent event);

}  // namespace rollcall::sched::events
