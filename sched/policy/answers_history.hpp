// What bhist and bacct ask, against what the store has: which events and finished jobs fit. Pure; the pages are mbatchd's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/book_words.hpp"

namespace rollcall::sched {

// bacct: "" is the caller, "all" everybody.
bool fits(const wire::AskFinished& ask, const Identity& who, const wire::JobEvent::Finish& finish);

// bhist: events of a job fit by the job they belong to, an array's by their element too. `asked`: the submission, of JOB_NEW.
bool names_job(const wire::AskEvents& ask, JobKey key);
bool fits(const wire::AskEvents& ask, const Identity& who, const wire::Submission& asked);
// badmin hhist, qhist, hist, mbdhist.
bool fits_system(const wire::AskEvents& ask, const wire::JobEvent& event);

// An event as it may be sent: without scripts and environments.
wire::JobEvent sent_event(wire::JobEvent event);

}  // namespace rollcall::sched
