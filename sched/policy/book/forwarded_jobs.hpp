// ForwardedJobs: the attempts of other clusters that this one has accepted: the executing side of forwarding. The submission side is
// HostLedger, for which another cluster is an engine (sched/policy/values/engine.hpp).
//
// An attempt is a job of ours from its acceptance on, with an id of its own. It is accepted once, however often it is offered, and it
// stays until the other cluster has acknowledged its end, which may take for ever; its script and environment go CLEAN_PERIOD after the
// end. Requeues here are within the one attempt.
//
//   asked \ the job  | not known        | pends            | has hosts        | over
//   -----------------+------------------+------------------+------------------+--------------------------
//   offer            | accepted, REFUSED| state            | state            | over
//   signal, new      | over: UNKNOWN    | done, state      | done, state      | over
//   signal, repeated | over: UNKNOWN    | state            | state            | over
//   recall           | over: UNKNOWN    | over: WITHDRAWN  | state            | over
//     of a part      | over: UNKNOWN    | -                | released, state  | over
//   acknowledge      | -                | -                | -                | may be cleaned; with post_open: -
//   write-off        | -                | WITHDRAWN        | runs on          | may be cleaned
//   queue removed    | -                | WITHDRAWN        | runs on          | -
// While the post-execution of a job that is over still runs, a new signal kills it; its end is told by one more `over`.
// An offer, signal or recall of an attempt whose end was acknowledged takes that back: the other cluster's store was put back. A
// cluster that is written off (badmin hforget -jobs) and connects after all is told of its attempts that are still known.
// docs/decisions/0090, 0092.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/wire/peer.pb.h"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/values/events_and_effects.hpp"
#include "sched/policy/values/said_of_attempt.hpp"

namespace rollcall::sched::book {

using sched::SaidOfAttempt;

class ForwardedJobs {
 public:
  ForwardedJobs(Memory& memory, const JobTable& jobs) : memory_(&memory), jobs_(jobs) {}
  ForwardedJobs(const ForwardedJobs&) = delete;
  ForwardedJobs& operator=(const ForwardedJobs&) = delete;

  // `said` leaves after the commit.
  struct Answered {
    SaidOfAttempt said;
    Effects effects;
  };

  // Ends of one cluster's jobs that wait for its acknowledgement before its offers are refused. Ends wait without a limit.
  static constexpr std::size_t kMostUnacknowledged = 10'000;
  // Why offers of the cluster are refused; "": they are not for any reason of all of them.
  std::string takes_no_more(const std::string& cluster) const;

  // True: the attempt is here already, so offer() needs no user.
  bool knows(const std::string& cluster, const wire::ForwardAttempt& attempt) const;
  // The job of ours for an attempt; none: it is not here.
  std::optional<JobKey> job_of(const std::string& cluster, const wire::ForwardAttempt& attempt) const;
  // `asked`: of the offer, with what may not cross taken out (peers/crossing.hpp), and the user as the other cluster has it. `who`: the
  // local user that this one is here (peers/user_map.hpp).
  Answered offer(const std::string& cluster, const wire::ForwardOffer& offer, const wire::Submission& asked,
                 const Identity& who, WallTime now);
  // An offer with `lent` or `part`: the job begins at once, on the host and slots that it names. The caller has checked them (LeaseOut).
  Answered start_on_lent_slots(const std::string& cluster, const wire::ForwardOffer& offer,
                               const wire::Submission& asked, const Identity& who, WallTime now);
  Answered signal(const std::string& cluster, const wire::ForwardSignal& signal, WallTime now);
  Answered recall(const std::string& cluster, const wire::ForwardRecall& recall, WallTime now);
  Effects acknowledge(const std::string& cluster, const wire::ForwardAcknowledge& acknowledged, WallTime now);

  // A change, and lines for the administrator that describe it.
  struct Done {
    std::vector<std::string> lines;
    Effects effects;
  };

  // Jobs of other clusters that wait in a queue which the configuration does not have any more: they could never start here.
  Done give_back_of_removed_queues(WallTime now);

  // So many attempts of one cluster at a time, a million unless this is called; further offers are refused.
  void keep_at_most(std::size_t attempts);

  // The lease is withdrawn: ends the attempt, which its cluster starts again elsewhere. Of a part with `asks`: nothing is ended, its cluster is
  // told, so that it requeues the job before tasks of it die, and releases the part. Without it the part is ended now.
  enum class Recall { ends, asks };
  Effects recall_lent(JobKey key, const std::string& why, WallTime now, Recall how = Recall::ends);

  // The cluster will never answer: ends the attempts of ours that are there, and keeps its own here no longer than other jobs. `lines`
  // says of each what becomes of it, of a thousand at most. only_say: changes nothing.
  Done write_off(const std::string& cluster, const Identity& who, bool only_say, WallTime now);
  // The cluster is connected: what was written off is kept for it again.
  Effects is_back(const std::string& cluster);
  // The record of badmin hforget @CLUSTER, for badmin hhist. The command itself changes nothing in the Book.
  static effect::RecordEvent taken_anew(const std::string& cluster, const Identity& who, WallTime now);
  // Likewise of hforget -jobs where no job has to do with the cluster.
  static effect::RecordEvent written_off(const std::string& cluster, const Identity& who, WallTime now);
  // Clusters that share jobs with this one.
  std::set<std::string> clusters() const;
  // Jobs of ours that are in the cluster or on hosts that it lends, and of it that are here and not acknowledged.
  std::pair<std::size_t, std::size_t> shared_with(const std::string& cluster) const;

  // None: the job is not of another cluster, or its end is acknowledged.
  std::optional<SaidOfAttempt> said_of(JobKey key, WallTime now) const;
  // The cluster it came from; "": none.
  std::string cluster_of(JobKey key) const;
  // Jobs of other clusters that pend in the queue, for IMPT_JOBBKLG and IMPT_SLOTBKLG.
  SlotCount waiting_in(const std::string& queue) const;
  // Jobs of the cluster that are not over and acknowledged.
  std::vector<JobKey> held_for(const std::string& cluster) const;

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

// The slots of leases that an offer is for, at most 10,001 hosts; none: it is for a queue.
std::vector<wire::LentSlots> lent_slots_of(const wire::ForwardOffer& offer);
// RCVJOBS_FROM.
bool receives(const conf::QueueRow& queue, const std::string& cluster);
wire::ForwardOver refused(const wire::ForwardAttempt& attempt, std::string why,
                          wire::ForwardOver::Scope scope);
// An offer with `lent` that came too late: another one under the newest grant may be accepted.
wire::ForwardOver stale(const wire::ForwardAttempt& attempt, std::string why);

}  // namespace rollcall::sched::book
