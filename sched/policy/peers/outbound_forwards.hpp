// OutboundForwards: the submission side of forwarding as decisions: which orders may leave to a cluster, which attempts are there, and
// what is known of its queues. A stepper: it sends nothing; the Book is asked and told through `Port`.
//
//   event \ a cluster        | not connected | connected                          | greeted
//   -------------------------+---------------+------------------------------------+---------------------------------------------
//   serves                   | connected     | connected anew                     | connected anew
//   lost                     | -             | not connected                      | not connected: the Book is to be told
//   ForwardHeld, not last    | error         | kept                               | error
//   ForwardHeld, the last    | error         | greeted, then as below             | error
//   ForwardState, -Over      | error         | error                              | the Book is told
//   QueueFigures             | error         | error                              | kept, for queues that jobs are sent to
//   PeerApplications         | error         | error                              | which queues receive our jobs is kept
//   an order                 | dropped       | dropped                            | may leave; an offer once in a connection
//
// When a cluster has said all that it holds: attempts of before a restart are counted again, the Book is told what is held, attempts
// that ended meanwhile are counted no more, and then the Book is told how each one stands. Orders may leave before that, since the
// Book orders again what the cluster lacks (OrderGate). docs/decisions/0090, 0104.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/wire/peer.pb.h"
#include "sched/policy/forward/remote_queues.hpp"
#include "sched/policy/peers/order_gate.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::sched::peers {

// The job is in another cluster, by this attempt. `job`: nullptr where there is none.
bool is_there(const Attempt& attempt, const Job* job);

struct OutboundLimits {
  int held = 1'000'000;  // attempts that a cluster may say it holds
  std::size_t held_bytes = std::size_t{1} << 30;
  int complaints = 20;  // lines of the log about one connection
};

class OutboundForwards {
 public:
  class Port {
   public:
    virtual ~Port() = default;
    virtual const Job* find(JobKey job) const = 0;
    // Jobs of ours on the host "@cluster".
    virtual std::vector<JobKey> jobs_on(const std::string& host) const = 0;
    // SNDJOBS_TO. A peer may name as many queues as it likes: the others are not kept.
    virtual bool sends_to(const conf::RemoteQueue& queue) const = 0;
    // The Book, which may end the attempt by that.
    virtual void told(const std::string& host, const HostReport& report) = 0;
    // Before that, of an attempt that was there.
    virtual void over(const conf::RemoteQueue& queue, const Attempt& attempt,
                      const wire::ForwardOver& over) = 0;
    // Before that: the cluster had left too many offers without an answer, and may be offered jobs again.
    virtual void answers_again(const std::string& cluster) = 0;
    virtual void log(const std::string& line) = 0;
  };

  // Numbers of forwards begin at `first_forward`: above all that were used before a restart.
  explicit OutboundForwards(std::uint64_t first_forward, OutboundLimits limits = {})
      : limits_(limits), queues_(first_forward) {}

  // ---- connections
  // After lost(), which a connection that replaces another one needs too.
  void serves(const std::string& cluster);
  // True: it was greeted, so the Book is to be told that it is gone.
  bool lost(const std::string& cluster);
  bool greeted(const std::string& cluster) const { return queues_.connected(cluster); }

  // ---- what a cluster says
  // Messages of other kinds are not its business. What cannot be true is dropped and logged. An error: it breaks the protocol.
  Result<void> heard(const std::string& cluster, const wire::PeerMessage& message, TimePoint now, Port& port);
  // It does not know an offer of ours: the offer is refused.
  void offer_unknown(const std::string& cluster, const wire::ForwardAttempt& attempt, Port& port);
  // At most so many lines for one connection.
  void complain(const std::string& cluster, const std::string& what, Port& port);

  // ---- orders that may leave
  bool order(const std::string& cluster) const { return gate_.order(cluster); }
  bool offer(const std::string& cluster, const Attempt& attempt) { return gate_.offer(cluster, attempt); }
  // Offers of this connection that the cluster has not answered; at OrderGate::kMostUnanswered it is to be offered nothing more.
  std::size_t unanswered(const std::string& cluster) const { return gate_.unanswered(cluster); }

  // ---- attempts
  // Gives the number of the forward.
  std::uint64_t forwarded(const Attempt& attempt, const conf::RemoteQueue& queue, int slots);
  // It is not there, or there no more.
  void left(const Attempt& attempt);

  const forward::RemoteQueues& queues() const { return queues_; }

  // Behind heard(): what ends attempts there of a store of ours that is gone. By cluster.
  std::vector<std::pair<std::string, wire::PeerMessage>> take_ends_of_strangers() {
    return std::exchange(ends_of_strangers_, {});
  }

 private:
  struct Held {  // what a cluster has said so far of what it holds
    wire::ForwardHeld all;
    std::size_t bytes = 0;
  };
  struct Forward {
    conf::RemoteQueue queue;
    std::uint64_t number = 0;
  };
  Result<void> take_held(const std::string& cluster, const wire::ForwardHeld& part, Port& port);
  void greet(const std::string& cluster, const wire::ForwardHeld& held, Port& port);
  void restore(const std::string& cluster, Port& port);
  void forget_ended(const std::string& cluster, const Port& port);
  Result<void> take_state(const std::string& cluster, const wire::ForwardState& state, Port& port);
  Result<void> take_over(const std::string& cluster, const wire::ForwardOver& told, Port& port);
  void take_figures(const std::string& cluster, const wire::QueueFigures& figures, TimePoint now, Port& port);
  void take_queues(const std::string& cluster, const wire::PeerApplications& told);
  bool fits(const std::string& cluster, const wire::ForwardAttempt& attempt, const wire::JobElsewhere& there,
            Port& port);

  OutboundLimits limits_;
  forward::RemoteQueues queues_;
  OrderGate gate_;
  std::map<std::string, Held> held_;                            // by cluster, until its last part
  std::map<std::string, std::uint64_t> connections_, updates_;  // for the order of updates
  std::map<std::string, int> complaints_;                       // by cluster: of its connection
  std::map<Attempt, Forward> forwards_;
  std::vector<std::pair<std::string, wire::PeerMessage>> ends_of_strangers_;
};

}  // namespace rollcall::sched::peers
