// Answers: what mbatchd says to those who ask and change nothing: functions from a question of batch.proto, the Book and
// the Snapshot to BatchReply messages.
//
// Pure. Anybody may see jobs, queues, hosts; a job's script and its environment are sent to its owner alone, where they are
// asked for (bjobs -script, -env). Long answers come in parts. A part is a slice of about a millisecond's work and at most
// kAnswerPart bytes; it may be empty. mbatchd makes the next one when the one before has left, and does whatever else has come
// in between. So the jobs of an answer go by id, each as it is when its part is made: a job that fits the question all the time
// is told of once; one that begins or ceases to fit meanwhile is told of or not; one submitted later than the first part is not.
// Why jobs pend is worked out once for all jobs that want the same thing, when the first of them is told of.
//
//   question       | from                    | parts
//   ---------------+-------------------------+--------------------------------------------------------------
//   jobs           | Book, reasons: Snapshot | many; Submissions and reasons once in an answer. `history`: what the store
//                  |                         | adds. `sums`: one, from counters, where the filter allows it
//   queues, users  | Book, files             | one or more
//   hosts          | Book, Snapshot          | many: at most 200 hosts each, as they are when their part is made
//   shared         | Snapshot                | one or more
//   parameters, groups, applications, limits | files, tallies | one
//   events, finished                         | the store: answers_history.hpp says which of its rows fit
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sched/policy/answers/answer_part.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::answers {

inline constexpr std::size_t kAnswerPart = 400 * 1024;  // a part is sent when it has so much

struct AnswerView {
  const book::JobTable& jobs;
  const book::HostLedger& hosts;
  const cycle::Snapshot& snapshot;
  WallTime now;
  book::ReadWhole whole = {};  // scripts and environments; none: they are not shown
};

// The next part; none after the one with `last`. The view may be another one each time.
using NextPart = std::function<AnswerPart(const AnswerView&)>;

// Nothing where the request asks for none of these: AskEvents, AskFinished, AwaitJob, and whatever changes something.
std::optional<NextPart> answer(const wire::BatchRequest& request, const Identity& who,
                               const AnswerView& view);

// One job as bjobs -l and bsub -K see it. `reasons`: may be null.
wire::BatchReply::JobView job_view(const AnswerView& view, const Job& job, cycle::PendingReasons* reasons);
// Why a job pends, hosts by their number alone: bsub -K. None: it does not pend.
std::vector<wire::BatchReply::Reason> counted_reasons(const AnswerView& view, JobKey key,
                                                      cycle::PendingReasons& reasons);
// Fills `to` with what may be sent of what was asked: never a script or an environment. `all`: for -l and -o, else what tables need.
void send_submission(const wire::Submission& asked, bool all, wire::Submission& to);

// What clients are told of a request that cannot be answered.
wire::BatchReply refused_answer(wire::BatchReply::Refusal::Why why, std::string text);

}  // namespace rollcall::sched::answers
