// OtherClusters: all that mbatchd does with other clusters: the connections with their masters, jobs forwarded there and accepted from
// there, leases of both directions, and what the hosts of one job in several clusters share.
//
// Owns these parts and says which of them a message is for; each part has its rules in its own header. The daemon calls it at the
// points of its turn (daemon.hpp), and hears of other clusters' hosts as it hears of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/io/peer_key_files.hpp"
#include "sched/mbatchd/forward_in.hpp"
#include "sched/mbatchd/forward_out.hpp"
#include "sched/mbatchd/job_spans.hpp"
#include "sched/mbatchd/lease_in.hpp"
#include "sched/mbatchd/lease_out.hpp"
#include "sched/mbatchd/peer_links.hpp"
#include "sched/policy/book/client_commands.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/peers/news_pace.hpp"

namespace rollcall::mbatchd {

class OtherClusters {
 public:
  struct Handler {
    std::function<Engine&()> engine;  // of our own hosts; made after this object
    std::function<void(sched::Effects)> changed;
    std::function<void()> plan_soon;  // jobs may be started, or offered, that were not before
    std::function<void()> turn_soon;
    // Of a cluster, or of a borrowed host.
    std::function<void(const std::string& host, const sched::HostReport&)> told;
    std::function<void(const std::string& host)> gone;
    std::function<std::string(sched::JobKey)> why;  // why a job pends, in one line
    // Pieces of jobs' files and terminals; and the connection that carried them has ended, or another takes its place.
    std::function<void(const std::string& cluster, const wire::PeerMessage&)> piece;
    std::function<void(const std::string& cluster)> lost;
  };
  OtherClusters(boost::asio::io_context& loop, io::Links& links, const sched::book::JobTable& jobs,
                sched::book::HostLedger& hosts, sched::book::ForwardedJobs& forwards,
                sched::answers::SnapshotKeeper& keeper, io::JobStore& store, io::LoadedPeerKeys keys,
                io::Log& log, Handler handler);

  // --- start and configuration
  // A row of the store. False: it is of something else.
  bool load(const io::StoredControl& row) { return peers_.load(row) || lease_out_.load(row); }
  Result<void> begin(const std::string& cluster);
  // The Book's parts, the keeper and the engine have these files.
  void configure(const std::shared_ptr<const Configuration>& configuration);

  // --- connections
  PeerLinks& links() { return peers_; }
  bool say(const std::string& cluster, wire::PeerMessage message) {
    return peers_.say(cluster, std::move(message));
  }

  // --- the engines of hosts that are not ours
  sched::Engine& elsewhere() { return forward_out_; }
  sched::Engine& borrowed() { return lease_in_; }

  // --- our own hosts
  void host_came(const std::string& host, const sched::report::HostCame& came);
  void host_gone(const std::string& host) { lease_out_.host_gone(host); }
  void load_came() { lease_out_.load_came(); }
  // Under which grants an order for the attempt is; empty: it has slots of our own.
  sched::lease::GrantNumbers grants_of(const std::string& host, const sched::Attempt& attempt) const {
    return lease_out_.grants_of(host, attempt);
  }
  void grants_held(const std::string& host, const sched::lease::GrantsOnHost& held);
  std::optional<wire::JobSpan> span_of(const sched::Attempt& attempt) const { return spans_.of(attempt); }
  bool is_part(const sched::Attempt& attempt) const { return spans_.is_part(attempt); }
  // An order that could not leave, as not all hosts of its job can be named yet: it comes again when more can.
  void await_span(const std::string& host, const sched::Attempt& attempt);

  // Hosts of ours take starts, or do not any more.
  void hosts_changed() { lease_out_.hosts_changed(); }

  // --- the turn
  // The Book has changed these jobs; not committed.
  void jobs_touched(const std::set<sched::JobKey>& jobs) {
    lease_in_.touched(jobs);
    lease_out_.touched(jobs);
  }
  // Before anything is planned or answered in a turn.
  void settle() { lease_in_.settle(); }
  // Committed.
  void jobs_changed(const std::set<sched::JobKey>& jobs);
  // A cycle is over.
  void planned(WallTime now);
  // Everything is committed: tells what is to be told.
  void flush(WallTime now);
  void tick(WallTime now);
  // How long until the next tick() has something to do. `keeps`: the store does, so jobs can be offered.
  Duration wait(Duration longest, WallTime now, bool keeps) const;

  // --- answers
  sched::answers::RemoteLook verdicts_of(sched::JobKey job) const;
  wire::BatchReply::ClusterRows rows() const;
  std::vector<sched::lease::LeaseReport> leases() const;
  // For bjobs: leases with slots that this cluster does not have yet, and those that no job asks for.
  std::vector<sched::lease::AwaitedLease> awaited() const { return lease_in_.awaited(); }
  // What its cluster has told last of a borrowed host; nullptr: nothing in this connection.
  const sched::BorrowedLoad* load_of(const sched::HostId& host) const { return lease_in_.load_of(host); }
  // Lines of badmin showstatus, each behind a newline.
  std::string status() const;

  // --- an administrator's commands
  // badmin hforget @CLUSTER; false in `second`: it is refused, and why.
  std::pair<std::string, bool> forget(const std::string& cluster, bool only_say);
  // badmin hforget -jobs. What becomes of each job is a line of the answer.
  sched::book::Applied write_off(const wire::ControlBatch& asked, const sched::Identity& who);

 private:
  PeerLinks::Handler peers_handler();
  ForwardOut::Handler forward_out_handler();
  ForwardIn::Handler forward_in_handler();
  LeaseIn::Handler lease_in_handler();
  LeaseOut::Handler lease_out_handler();
  Result<void> heard(const std::string& cluster, const wire::PeerMessage& message);
  Result<void> of_attempt(const std::string& cluster, const wire::PeerMessage& message,
                          const wire::ForwardAttempt& attempt);
  void told(const std::string& host, const sched::HostReport& report);
  void take_span(const std::string& cluster, const wire::ForwardOffer& offer);
  sched::book::ForwardedJobs::Answered start_on_lent_slots(const std::string& cluster,
                                                           const wire::ForwardOffer& offer,
                                                           const wire::Submission& asked,
                                                           const sched::Identity& who, WallTime now);
  void order_again();

  boost::asio::io_context& loop_;
  const sched::book::JobTable& jobs_;
  sched::book::HostLedger& hosts_;
  sched::book::ForwardedJobs& forwards_;
  sched::answers::SnapshotKeeper& keeper_;
  io::Log& log_;
  const Handler handler_;
  const std::function<bool(const std::string& cluster, wire::PeerMessage)> say_;
  std::set<std::pair<std::string, sched::Attempt>> unnamed_;  // by the host that the order is for
  JobSpans spans_;
  PeerLinks peers_;
  sched::peers::NewsPace news_;
  ForwardOut forward_out_;
  ForwardIn forward_in_;
  LeaseIn lease_in_;
  LeaseOut lease_out_;
};

}  // namespace rollcall::mbatchd
