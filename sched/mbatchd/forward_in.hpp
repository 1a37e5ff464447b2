// ForwardIn: the executing side of forwarding: takes offers, orders and recalls of other clusters to the Book, and tells those clusters
// how their jobs stand.
//
// When each message is taken, and when what is told, is InboundForwards' to say; the shell looks users up and asks the Book. Each user
// is the one that UserMap says, or that this host knows by the name, never root nor an administrator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/io/log.hpp"
#include "common/io/side_thread.hpp"
#include "common/wire/peer.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/cycle/snapshot.hpp"
#include "sched/policy/peers/inbound_forwards.hpp"

namespace rollcall::mbatchd {

class ForwardIn {
 public:
  struct Handler {
    std::function<bool(const std::string& cluster, wire::PeerMessage)> say;
    std::function<void(sched::Effects)> changed;
    std::function<void()> turn_soon;                // something is to be told
    std::function<std::string(sched::JobKey)> why;  // why a job pends, in one line
    // An offer for slots of a lease.
    std::function<sched::book::ForwardedJobs::Answered(const std::string& cluster, const wire::ForwardOffer&,
                                                       const wire::Submission& asked,
                                                       const sched::Identity& who, WallTime now)>
        start_on_lent_slots;
  };
  ForwardIn(boost::asio::io_context& loop, const sched::book::JobTable& jobs,
            sched::book::ForwardedJobs& forwards, io::Log& log, Handler handler);

  void configure(std::shared_ptr<const Configuration> configuration);

  void serves(const std::string& cluster);
  void lost(const std::string& cluster);
  // An error: the connection has to end.
  Result<void> heard(const std::string& cluster, wire::PeerMessage message, WallTime now);

  // Jobs that have changed.
  void changed(const std::set<sched::JobKey>& jobs) { in_.changed(jobs); }
  // Everything is committed: tells what is to be told.
  void flush(WallTime now);
  // Figures of queues, usage and pending reasons, at their intervals.
  void tick(const sched::cycle::Snapshot& snapshot, WallTime now, TimePoint steady);
  std::optional<TimePoint> next_tick() const;

 private:
  struct Account {  // of this host
    sched::Identity who;
    bool found = false;
    std::string failure;  // the user database gave no answer: why
  };
  void work(const std::string& cluster, WallTime now);
  bool take(const std::string& cluster, const wire::PeerMessage& message, WallTime now);
  bool take_offer(const std::string& cluster, const wire::ForwardOffer& offer, WallTime now);
  void look_up(const std::string& cluster, const std::string& user);
  // `claimed`: who submitted it there.
  void offer(const std::string& cluster, const wire::ForwardOffer& offer, const std::string& claimed,
             const Account& account, WallTime now);
  void answer(const std::string& cluster, sched::book::ForwardedJobs::Answered answered);
  void refuse(const std::string& cluster, const wire::ForwardOffer& offer, std::string why,
              wire::ForwardOver::Scope scope);
  void tell_about(const std::string& cluster);
  void tell_figures(const sched::cycle::Snapshot& snapshot, WallTime now);
  bool figures_due(const sched::cycle::Snapshot& snapshot, TimePoint steady) const;
  void forget_told(const std::string& cluster);
  bool changed_since_told(const sched::cycle::Snapshot& snapshot, bool open) const;

  const sched::book::JobTable& jobs_;
  sched::book::ForwardedJobs& forwards_;
  io::Log& log_;
  const Handler handler_;
  io::SideThread aside_;
  std::shared_ptr<const Configuration> configuration_;
  sched::peers::InboundForwards in_;
  std::map<std::string, std::pair<TimePoint, Account>> accounts_;  // by name, for a minute
  // Clusters and queues that were closed when it was told their figures last, in this connection. Also of queues that receive nothing from it
  // now: it believes them closed when they do again.
  std::set<std::pair<std::string, std::string>> closed_told_;
  std::set<std::string> told_;  // clusters that were told figures in this connection
  std::optional<TimePoint> next_figures_, next_usage_, next_reasons_;
};

}  // namespace rollcall::mbatchd
