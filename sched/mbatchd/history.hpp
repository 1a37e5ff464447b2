// History: answers from the store (bhist, bacct), a page at a time as the client reads. sched/policy/events/history_selection.hpp
// decides which events belong to an answer.
#pragma once

#include <functional>
#include <memory>

#include "common/io/job_store.hpp"
#include "sched/policy/answers/answer_part.hpp"
#include "sched/policy/events/history_selection.hpp"

namespace rollcall::mbatchd {

using Parts = std::function<sched::answers::AnswerPart()>;

Parts events_answer(io::JobStore& store, const wire::AskEvents& ask, const sched::Identity& who);
Parts finished_answer(io::JobStore& store, const wire::AskFinished& ask, const sched::Identity& who);

// `parts` answer AskJobs with `history`; the named jobs that are no longer in memory follow them, from the store.
Parts with_old_jobs(io::JobStore& store, const wire::AskJobs& ask, Parts parts);

}  // namespace rollcall::mbatchd
