// InboundForwards: the executing side of forwarding as decisions: in which order the messages of a cluster are taken, and which
// messages leave to it behind a commit. A stepper: it sends nothing and looks up nobody; the Book's facts come through `Jobs`.
//
// What a cluster says is taken in its sequence: a look-up of a user holds back what follows, so that a recall never overtakes its
// offer. What is told leaves after the commit that makes it true, in flush(): first all that is held for the cluster, then answers,
// then jobs, always as they stand then.
//
//   event \ a cluster | not connected | connected                        | greeted: flush() has told what is held for it
//   ------------------+---------------+----------------------------------+------------------------------------------------
//   serves            | connected     | a new connection: no answers, no messages, no numbers of the one before
//   lost              | -             | not connected; answers that wait are dropped
//   heard             | dropped       | waits for its turn; an error beyond the bounds
//   answered, refused | dropped       | waits for flush()
//   changed           | not told      | waits until it is greeted        | told by flush()
//   figures           | none          | none                             | with the highest offer of each queue that was answered
//
// What is held is told in parts, one in each flush(), and each job as it stands then: a million attempts take no turn of mbatchd for
// themselves, and are not in memory at once.
//
// An answer that left in the next connection would answer an offer that may be accepted there. docs/decisions/0090, 0104.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/peer.pb.h"
#include "sched/policy/peers/reason_round.hpp"
#include "sched/policy/values/job.hpp"
#include "sched/policy/values/said_of_attempt.hpp"

namespace rollcall::sched::peers {

struct InboundLimits {
  std::size_t waiting = 10'000;                       // messages of one cluster behind a look-up
  std::size_t waiting_bytes = std::size_t{64} << 20;  // on the wire; in memory up to sixteen times as much
  std::size_t answers = 10'000;  // to one cluster that wait for a commit; its messages wait then
  std::size_t full_part =
      256 * 1024;  // bytes of a ForwardHeld; with the job that fills it it must fit into a frame
};

class InboundForwards {
 public:
  // What the Book has of the attempts of other clusters, now.
  class Jobs {
   public:
    virtual ~Jobs() = default;
    // Jobs of the cluster that are not over and acknowledged.
    virtual std::vector<JobKey> held_for(const std::string& cluster) const = 0;
    // None: the job is not of another cluster, or its end is acknowledged.
    virtual std::optional<SaidOfAttempt> said_of(JobKey job) const = 0;
    virtual const Job* find(JobKey job) const = 0;
    // Why it pends, in one line.
    virtual std::string why(JobKey job) const = 0;
  };
  using Say = std::function<void(const std::string& cluster, wire::PeerMessage message)>;

  explicit InboundForwards(InboundLimits limits = {}) : limits_(limits) {}

  // ---- connections
  void serves(const std::string& cluster);
  void lost(const std::string& cluster) { peers_.erase(cluster); }
  bool connected(const std::string& cluster) const { return peers_.contains(cluster); }
  bool any() const { return !peers_.empty(); }
  std::vector<std::string> connected() const;

  // ---- what a cluster says
  // An error: the connection has to end.
  Result<void> heard(const std::string& cluster, wire::PeerMessage message);
  // The message whose turn it is, until taken() is called; null: none, or a look-up or answers that could not leave hold it back.
  const wire::PeerMessage* next(const std::string& cluster) const;
  void taken(const std::string& cluster);
  // A look-up begins. Gives what looked_up() is told when it is over.
  std::uint64_t looks_up(const std::string& cluster);
  // False: the connection that asked has ended. Else next() gives the message for which it was made.
  bool looked_up(const std::string& cluster, std::uint64_t connection);
  // The offer is being answered, however: figures of the queue account for it.
  void offered(const std::string& cluster, const std::string& queue, std::uint64_t number);

  // ---- what is to be told
  void answered(const std::string& cluster, const SaidOfAttempt& said);
  void refused(const std::string& cluster, wire::ForwardOver over);
  // Behind what is held for it.
  void also(const std::string& cluster, wire::PeerMessage message);
  void changed(const std::set<JobKey>& jobs);
  // How jobs that have begun stand.
  void tell_running(const Jobs& jobs);
  // Why jobs pend, of as many as fit into `most_bytes`; none: of all.
  void tell_reasons(const Jobs& jobs, std::optional<std::size_t> most_bytes);
  bool anything_changed() const { return !changed_.empty(); }
  // More of what is held is to be told: flush() is to be called again soon.
  bool greets() const;
  // All is committed. `say` may call lost().
  void flush(const Jobs& jobs, const Say& say);

  // ---- figures
  std::vector<std::string> greeted() const;
  // The highest offer for the queue that was answered; 0: none.
  std::uint64_t accounts_for(const std::string& cluster, const std::string& queue) const;

 private:
  struct Peer {
    std::uint64_t connection = 0;
    bool greeted = false;
    std::optional<std::vector<JobKey>>
        untold;  // of what is held, the last first; none: not asked yet, or all is told
    std::deque<wire::PeerMessage> inbox;
    std::size_t waiting_bytes = 0;  // in it
    bool looks_up = false;
    std::vector<wire::PeerMessage> answers;
    std::map<std::string, std::uint64_t> numbers;  // by queue: the highest offer that was answered
    ReasonRound reasons;
  };
  Peer* peer(const std::string& cluster);
  const Peer* peer(const std::string& cluster) const;
  std::vector<wire::PeerMessage> due_for(const std::string& cluster, const Jobs& jobs);
  wire::PeerMessage greeting(const std::string& cluster, Peer& peer, const Jobs& jobs);
  // False: it waits until its cluster is greeted.
  bool tell(JobKey job, const Jobs& jobs, const Say& say);
  struct Unfinished {
    std::set<JobKey> running, pending;
  };
  static Unfinished unfinished_of(const std::string& cluster, const Jobs& jobs);
  static void note(Peer& peer, const std::string& queue, std::uint64_t number);

  InboundLimits limits_;
  std::map<std::string, Peer> peers_;  // that are connected
  std::uint64_t connections_ = 0;
  std::set<JobKey> changed_;
  std::map<JobKey, std::string> reasons_;  // of those in changed_ whose reason is known already
};

}  // namespace rollcall::sched::peers
