// Answers: mbatchd's answers to requests that change nothing: pure functions from a request of batch.proto, the Book and the
// Snapshot to BatchReply messages.
//
// All users may see jobs, queues and hosts. A job's script and environment are sent only to its owner, on request (bjobs -script,
// -env). A long answer comes in parts. A part is about a millisecond's work and at most kAnswerPart bytes; it may be empty. mbatchd
// makes the next part when the one before is sent, and serves other clients in between. So the jobs of an answer are ordered by id,
// each in its state when its part is made. A job that fits the request all the time is in the answer once. A job that begins or
// ceases to fit meanwhile may be in it or not. A job submitted after the first part is not in it. Pending reasons are found once
// for all jobs that share them.
//
//   request        | from                    | parts
//   ---------------+-------------------------+--------------------------------------------------------------
//   jobs           | Book, reasons: Snapshot | many; Submissions and reasons once in an answer. `history`: what the store
//                  |                         | adds. `sums`: one, from counters, where the filter allows it
//   queues, users  | Book, files             | one or more
//   hosts          | Book, Snapshot          | many: at most 200 hosts each, as they are when their part is made
//   borrowed       | Snapshot, leases        | many, as of hosts
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
#include "sched/policy/lease/lease_report.hpp"
#include "sched/policy/values/borrowed_load.hpp"

namespace rollcall::sched::answers {

inline constexpr std::size_t kAnswerPart = 400 * 1024;  // bytes: a part that has reached it is sent

// The remote queues that a pending job was not forwarded to.
struct RemoteLook {
  std::string table;  // or one line; "": the job was not looked at
  std::vector<wire::ForwardVerdict> rows;
};

struct AnswerView {
  const book::JobTable& jobs;
  const book::HostLedger& hosts;
  const cycle::Snapshot& snapshot;
  WallTime now;
  book::ReadWhole whole = {};  // reads scripts and environments; none: they are not sent
  std::function<RemoteLook(JobKey)> remote_queues = {};          // none: no queue sends jobs
  std::function<wire::BatchReply::ClusterRows()> clusters = {};  // of bclusters; none: there are none
  // With whole hosts; none: the cluster has no leases. Of bclusters and bhosts -e.
  std::function<std::vector<lease::LeaseReport>()> leases = {};
  // What a borrowed host's cluster has told of it; nullptr: nothing, or the clusters are not connected. None: there are no leases.
  std::function<const BorrowedLoad*(const HostId&)> borrowed = {};
  // Leases with slots that the cluster does not have yet, and those that no job asks for. Of bjobs; none: the cluster borrows nothing.
  // Looked at for each job, so what it gives is made once for a view.
  std::function<const std::vector<lease::AwaitedLease>&()> awaited = {};
};

// Makes the next part; none after the one with `last`. Each call may have another view.
using NextPart = std::function<AnswerPart(const AnswerView&)>;

// None for requests that are not in the table: AskEvents, AskFinished, AwaitJob, and requests that change something.
std::optional<NextPart> answer(const wire::BatchRequest& request, const Identity& who,
                               const AnswerView& view);

// One job for bjobs -l and bsub -K. `reasons` may be null.
wire::BatchReply::JobView job_view(const AnswerView& view, const Job& job, cycle::PendingReasons* reasons);
// Why a job pends, with numbers of hosts instead of names, for bsub -K. Empty: it does not pend.
std::vector<wire::BatchReply::Reason> counted_reasons(const AnswerView& view, JobKey key,
                                                      cycle::PendingReasons& reasons);
// Fills `to` with the fields of a submission that may be sent: never a script or an environment. `all`: for -l and -o; false: only
// what tables show.
void send_submission(const wire::Submission& asked, bool all, wire::Submission& to);

// The answer to a request that is refused.
wire::BatchReply refused_answer(wire::BatchReply::Refusal::Why why, std::string text);

}  // namespace rollcall::sched::answers
